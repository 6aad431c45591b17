import type { CoreApi } from '../../core/core.ts';
import { UniqueViolation } from '../../platform/db/errors.ts';
import { fail } from '../../platform/errors.ts';
import { Answer } from '../../platform/http/answer.ts';
import { optional, param, params } from '../../platform/http/params.ts';
import { Type } from '../../platform/http/schema.ts';
import { type CreationDeps, isRefused } from '../creation/request.ts';
import { refusalOfRef } from '../creation/rights.ts';
import { keyProblems } from '../variables/change.ts';
import { presentScheduleVariable, ScheduleDetail, ScheduleVariable } from './entity.ts';
import { demandSchedule, mayChange } from './rights.ts';
import { detailOf } from './routes.ts';
import { playSchedule } from './run.ts';
import {
  deleteScheduleVariable,
  insertScheduleVariable,
  scheduleVariables,
  updateSchedule,
  updateScheduleVariable,
} from './store.ts';

const one = { id: param.string(), pipeline_schedule_id: param.integer() };
const value = { value: optional(param.string()), variable_type: optional(param.oneOf(['env_var', 'file'])) };
const PATH = '/projects/:id/pipeline_schedules/:pipeline_schedule_id';

/** What is done with a schedule beside changing it, and the variables of its pipelines. */
export function scheduleActionRoutes(api: CoreApi, deps: CreationDeps): void {
  const { core } = deps;
  const { db, database, clock } = core;
  const routes = api.room('pipeline schedules');
  const write = core.guards.project('read_pipeline', 'update_build');

  routes.post(`${PATH}/take_ownership`, {
    summary: 'Let the pipelines of a schedule run for oneself',
    params: params(one),
    responses: { 201: ScheduleDetail },
    guard: core.guards.project('read_pipeline', 'admin_build'),
    handler: async ({ guarded, params: asked, caller }) => {
      const row = await demandSchedule(db, guarded, asked);
      const changes = { owner_id: caller.user.id, updated_at: clock.now() };
      const taken = await database.transaction((tx) => updateSchedule(tx, row.id, changes));
      if (!taken) throw fail.notFound('PipelineSchedule');
      return detailOf(core, taken, guarded, caller);
    },
  });

  routes.post(`${PATH}/play`, {
    summary: 'Begin the pipeline of a schedule now',
    params: params(one),
    responses: { 201: Type.Object({ message: Type.String() }, { $id: 'Created' }) },
    guard: write,
    handler: async ({ guarded, params: asked, caller }) => {
      const row = await demandSchedule(db, guarded, asked);
      const { project } = guarded;
      const tag = row.ref.startsWith('refs/tags/');
      const ref = row.ref.replace(/^refs\/(?:heads|tags)\//, '');
      if ((await refusalOfRef(core, { project, ref, tag }, caller)) !== null) throw fail.forbidden();
      // GitLab begins it later and answers before it knows
      const result = await playSchedule(deps, row);
      if (isRefused(result)) core.log.info({ schedule: row.id, reason: result.messages }, 'refused');
      return { message: '201 Created' };
    },
  });

  routes.post(`${PATH}/variables`, {
    summary: 'Give the pipelines of a schedule a variable',
    params: params({ ...one, key: param.string(), ...value, value: param.string() }),
    responses: { 201: ScheduleVariable },
    guard: write,
    handler: async ({ guarded, params: { key, value: text, variable_type: type, ...asked }, caller }) => {
      const row = await demandSchedule(db, guarded, asked);
      if (!mayChange(row, guarded, caller)) throw fail.forbidden();
      const problems = keyProblems(key);
      if (problems.length > 0) throw fail.invalid({ key: problems });
      const values = { schedule_id: row.id, key, value: text, ...(type != null && { variable_type: type }) };
      try {
        return presentScheduleVariable(
          await database.transaction((tx) => insertScheduleVariable(tx, values)),
        );
      } catch (error) {
        if (error instanceof UniqueViolation) throw fail.invalid({ key: ['has already been taken'] });
        throw error;
      }
    },
  });

  routes.get(`${PATH}/variables/:key`, {
    summary: 'Read a variable of the pipelines of a schedule',
    params: params({ ...one, key: param.string() }),
    responses: { 200: ScheduleVariable },
    guard: core.guards.project('read_pipeline'),
    handler: async ({ guarded, params: { key, ...asked }, caller }) => {
      const row = await demandSchedule(db, guarded, asked);
      if (!mayChange(row, guarded, caller)) throw fail.forbidden();
      const variable = (await scheduleVariables(db, row.id)).find((kept) => kept.key === key);
      if (!variable) throw fail.notFound('PipelineScheduleVariable');
      return presentScheduleVariable(variable);
    },
  });

  routes.put(`${PATH}/variables/:key`, {
    summary: 'Change a variable of the pipelines of a schedule',
    params: params({ ...one, key: param.string(), ...value }),
    responses: { 200: ScheduleVariable },
    guard: write,
    handler: async ({ guarded, params: { key, value: text, variable_type: type, ...asked }, caller }) => {
      const row = await demandSchedule(db, guarded, asked);
      if (!mayChange(row, guarded, caller)) throw fail.forbidden();
      const changes = {
        key,
        ...(text != null && { value: text }),
        ...(type != null && { variable_type: type }),
      };
      const updated = await database.transaction((tx) =>
        updateScheduleVariable(tx, { schedule_id: row.id, key }, changes),
      );
      if (!updated) throw fail.notFound('PipelineScheduleVariable');
      return presentScheduleVariable(updated);
    },
  });

  routes.delete(`${PATH}/variables/:key`, {
    summary: 'Take a variable from the pipelines of a schedule',
    params: params({ ...one, key: param.string() }),
    responses: { 202: ScheduleVariable },
    guard: write,
    handler: async ({ guarded, params: { key, ...asked }, caller }) => {
      const row = await demandSchedule(db, guarded, asked);
      if (!mayChange(row, guarded, caller)) throw fail.forbidden();
      const gone = await database.transaction((tx) =>
        deleteScheduleVariable(tx, { scheduleId: row.id, key }),
      );
      if (!gone) throw fail.notFound('PipelineScheduleVariable');
      return new Answer(202, presentScheduleVariable(gone));
    },
  });
}
