import type { Database } from '../../platform/db/database.ts';
import type { MilestoneRow } from '../../tracker/milestones/tables.ts';
import type { Area } from '../area-store.ts';
import { idsOf, narrows, type Path } from '../text/step-store.ts';
import type { TextQuery } from '../text/terms.ts';
import type { Walk } from '../text/walk.ts';

export function milestoneWalk(
  database: Pick<Database, 'db' | 'dialect'>,
  { query, area }: { query: TextQuery; area: Area },
): Walk<MilestoneRow> {
  const path: Path = { table: 'milestones', area, by: 'updated_at', direction: 'desc', query };
  return {
    read: (step) =>
      database.db
        .selectFrom('milestones')
        .selectAll()
        .where('id', 'in', idsOf(path, database, step))
        .orderBy('updated_at', 'desc')
        .orderBy('id', 'desc')
        .execute(),
    narrows: () => narrows(path, database),
    textsOf: ({ title, description }) => [title, description],
    positionOf: ({ updated_at, id }) => ({ value: updated_at, id }),
  };
}
