import type { Core, CoreApi } from '../../core/core.ts';
import { findProjectById } from '../../core/projects/store.ts';
import { fail } from '../../platform/errors.ts';
import { Answer } from '../../platform/http/answer.ts';
import { optional, param, params } from '../../platform/http/params.ts';
import { Pipeline } from '../entities.ts';
import { present } from '../pipelines/present.ts';
import type { PipelineRow } from '../tables.ts';
import { beginAt, checkedVariables, demandPipeline } from './begin.ts';
import { givenInputs, INPUTS } from './inputs.ts';
import { beginForMergeRequest } from './on-merge-request.ts';
import type { CreationDeps } from './request.ts';

/** A variable that is given along. */
export const givenVariable = params({
  key: param.string(),
  value: optional(param.string()),
  variable_type: optional(param.oneOf(['env_var', 'file'])),
  raw: optional(param.boolean({ description: '`$OTHER` in the value stays as it is.' })),
});

/** Pipelines that somebody asks for. */
export function creationRoutes(api: CoreApi, deps: CreationDeps): void {
  const { core } = deps;
  const routes = api.room('pipelines');

  routes.post('/projects/:id/pipeline', {
    summary: 'Begin a pipeline at a branch or tag',
    params: params({
      id: param.string({ description: 'Number or URL-encoded path of the project.' }),
      ref: param.string(),
      variables: optional(param.list(givenVariable)),
      inputs: optional(param.anyHash({ description: INPUTS })),
    }),
    responses: { 201: Pipeline },
    guard: core.guards.project('read_pipeline', 'update_build'),
    handler: async ({ guarded: { project }, caller, params: { ref, variables, inputs }, baseUrl }) => {
      const given = { variables: checkedVariables(variables), inputs: givenInputs(inputs) };
      const begun = await beginAt(deps, { project, ref, source: 'api', actor: caller, ...given });
      return present(core, { project, baseUrl, pipeline: demandPipeline(begun) });
    },
  });

  routes.post('/projects/:id/merge_requests/:merge_request_iid/pipelines', {
    summary: 'Begin a pipeline for a merge request',
    description: 'With `async` the answer does not tell which.',
    params: params({
      id: param.string(),
      merge_request_iid: param.integer(),
      async: optional(param.boolean()),
    }),
    responses: { 200: Pipeline, 202: null },
    guard: core.guards.project('read_merge_request', 'update_build'),
    handler: async ({ guarded: { project }, caller, params: asked, baseUrl }) => {
      const facts = await deps.ports.mergeRequests.findByIid(project.id, asked.merge_request_iid);
      if (!facts) throw fail.recordNotFound();
      const begun = await beginForMergeRequest(deps, facts, { actor: caller });
      if (asked.async) return new Answer(202, undefined);
      const pipeline = demandPipeline(begun);
      const place = await placeOf(core, pipeline);
      return new Answer(200, await present(core, { project: place, baseUrl, pipeline }));
    },
  });
}

/** It may run in the fork. */
async function placeOf({ db }: Core, pipeline: PipelineRow) {
  const project = await findProjectById(db, pipeline.project_id);
  if (!project) throw fail.recordNotFound();
  return project;
}
