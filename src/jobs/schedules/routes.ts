import type { Caller } from '../../core/caller.ts';
import type { Core, CoreApi } from '../../core/core.ts';
import type { InProject } from '../../core/guards.ts';
import { findUser, findUsersByIds } from '../../core/users/store.ts';
import { fail } from '../../platform/errors.ts';
import { pageAnswer, pageOf, pageParams } from '../../platform/http/pagination.ts';
import { optional, param, params, withDefault } from '../../platform/http/params.ts';
import { demandUnmodified } from '../../platform/http/precondition.ts';
import { Type } from '../../platform/http/schema.ts';
import { PipelineBasic, presentPipelineBasic } from '../entities.ts';
import { changeSchedule, createSchedule } from './change.ts';
import { presentSchedule, presentScheduleDetail, Schedule, ScheduleDetail } from './entity.ts';
import { demandSchedule, mayChange } from './rights.ts';
import {
  countPipelinesOfSchedule,
  countSchedules,
  deleteSchedule,
  listSchedules,
  pipelinesOfSchedule,
  scheduleVariables,
} from './store.ts';
import type { ScheduleRow } from './tables.ts';

const id = param.string({ description: 'Number or URL-encoded path of the project.' });
const one = { id, pipeline_schedule_id: param.integer() };
const timing = {
  cron_timezone: optional(
    param.string({
      description: 'Of the IANA database or of Rails (`Pacific Time (US & Canada)`); UTC by default.',
    }),
  ),
  active: optional(param.boolean()),
};

/** Pipelines that begin by the clock: who has which, and what they are. */
export function scheduleRoutes(api: CoreApi, core: Core): void {
  const routes = api.room('pipeline schedules');
  const { db } = core;
  const read = core.guards.project('read_pipeline');
  const write = core.guards.project('read_pipeline', 'update_build');
  const show = (row: ScheduleRow, guarded: InProject, caller: Caller) => detailOf(core, row, guarded, caller);

  routes.get('/projects/:id/pipeline_schedules', {
    summary: 'List the pipeline schedules of a project',
    params: params({ id, scope: optional(param.oneOf(['active', 'inactive'])), ...pageParams }),
    responses: { 200: Type.Array(Schedule) },
    guard: read,
    handler: async (call) => {
      const { scope } = call.params;
      const active = scope == null ? null : scope === 'active';
      const filter = { projectId: call.guarded.project.id, active };
      const page = pageOf(call.params);
      const rows = await listSchedules(db, filter, { limit: page.perPage, offset: page.offset });
      const owners = await findUsersByIds(
        db,
        rows.flatMap(({ owner_id }) => owner_id ?? []),
      );
      const { baseUrl } = call;
      const body = rows.map((row) => presentSchedule(row, { owner: owners.get(row.owner_id ?? 0), baseUrl }));
      return pageAnswer(call, page, body, { total: await countSchedules(db, filter) });
    },
  });

  routes.get('/projects/:id/pipeline_schedules/:pipeline_schedule_id', {
    summary: 'Read a pipeline schedule',
    params: params(one),
    responses: { 200: ScheduleDetail },
    guard: read,
    handler: async ({ guarded, params: asked, caller }) =>
      show(await demandSchedule(db, guarded, asked), guarded, caller),
  });

  routes.get('/projects/:id/pipeline_schedules/:pipeline_schedule_id/pipelines', {
    summary: 'List the pipelines that a schedule has begun',
    params: params({ ...one, sort: withDefault(param.oneOf(['asc', 'desc']), 'asc'), ...pageParams }),
    responses: { 200: Type.Array(PipelineBasic) },
    guard: read,
    handler: async (call) => {
      const { project } = call.guarded;
      const schedule = await demandSchedule(db, call.guarded, call.params);
      const page = pageOf(call.params);
      const slice = { limit: page.perPage, offset: page.offset, direction: call.params.sort };
      const rows = await pipelinesOfSchedule(db, schedule.id, slice);
      const body = rows.map((row) => presentPipelineBasic(row, { project, baseUrl: call.baseUrl }));
      return pageAnswer(call, page, body, { total: await countPipelinesOfSchedule(db, schedule.id) });
    },
  });

  routes.post('/projects/:id/pipeline_schedules', {
    summary: 'Schedule pipelines',
    params: params({ id, description: param.string(), ref: param.string(), cron: param.string(), ...timing }),
    responses: { 201: ScheduleDetail },
    guard: write,
    handler: async ({ guarded, params: input, caller }) =>
      show(await createSchedule(core, guarded.project, caller.user.id, input), guarded, caller),
  });

  routes.put('/projects/:id/pipeline_schedules/:pipeline_schedule_id', {
    summary: 'Change a pipeline schedule',
    params: params({
      ...one,
      description: optional(param.string()),
      ref: optional(param.string()),
      cron: optional(param.string()),
      ...timing,
    }),
    responses: { 200: ScheduleDetail },
    guard: write,
    handler: async ({ guarded, params: { pipeline_schedule_id, id: _project, ...input }, caller }) => {
      const row = await demandSchedule(db, guarded, { pipeline_schedule_id });
      if (!mayChange(row, guarded, caller)) throw fail.forbidden();
      return show(await changeSchedule(core, guarded.project, row, input), guarded, caller);
    },
  });

  routes.delete('/projects/:id/pipeline_schedules/:pipeline_schedule_id', {
    summary: 'Delete a pipeline schedule',
    params: params(one),
    responses: { 204: null },
    guard: write,
    handler: async ({ guarded, params: asked, caller, headers }) => {
      const row = await demandSchedule(db, guarded, asked);
      if (!mayChange(row, guarded, caller)) throw fail.forbidden();
      demandUnmodified(headers, row.updated_at);
      await core.database.transaction((tx) => deleteSchedule(tx, row.id));
    },
  });
}

/** A schedule with all that belongs to it; its variables only for those who may change it. */
export async function detailOf(core: Core, row: ScheduleRow, guarded: InProject, caller: Caller) {
  const { db } = core;
  const slice = { limit: 1, offset: 0, direction: 'desc' as const };
  const [owner, [last], variables] = await Promise.all([
    row.owner_id === null ? undefined : findUser(db, row.owner_id),
    pipelinesOfSchedule(db, row.id, slice),
    mayChange(row, guarded, caller) ? scheduleVariables(db, row.id) : null,
  ]);
  const { project } = guarded;
  return presentScheduleDetail(row, { owner, project, baseUrl: core.baseUrl(), last, variables });
}
