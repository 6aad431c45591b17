import type { Core } from '../../core/core.ts';
import type { ProjectWithNamespace } from '../../core/projects/find.ts';
import { type FieldErrors, fail } from '../../platform/errors.ts';
import { findTarget, fullRef } from '../creation/find-target.ts';
import { nextRun } from './cron.ts';
import { countSchedules, insertSchedule, updateSchedule } from './store.ts';
import type { ScheduleRow } from './tables.ts';

/** What a caller may say of a schedule; what is absent stays as it is. */
export interface ScheduleFields {
  description?: string | null | undefined;
  ref?: string | null | undefined;
  cron?: string | null | undefined;
  cron_timezone?: string | null | undefined;
  active?: boolean | null | undefined;
}

/** Each begins pipelines for ever. */
const MAX_SCHEDULES = 100;
const MAX_DESCRIPTION = 1000;

/** Throws 400 for values that will not do. */
export async function createSchedule(
  core: Core,
  project: ProjectWithNamespace,
  ownerId: number,
  input: ScheduleFields,
): Promise<ScheduleRow> {
  const { projectId, active } = { projectId: project.id, active: null };
  if ((await countSchedules(core.db, { projectId, active })) >= MAX_SCHEDULES) {
    throw fail.invalid({ base: [`Maximum number of pipeline schedules (${MAX_SCHEDULES}) exceeded`] });
  }
  const now = core.clock.now();
  const columns = await checked(core, project, { ...NEW, ...input });
  const row = { project_id: project.id, owner_id: ownerId, ...columns, created_at: now, updated_at: now };
  return core.database.transaction((tx) => insertSchedule(tx, row));
}

const NEW = { cron_timezone: 'UTC', active: true };

/** Throws 400 as `createSchedule`, 404 when it is gone meanwhile. */
export async function changeSchedule(
  core: Core,
  project: ProjectWithNamespace,
  before: ScheduleRow,
  input: ScheduleFields,
): Promise<ScheduleRow> {
  const said = Object.fromEntries(Object.entries(input).filter(([, value]) => value != null));
  const columns = await checked(core, project, { ...before, active: before.active === 1, ...said });
  const changes = { ...columns, updated_at: core.clock.now() };
  const row = await core.database.transaction((tx) => updateSchedule(tx, before.id, changes));
  if (!row) throw fail.notFound('PipelineSchedule');
  return row;
}

/** All columns that people choose, and when it is due by them. */
async function checked(core: Core, project: ProjectWithNamespace, fields: ScheduleFields) {
  const { description = '', cron = '', active } = fields;
  const timezone = fields.cron_timezone || 'UTC';
  const ref = await refOf(core, project, fields.ref ?? '');
  const next = await nextRun({ cron: cron ?? '', timezone }, core.clock.now());
  const problems: FieldErrors = {
    ...(!description?.trim() && { description: ["can't be blank"] }),
    ...((description?.length ?? 0) > MAX_DESCRIPTION && {
      description: [`is too long (maximum is ${MAX_DESCRIPTION} characters)`],
    }),
    ...(ref === null && { ref: ['Ref is not found'] }),
    ...('problem' in next && next.problem === 'cron' && { cron: ['is invalid syntax'] }),
    ...('problem' in next && next.problem === 'timezone' && { cron_timezone: ['is invalid syntax'] }),
  };
  if (Object.keys(problems).length > 0 || ref === null || 'problem' in next) throw fail.invalid(problems);
  return {
    description: description ?? '',
    ref,
    cron: cron ?? '',
    cron_timezone: timezone,
    active: active ? 1 : 0,
    next_run_at: next.at,
  };
}

async function refOf(core: Core, project: ProjectWithNamespace, name: string): Promise<string | null> {
  const target = name === '' ? null : await findTarget(core, project, name);
  return target === null || 'refused' in target ? null : fullRef(target);
}
