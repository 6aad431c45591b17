import type { Expression, SqlBool } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import type { MilestoneRow } from '../../tracker/milestones/tables.ts';
import { stepThrough } from '../text/step-store.ts';
import type { TextQuery } from '../text/terms.ts';
import type { Walk } from '../text/walk.ts';

export function milestoneWalk(
  { db, dialect }: Pick<Database, 'db' | 'dialect'>,
  query: TextQuery,
  within: Expression<SqlBool>,
): Walk<MilestoneRow> {
  const rows = db.selectFrom('milestones').selectAll('milestones').where(within);
  const ordered = { table: 'milestones', by: 'updated_at', direction: 'desc' } as const;
  return {
    read: (step) => stepThrough(rows, step, ordered, { dialect, query }).execute(),
    textsOf: ({ title, description }) => [title, description],
    positionOf: ({ updated_at, id }) => ({ value: updated_at, id }),
  };
}
