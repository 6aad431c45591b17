import type { Expression, SqlBool } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import type { MergeRequestRow } from '../../tracker/tables.ts';
import type { Order } from '../params.ts';
import { stepThrough } from '../text/step-store.ts';
import type { TextQuery } from '../text/terms.ts';
import type { Walk } from '../text/walk.ts';

interface Asked {
  within: Expression<SqlBool>;
  /** Null for every state. */
  state: 'opened' | 'closed' | 'merged' | null;
  iid: number | null;
  order: Order;
}

export function mergeRequestWalk(
  { db, dialect }: Pick<Database, 'db' | 'dialect'>,
  query: TextQuery,
  { within, state, iid, order }: Asked,
): Walk<MergeRequestRow> {
  let rows = db.selectFrom('merge_requests').selectAll('merge_requests').where(within);
  if (state) rows = rows.where('merge_requests.state', '=', state);
  if (iid !== null) rows = rows.where('merge_requests.iid', '=', iid);
  const ordered = { table: 'merge_requests', ...order } as const;
  return {
    read: (step) => stepThrough(rows, step, ordered, { dialect, query }).execute(),
    textsOf: ({ title, description }) => [title, description],
    positionOf: (row) => ({ value: row[order.by], id: row.id }),
  };
}
