import { type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import type { DialectName } from '../../platform/db/migrate.ts';
import type { Tables } from '../../platform/db/tables.ts';
import { type IndexedTable, possible } from './index-store.ts';
import type { TextQuery } from './terms.ts';
import type { Step } from './walk.ts';

export interface Ordered {
  table: IndexedTable;
  /** A column of numbers; ties go by id. */
  by: 'created_at' | 'updated_at' | 'id';
  direction: 'asc' | 'desc';
}

/** The rows of one step of a walk: those behind the last one, in order, narrowed by the index where the walk wants that. */
export function stepThrough<T extends keyof Tables, O>(
  rows: SelectQueryBuilder<Tables, T, O>,
  { after, limit, offset, narrowed }: Step,
  { table, by, direction }: Ordered,
  { dialect, query }: { dialect: DialectName; query: TextQuery },
): SelectQueryBuilder<Tables, T, O> {
  const column = sql.ref(`${table}.${by}`);
  const id = sql.ref(`${table}.id`);
  const beyond = direction === 'asc' ? sql`>` : sql`<`;
  const likely = narrowed ? possible(dialect, table, query) : null;
  let step = rows.orderBy(column, direction);
  if (by !== 'id') step = step.orderBy(id, direction);
  if (after) step = step.where(sql<SqlBool>`(${column}, ${id}) ${beyond} (${after.value}, ${after.id})`);
  if (likely) step = step.where(likely);
  return step.limit(limit).offset(offset);
}
