import type { Core, CoreApi } from '../../core/core.ts';
import { fail } from '../../platform/errors.ts';
import { pageAnswer, pageOf, pageParams } from '../../platform/http/pagination.ts';
import { param, params } from '../../platform/http/params.ts';
import { Type } from '../../platform/http/schema.ts';
import { scopeOf, scopeParam, scopeProblems } from '../jobs/scope.ts';
import { findPipeline } from '../pipelines/store.ts';
import { Bridge, presentBridges } from './entity.ts';
import { countBridges, listBridges } from './store.ts';

/** Jobs that begin other pipelines. */
export function bridgeRoutes(api: CoreApi, core: Core): void {
  const routes = api.room('pipelines');
  const { db } = core;
  for (const name of ['bridges', 'trigger_jobs']) {
    routes.get(`/projects/:id/pipelines/:pipeline_id/${name}`, {
      summary: 'List the jobs of a pipeline that begin other pipelines',
      params: params({ id: param.string(), pipeline_id: param.integer(), scope: scopeParam, ...pageParams }),
      responses: { 200: Type.Array(Bridge) },
      jobToken: true,
      guard: core.guards.project('read_pipeline', 'read_build'),
      check: (raw) => scopeProblems(raw, { hash: false }),
      handler: async (call) => {
        const { project } = call.guarded;
        const { pipeline_id: pipelineId, scope } = call.params;
        if (!(await findPipeline(db, project.id, pipelineId))) throw fail.recordNotFound();
        const filter = { pipelineId, statuses: scopeOf(scope) };
        const page = pageOf(call.params);
        const rows = await listBridges(db, filter, { limit: page.perPage, offset: page.offset });
        const place = { project, baseUrl: call.baseUrl, caller: call.caller };
        const body = await presentBridges(core, place, rows);
        return pageAnswer(call, page, body, { total: await countBridges(db, filter) });
      },
    });
  }
}
