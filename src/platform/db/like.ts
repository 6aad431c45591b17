import { type Expression, type SqlBool, sql } from 'kysely';

/** `50%` is looked for as it stands: `%`, `_` and the escape itself lose their meaning. */
export const escapeLike = (text: string) => text.replace(/[\\%_]/g, (char) => `\\${char}`);

/**
 * What GitLab's search looks for at most. SQLite refuses patterns above 50,000 bytes; this fits even where every character is
 * escaped.
 */
const LONGEST_TEXT = 4096;

/**
 * "Contains this text, in any case"; false for a text that is too long to be looked for. Both sides go through the database's own
 * `lower`, because SQLite's knows only ASCII: lowered by JavaScript, an accented capital would not even find itself there.
 */
export const containsText = (column: Expression<unknown>, text: string): Expression<SqlBool> =>
  text.length > LONGEST_TEXT
    ? sql<SqlBool>`1 = 0`
    : sql<SqlBool>`lower(${column}) like lower(${`%${escapeLike(text)}%`}) escape '\\'`;
