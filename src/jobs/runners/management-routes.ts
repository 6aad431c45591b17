import type { Caller } from '../../core/caller.ts';
import type { Core, CoreApi } from '../../core/core.ts';
import { fail } from '../../platform/errors.ts';
import { pageAnswer, pageOf } from '../../platform/http/pagination.ts';
import { param, params } from '../../platform/http/params.ts';
import { demandUnmodified } from '../../platform/http/precondition.ts';
import type { ApiRequest } from '../../platform/http/request.ts';
import { Type } from '../../platform/http/schema.ts';
import { resetRunnerToken } from './create.ts';
import { Runner, RunnerDetail, RunnerManager, RunnerToken } from './entities.ts';
import { exclusiveFields, runnerFieldParams } from './fields.ts';
import { runnerFilter, runnerFilterParams } from './filter-params.ts';
import { runnerJobsRoute } from './jobs-route.ts';
import { countRunners, listRunners, type RunnerFilter } from './list-store.ts';
import { listManagers } from './managers-store.ts';
import { presentManagers, presentRunnerDetail, presentRunners } from './present.ts';
import { removeRunner } from './remove.ts';
import { projectsMaintained, runnerGuard } from './rights.ts';
import { projectIdsOf } from './store.ts';
import type { RunnerRow } from './tables.ts';
import { changeRunner } from './update.ts';

const scopes = ['manage_runner'] as const;
const id = param.integer({ description: 'Id of the runner.' });

/** Looking after runners: lists of them, and one by its id. */
export function runnerManagementRoutes(api: CoreApi, core: Core): void {
  listRoutes(api, core);
  oneRoutes(api, core);
  runnerJobsRoute(api, core);
}

function listRoutes(api: CoreApi, core: Core): void {
  const room = api.room('runners');
  const list = params(runnerFilterParams);

  room.get('/runners', {
    summary: 'Runners that one looks after',
    params: list,
    responses: { 200: Type.Array(Runner) },
    scopes,
    handler: (call) => {
      const scope = { managedBy: { ...core.access.viewer(call.caller), admin: false } };
      return answerList(core, call, runnerFilter(scope, call.params, core.clock.now()));
    },
  });

  room.get('/runners/all', {
    summary: 'All runners (administrators)',
    params: list,
    responses: { 200: Type.Array(Runner) },
    scopes,
    guard: core.guards.admin,
    handler: (call) => answerList(core, call, runnerFilter({ all: true }, call.params, core.clock.now())),
  });
}

type ListCall = Pick<
  ApiRequest<Caller, { page?: number | null; per_page?: number | null }, unknown>,
  'params' | 'baseUrl' | 'path' | 'linkParams'
>;

/** A page of runners. */
export async function answerList(core: Core, call: ListCall, filter: RunnerFilter) {
  const page = pageOf(call.params);
  const [rows, total] = await Promise.all([
    listRunners(core.db, filter, { limit: page.perPage, offset: page.offset }),
    countRunners(core.db, filter),
  ]);
  return pageAnswer(call, page, await presentRunners(core, rows), { total });
}

function oneRoutes(api: CoreApi, core: Core): void {
  const room = api.room('runners');

  room.get('/runners/:id', {
    summary: 'One runner',
    params: params({ id }),
    responses: { 200: RunnerDetail },
    scopes,
    guard: runnerGuard(core, 'read'),
    handler: ({ caller, guarded: runner }) => detail(core, caller, runner),
  });

  room.put('/runners/:id', {
    summary: 'Change a runner',
    params: params(
      { id, ...runnerFieldParams },
      { mutuallyExclusive: exclusiveFields, atLeastOneOf: [Object.keys(runnerFieldParams)] },
    ),
    responses: { 200: RunnerDetail },
    scopes,
    guard: runnerGuard(core, 'manage'),
    handler: async ({ caller, params: asked, guarded: runner }) =>
      detail(core, caller, await changeRunner(core, runner, asked)),
  });

  room.delete('/runners/:id', {
    summary: 'Delete a runner',
    params: params({ id }),
    responses: { 204: null },
    scopes,
    guard: runnerGuard(core, 'manage'),
    handler: async ({ caller, guarded: runner, headers }) => {
      demandUnmodified(headers, runner.updated_at);
      const projects = await projectIdsOf(core.db, runner.id);
      if (!caller.admin && projects.length > 1) {
        throw fail.forbidden('Runner associated with more than one project');
      }
      await removeRunner(core, runner.id);
    },
  });

  room.get('/runners/:id/managers', {
    summary: 'The machines that use a runner',
    params: params({ id }),
    responses: { 200: Type.Array(RunnerManager) },
    scopes,
    guard: runnerGuard(core, 'read'),
    handler: async ({ guarded: runner }) => presentManagers(core, await listManagers(core.db, runner.id)),
  });

  room.post('/runners/:id/reset_authentication_token', {
    summary: 'Another token for a runner; the old one is good no more',
    params: params({ id }),
    responses: { 201: RunnerToken },
    scopes,
    guard: runnerGuard(core, 'manage'),
    handler: async ({ guarded: runner }) => ({
      token: await resetRunnerToken(core, runner),
      token_expires_at: null,
    }),
  });
}

const detail = (core: Core, caller: Caller, runner: RunnerRow) =>
  presentRunnerDetail(core, runner, { projects: (ids) => projectsMaintained(core, caller, ids) });
