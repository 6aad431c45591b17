import { type SqlBool, sql } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import type { MergeRequestRow } from '../../tracker/tables.ts';
import type { Area } from '../area-store.ts';
import type { Order } from '../params.ts';
import { idsOf, narrows, type Path } from '../text/step-store.ts';
import type { TextQuery } from '../text/terms.ts';
import type { Walk } from '../text/walk.ts';

interface Asked {
  area: Area;
  query: TextQuery;
  /** Null for every state. */
  state: 'opened' | 'closed' | 'merged' | null;
  iid: number | null;
  order: Order;
}

export function mergeRequestWalk(
  database: Pick<Database, 'db' | 'dialect'>,
  { area, query, state, iid, order }: Asked,
): Walk<MergeRequestRow> {
  const { by, direction } = order;
  const conditions = [
    ...(state ? [sql<SqlBool>`merge_requests.state = ${state}`] : []),
    ...(iid === null ? [] : [sql<SqlBool>`merge_requests.iid = ${iid}`]),
  ];
  const path: Path = { table: 'merge_requests', area, conditions, by, direction, query };
  return {
    read: (step) =>
      database.db
        .selectFrom('merge_requests')
        .selectAll()
        .where('id', 'in', idsOf(path, database, step))
        .orderBy(by, direction)
        .orderBy('id', direction)
        .execute(),
    narrows: () => narrows(path, database),
    textsOf: ({ title, description }) => [title, description],
    positionOf: (row) => ({ value: row[by], id: row.id }),
  };
}
