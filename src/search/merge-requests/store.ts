import { type SqlBool, sql } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import type { MergeRequestRow } from '../../tracker/tables.ts';
import type { Area } from '../area-store.ts';
import type { Order } from '../params.ts';
import { rowWalk } from '../text/step-store.ts';
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
  return rowWalk(
    database,
    { table: 'merge_requests', area, conditions, by, direction, query },
    ({ title, description }) => [title, description],
  );
}
