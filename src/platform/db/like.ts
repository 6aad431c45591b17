import { type Expression, type SqlBool, sql } from 'kysely';

/** `50%` is looked for as it stands: `%`, `_` and the escape itself lose their meaning. */
export const escapeLike = (text: string) => text.replace(/[\\%_]/g, (char) => `\\${char}`);

/**
 * "Contains this text, in any case". Both sides go through the database's own `lower`, because SQLite's knows only ASCII:
 * lowered by JavaScript, an accented capital would not even find itself there.
 */
export const containsText = (column: Expression<unknown>, text: string): Expression<SqlBool> =>
  sql<SqlBool>`lower(${column}) like lower(${`%${escapeLike(text)}%`}) escape '\\'`;
