import type { Caller } from '../../core/caller.ts';
import type { InProject } from '../../core/guards.ts';
import type { Queryable } from '../../platform/db/tables.ts';
import { fail } from '../../platform/errors.ts';
import { findSchedule } from './store.ts';
import type { ScheduleRow } from './tables.ts';

/** The schedule of `:pipeline_schedule_id`; 404 when there is none. */
export async function demandSchedule(
  db: Queryable,
  { project }: Pick<InProject, 'project'>,
  { pipeline_schedule_id: id }: { pipeline_schedule_id: number },
): Promise<ScheduleRow> {
  const row = await findSchedule(db, project.id, id);
  if (!row) throw fail.notFound('PipelineSchedule');
  return row;
}

/** Whoever owns it, as long as he may run pipelines; maintainers all of them. */
export const mayChange = (row: ScheduleRow, { access }: InProject, { user }: Caller): boolean =>
  access.can('admin_build') || (row.owner_id === user.id && access.can('update_build'));
