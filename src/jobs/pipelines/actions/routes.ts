import type { Core, CoreApi } from '../../../core/core.ts';
import type { InProject } from '../../../core/guards.ts';
import { ApiError, fail } from '../../../platform/errors.ts';
import { Answer } from '../../../platform/http/answer.ts';
import { param, params } from '../../../platform/http/params.ts';
import { Type } from '../../../platform/http/schema.ts';
import { Pipeline } from '../../entities.ts';
import { demandJobRight } from '../../jobs/rights.ts';
import type { PipelineRow } from '../../tables.ts';
import { pipelineVariableRows } from '../../variables/pipeline-variables-store.ts';
import { present } from '../present.ts';
import { findPipeline, updatePipeline } from '../store.ts';
import { cancelPipeline, retryPipeline } from './act.ts';

const one = { id: param.string(), pipeline_id: param.integer() };

const PipelineVariable = Type.Object(
  { variable_type: Type.String(), key: Type.String(), value: Type.String(), raw: Type.Boolean() },
  { $id: 'PipelineVariable' },
);

const MAX_NAME = 255;

/** What people do with a pipeline that is there. */
export function pipelineActionRoutes(api: CoreApi, core: Core): void {
  const routes = api.room('pipelines');
  const { db } = core;
  const demand = async ({ project }: InProject, id: number): Promise<PipelineRow> => {
    const pipeline = await findPipeline(db, project.id, id);
    if (!pipeline) throw fail.recordNotFound();
    return pipeline;
  };
  const show = async ({ project }: InProject, id: number, baseUrl: string) =>
    present(core, { project, baseUrl, pipeline: await demand({ project } as InProject, id) });

  routes.post('/projects/:id/pipelines/:pipeline_id/retry', {
    summary: 'Begin the failed and cancelled jobs of a pipeline again',
    params: params(one),
    responses: { 201: Pipeline },
    guard: core.guards.project('read_pipeline', 'update_build'),
    handler: async ({ guarded, params: { pipeline_id: id }, caller, baseUrl }) => {
      await demandJobRight(core, guarded, await demand(guarded, id));
      await retryPipeline(core, id, caller.user.id);
      return show(guarded, id, baseUrl);
    },
  });

  routes.post('/projects/:id/pipelines/:pipeline_id/cancel', {
    summary: 'Cancel what is left of a pipeline, and its child pipelines',
    params: params(one),
    responses: { 200: Pipeline },
    guard: core.guards.project('read_pipeline', 'update_build'),
    handler: async ({ guarded, params: { pipeline_id: id }, baseUrl }) => {
      await demandJobRight(core, guarded, await demand(guarded, id));
      await cancelPipeline(core, id);
      return new Answer(200, await show(guarded, id, baseUrl));
    },
  });

  routes.put('/projects/:id/pipelines/:pipeline_id/metadata', {
    summary: 'Name a pipeline',
    params: params({ ...one, name: param.string() }),
    responses: { 200: Pipeline },
    jobToken: true,
    guard: core.guards.project('read_pipeline', 'update_build'),
    handler: async ({ guarded, params: { pipeline_id: id, name }, baseUrl }) => {
      await demand(guarded, id);
      if (name.length > MAX_NAME) {
        const reason = `Name is too long (maximum is ${MAX_NAME} characters)`;
        throw fail.refused(`Failed to update pipeline - ${reason}`);
      }
      await core.database.transaction((tx) => updatePipeline(tx, id, { name }));
      return show(guarded, id, baseUrl);
    },
  });

  routes.get('/projects/:id/pipelines/:pipeline_id/variables', {
    summary: 'List what a pipeline was begun with',
    description: 'For maintainers, and for whoever began it.',
    params: params(one),
    responses: { 200: Type.Array(PipelineVariable) },
    guard: core.guards.project('read_pipeline'),
    handler: async ({ guarded, params: { pipeline_id: id }, caller }) => {
      const pipeline = await demand(guarded, id);
      const own = pipeline.user_id === caller.user.id && guarded.access.can('update_build');
      if (!own && !guarded.access.can('admin_build')) throw new ApiError('forbidden');
      const rows = await pipelineVariableRows(db, id);
      return rows.map(({ key, value, variable_type, raw }) => ({
        variable_type,
        key,
        value,
        raw: raw === 1,
      }));
    },
  });
}
