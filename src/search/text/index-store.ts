import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import { escapeLike } from '../../platform/db/like.ts';
import type { DialectName } from '../../platform/db/migrate.ts';
import { lengthOf, SHORTEST_TERM, type TextQuery } from './terms.ts';
import type { Narrowed } from './walk.ts';

/** `../migrations/0009-search.sql` has the indexes. */
interface TextIndex {
  /** Whose texts are in it. */
  table: string;
  columns: readonly string[];
  /** Column of a table with the ids of the rows that are looked for, and how SQLite's index has them. */
  id: string;
  rowid: RawBuilder<unknown>;
  /** Of a partial index. */
  only?: RawBuilder<unknown>;
}

const ofRows = (table: string, columns: readonly string[], only?: RawBuilder<unknown>): TextIndex => ({
  table,
  columns,
  id: 'id',
  rowid: sql`rowid`,
  ...(only && { only }),
});

const indexes = {
  projects: ofRows('projects', ['full_path', 'name_with_namespace', 'description']),
  users: ofRows('users', ['name', 'username']),
  issues: ofRows('issues', ['title', 'description']),
  merge_requests: ofRows('merge_requests', ['title', 'description']),
  milestones: ofRows('milestones', ['title', 'description']),
  notes: ofRows('notes', ['body'], sql`texts.system = 0`),
  snippets: ofRows('snippets', ['title', 'file_name', 'description']),
  snippet_files: { table: 'snippet_files', columns: ['content'], id: 'snippet_id', rowid: sql`rowid / 1000` },
} satisfies Record<string, TextIndex>;

export type IndexName = keyof typeof indexes;

/**
 * The condition "the index takes this row for possible" over the column `id`: true for every row that matches, and for few others.
 * Null where no index helps: a name is looked for by one or two characters of it.
 */
export function possible(
  dialect: DialectName,
  name: IndexName,
  query: TextQuery,
  id: Expression<unknown>,
): Expression<SqlBool> | null {
  const index: TextIndex = indexes[name];
  const parts = partsOf(query);
  if (isBrief(query)) return among(id, index, isShort(index));
  if (parts.length === 0) return null;
  if (dialect === 'postgres') return among(id, index, holdsAll(index, parts), sql`offset 0`);
  return sql<SqlBool>`${id} in (select ${index.rowid} from ${matching(index, parts)})`;
}

/**
 * "No later than the last row that the index names", for SQLite: its index has rows by their ids, and finds the last one in no time
 * where it names many. Words that only old rows have are found so without reading the new ones.
 */
export function upToLast(
  name: IndexName,
  query: TextQuery,
  id: Expression<unknown>,
): Expression<SqlBool> | null {
  const parts = partsOf(query);
  if (parts.length === 0) return null;
  const index: TextIndex = indexes[name];
  return sql<SqlBool>`${id} <= (select ${index.rowid} from ${matching(index, parts)} order by rowid desc limit 1)`;
}

/**
 * In a select of its own. With `offset 0` behind it PostgreSQL keeps it apart: it would otherwise weigh it against walking the whole
 * table in order, and guesses badly how rare a piece of a word is.
 */
const among = (
  id: Expression<unknown>,
  index: TextIndex,
  condition: Expression<SqlBool>,
  fence: RawBuilder<unknown> = sql``,
) =>
  sql<SqlBool>`${id} in (select ${sql.ref(`texts.${index.id}`)} from ${sql.table(index.table)} as texts
    where ${index.only ?? sql`1 = 1`} and ${condition} ${fence})`;

/** What of a query has trigrams. */
function partsOf(query: TextQuery): readonly string[] {
  if (query.kind === 'everything') return [];
  const asked = query.kind === 'whole' ? [query.text] : query.terms;
  return asked.filter((part) => lengthOf(part) >= SHORTEST_TERM);
}

const isBrief = (query: TextQuery): boolean => query.kind === 'whole' && lengthOf(query.text) < SHORTEST_TERM;

/**
 * SQLite looks up and sorts fewer rows than this in some 5 ms; above it goes through all rows in order and passes over those that are
 * not named, which takes 20 ms for 25,000 of 200,000. All this happens in the service's own thread: more are not asked for.
 */
const FEW = 2000;
export const MANY = 30_000;

export const narrowedBy = (count: number, bound = MANY): Narrowed =>
  count >= bound ? 'not' : count < FEW ? 'from index' : 'in order';

/**
 * How the index helps: not where it would name more rows than a walk goes through. PostgreSQL is not asked: to count them it would
 * have to compare their texts, and it keeps nobody waiting but the one who searches.
 */
export async function howToNarrow(
  { db, dialect }: Pick<Database, 'db' | 'dialect'>,
  name: IndexName,
  query: TextQuery,
  walked = MANY,
): Promise<Narrowed> {
  if (isBrief(query)) return 'from index';
  const parts = partsOf(query);
  if (parts.length === 0) return 'not';
  if (dialect === 'postgres') return 'from index';
  const bound = Math.min(walked, MANY);
  const { rows } = await sql<{ count: number }>`select count(*) as count from (
    select 1 from ${matching(indexes[name], parts)} limit ${bound})`.execute(db);
  const { count } = rows[0]!;
  return count >= MANY ? 'up to last' : narrowedBy(count, bound);
}

/** FTS5's index knows which rows hold a trigram, not where: all of them together are what can be asked for. */
function matching({ table }: TextIndex, parts: readonly string[]): RawBuilder<unknown> {
  const index = sql.table(`${table}_text`);
  return sql`${index} where ${index} match ${trigramQuery(parts)}`;
}

/** What FTS5's `match` takes for "every trigram of these parts". */
export function trigramQuery(parts: readonly string[]): string {
  const words = new Set(parts.flatMap(trigrams));
  return [...words].map((word) => `"${word.replaceAll('"', '""')}"`).join(' ');
}

function trigrams(text: string): string[] {
  const characters = [...text];
  return characters.slice(2).map((_, at) => characters.slice(at, at + 3).join(''));
}

/** All parts in the same column, as PostgreSQL's trigram indexes are made to be asked. */
function holdsAll({ columns }: TextIndex, parts: readonly string[]): Expression<SqlBool> {
  const patterns = parts.map((part) => `%${escapeLike(part)}%`);
  const byColumn = columns.map((column) => {
    const text = sql`search_fold(${sql.ref(`texts.${column}`)})`;
    const holds = patterns.map((pattern) => sql`${text} like search_fold(${pattern})`);
    return sql`(${sql.join(holds, sql` and `)})`;
  });
  return sql<SqlBool>`(${sql.join(byColumn, sql` or `)})`;
}

/** In the words of the partial indexes. */
function isShort({ columns }: TextIndex): Expression<SqlBool> {
  const short = columns.map((column) => sql`length(${sql.ref(`texts.${column}`)}) < 3`);
  return sql<SqlBool>`(${sql.join(short, sql` or `)})`;
}
