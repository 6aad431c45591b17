import { type Expression, type SqlBool, sql } from 'kysely';
import { escapeLike } from '../../platform/db/like.ts';
import type { DialectName } from '../../platform/db/migrate.ts';
import { lengthOf, SHORTEST_TERM, type TextQuery } from './terms.ts';

/** Tables with a trigram index, and the columns it is over; `../migrations/0009-search.sql` has the indexes. */
const indexed = {
  projects: ['full_path', 'name_with_namespace', 'description'],
  users: ['name', 'username'],
  issues: ['title', 'description'],
  merge_requests: ['title', 'description'],
  milestones: ['title', 'description'],
  notes: ['body'],
  snippets: ['title', 'file_name', 'description'],
} as const;

export type IndexedTable = keyof typeof indexed;

/**
 * The condition "the index takes this row for possible" for a query over `table`: true for every row that matches, and for few
 * others. Null where no index helps: a name is looked for by one or two characters of it.
 */
export function possible(
  dialect: DialectName,
  table: IndexedTable,
  query: TextQuery,
): Expression<SqlBool> | null {
  if (query.kind === 'everything') return null;
  const asked = query.kind === 'whole' ? [query.text] : query.terms;
  const parts = asked.filter((part) => lengthOf(part) >= SHORTEST_TERM);
  if (parts.length > 0) return dialect === 'sqlite' ? bySqlite(table, parts) : byPostgres(table, parts);
  return query.kind === 'whole' ? isShort(table) : null;
}

/** FTS5's index knows which rows hold a trigram, not where: all of them together are what can be asked for. */
function bySqlite(table: IndexedTable, parts: readonly string[]): Expression<SqlBool> {
  const index = sql.table(`${table}_text`);
  return sql<SqlBool>`${sql.ref(`${table}.id`)} in (
    select rowid from ${index} where ${index} match ${trigramQuery(parts)})`;
}

/** What FTS5's `match` takes for "all trigrams of these parts". */
export function trigramQuery(parts: readonly string[]): string {
  const words = new Set(parts.flatMap(trigrams));
  return [...words].map((word) => `"${word.replaceAll('"', '""')}"`).join(' ');
}

function trigrams(text: string): string[] {
  const characters = [...text];
  return characters.slice(2).map((_, at) => characters.slice(at, at + 3).join(''));
}

/**
 * In a select of its own, kept apart by `offset 0`: PostgreSQL would otherwise weigh it against walking the whole table in order, and
 * guesses badly how rare a piece of a word is.
 */
function byPostgres(table: IndexedTable, parts: readonly string[]): Expression<SqlBool> {
  const columns = indexed[table].map((column) => holdsAll(sql.ref(`possible.${column}`), parts));
  const partial = table === 'notes' ? sql`possible.system = 0 and ` : sql``;
  return sql<SqlBool>`${sql.ref(`${table}.id`)} in (select possible.id from ${sql.table(table)} as possible
    where ${partial}(${sql.join(columns, sql` or `)}) offset 0)`;
}

/** As PostgreSQL's trigram indexes are made to be asked. */
export function holdsAll(column: Expression<unknown>, parts: readonly string[]): Expression<SqlBool> {
  const holds = parts.map((part) => sql`search_fold(${column}) like search_fold(${`%${escapeLike(part)}%`})`);
  return sql<SqlBool>`(${sql.join(holds, sql` and `)})`;
}

/** In the words of the partial indexes. */
function isShort(table: IndexedTable): Expression<SqlBool> {
  const columns = indexed[table].map((column) => sql`length(${sql.ref(`${table}.${column}`)}) < 3`);
  return sql<SqlBool>`(${sql.join(columns, sql` or `)})`;
}
