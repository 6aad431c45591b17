import type { Queryable } from '../../platform/db/tables.ts';
import type { ConfigVariable } from '../config/plan.ts';
import { findDefinition } from '../processing/store.ts';
import type { JobRow } from '../tables.ts';
import { findTrace } from './store.ts';

const SWITCHES = new Set(['CI_DEBUG_TRACE', 'CI_DEBUG_SERVICES']);

/** Whether the log may hold the values of variables: the runner said so, or the job's own variables ask for it. */
export async function isDebugTrace(db: Queryable, { id }: Pick<JobRow, 'id'>): Promise<boolean> {
  const trace = await findTrace(db, id);
  if (trace?.debug === 1) return true;
  const orders = await findDefinition(db, id);
  const variables = orders ? (JSON.parse(orders.variables) as ConfigVariable[]) : [];
  return variables.some(({ key, value }) => SWITCHES.has(key) && value.toLowerCase() === 'true');
}
