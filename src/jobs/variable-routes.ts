import type { Core, CoreApi } from '../core/core.ts';
import { pageAnswer, pageOf, pageParams } from '../platform/http/pagination.ts';
import { params } from '../platform/http/params.ts';
import { Type } from '../platform/http/schema.ts';

/** Nothing runs jobs here, so nobody can set a variable for them and the list is empty: clients read it before they tidy up. */
export function variableRoutes(api: CoreApi, core: Core): void {
  api.room('variables').get('/admin/ci/variables', {
    summary: 'Variables for the jobs of all projects: none',
    params: params(pageParams),
    responses: { 200: Type.Array(Type.Object({})) },
    guard: core.guards.admin,
    handler: async (call) => pageAnswer(call, pageOf(call.params), [], { total: 0 }),
  });
}
