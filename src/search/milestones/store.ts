import type { Database } from '../../platform/db/database.ts';
import type { MilestoneRow } from '../../tracker/milestones/tables.ts';
import type { Area } from '../area-store.ts';
import { rowWalk } from '../text/step-store.ts';
import type { TextQuery } from '../text/terms.ts';
import type { Walk } from '../text/walk.ts';

export function milestoneWalk(
  database: Pick<Database, 'db' | 'dialect'>,
  { query, area }: { query: TextQuery; area: Area },
): Walk<MilestoneRow> {
  return rowWalk(
    database,
    { table: 'milestones', area, by: 'updated_at', direction: 'desc', query },
    ({ title, description }) => [title, description],
  );
}
