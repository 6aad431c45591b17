import { type Expression, type RawBuilder, type Selectable, type SqlBool, sql } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import type { Tables } from '../../platform/db/tables.ts';
import type { Area } from '../area-store.ts';
import { howToNarrow, type IndexName, possible, upToLast } from './index-store.ts';
import type { TextQuery } from './terms.ts';
import type { Narrowed, Step, Walk } from './walk.ts';

/** Which rows a walk goes through, before it is known which of them match. */
export interface Path {
  table: Exclude<IndexName, 'snippet_files'>;
  /** Where their texts are indexed; by the name of the table unless it says otherwise. */
  index?: IndexName;
  /** What the conditions need beside the table itself. */
  joins?: RawBuilder<unknown>;
  area: Area;
  conditions?: readonly Expression<SqlBool>[];
  /** A column of numbers; ties go by id. */
  by: 'created_at' | 'updated_at' | 'id';
  direction: 'asc' | 'desc';
  query: TextQuery;
}

type RowOf<T extends Path['table']> = Selectable<Tables[T]> & Record<Path['by'], number>;

/** The walk of a path over whole rows, whose texts stand in the rows themselves. */
export function rowWalk<T extends Path['table']>(
  database: Pick<Database, 'db' | 'dialect'>,
  path: Path & { table: T },
  textsOf: (row: RowOf<T>) => readonly (string | null)[],
): Walk<RowOf<T>> {
  const { table, by } = path;
  const direction = sql.raw(path.direction);
  return {
    async read(step) {
      const ids = idsOf(path, database, step);
      const query = sql<RowOf<T>>`select * from ${sql.table(table)} where id in ${ids}
        order by ${sql.ref(by)} ${direction}, id ${direction}`;
      return (await query.execute(database.db)).rows;
    },
    narrows: () => narrows(path, database),
    textsOf,
    positionOf: (row) => ({ value: row[by], id: row.id }),
  };
}

/**
 * Ids of the rows of one step: those behind the last one, in order. Ids alone, because what a database has to sort should be
 * small; the scope reads the rows.
 */
export function idsOf(
  path: Path,
  { dialect }: Pick<Database, 'dialect'>,
  { after, limit, offset, narrowed }: Step,
): RawBuilder<number> {
  const { table, joins = sql``, area, by, query } = path;
  const column = sql.ref(`${table}.${by}`);
  const id = sql.ref(`${table}.id`);
  const direction = sql.raw(path.direction);
  const beyond = path.direction === 'asc' ? sql`>` : sql`<`;
  const index = path.index ?? table;
  const likely =
    narrowed === 'not'
      ? null
      : narrowed === 'up to last'
        ? upToLast(index, query, sql`+${id}`)
        : possible(dialect, index, query, compared(id, narrowed));
  const conditions = [
    narrowed === 'from index' ? area.beside : area.first,
    ...(likely ? [likely] : []),
    ...(path.conditions ?? []),
    ...(after ? [sql<SqlBool>`(${column}, ${id}) ${beyond} (${after.value}, ${after.id})`] : []),
  ];
  return sql<number>`(select ${id} from ${sql.table(table)} ${joins}
    where ${sql.join(conditions, sql` and `)}
    order by ${column} ${direction}, ${id} ${direction} limit ${limit} offset ${offset})`;
}

/** A plus keeps SQLite from looking up each row that the index names, only to put them in order afterwards. */
const compared = (id: RawBuilder<unknown>, narrowed: Narrowed) =>
  narrowed === 'in order' ? sql`+${id}` : id;

export function narrows(
  { table, index = table, query, area }: Path,
  database: Pick<Database, 'db' | 'dialect'>,
): Promise<Narrowed> {
  return howToNarrow(database, index, query, area.size);
}
