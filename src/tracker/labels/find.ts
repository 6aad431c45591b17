import type { Queryable } from '../../platform/db/tables.ts';
import { fail } from '../../platform/errors.ts';
import { findLabel, type LabelScope } from './store.ts';
import type { LabelRow } from './tables.ts';

/** By number or name. Throws 404. */
export async function demandLabel(db: Queryable, scope: LabelScope, reference: string): Promise<LabelRow> {
  const label = await findLabel(db, scope, reference);
  if (!label) throw fail.notFound('Label');
  return label;
}
