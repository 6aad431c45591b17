import { asItsUser, type Caller } from '../../core/caller.ts';
import type { Core, CoreApi } from '../../core/core.ts';
import { findProject, type ProjectWithNamespace } from '../../core/projects/find.ts';
import { notAllowedText, reachesAsUser } from '../../core/tokens/job-scope/scope.ts';
import { ApiError, fail } from '../../platform/errors.ts';
import { SECRET_PARAMS } from '../../platform/http/credentials.ts';
import { optional, param, params } from '../../platform/http/params.ts';
import type { RawParams } from '../../platform/http/rack.ts';
import type { ConfigVariable } from '../config/plan.ts';
import { actorOf } from '../creation/act-as.ts';
import { type Asked, beginAt, checkedVariables, demandPipeline } from '../creation/begin.ts';
import { givenInputs, INPUTS } from '../creation/inputs.ts';
import type { CreationDeps } from '../creation/request.ts';
import { insertPipelineSource } from '../creation/store.ts';
import { Pipeline } from '../entities.ts';
import { present } from '../pipelines/present.ts';
import { findJobById } from '../processing/store.ts';
import { findTriggerByToken, updateTrigger } from './store.ts';

const fired = {
  id: param.string({ description: 'Number or URL-encoded path of the project.' }),
  ref: param.string(),
  token: param.string({ description: 'Of a trigger, or of a running job.' }),
  variables: optional(param.anyHash({ description: 'Texts by name.' })),
  inputs: optional(param.anyHash({ description: INPUTS })),
};

/** Begins a pipeline for whoever has a token of the project, without further proof of who he is. */
export function fireRoutes(api: CoreApi, deps: CreationDeps): void {
  const { core } = deps;
  for (const path of ['/projects/:id/trigger/pipeline', '/projects/:id/ref/:ref/trigger/pipeline']) {
    api.open('triggers').post(path, {
      summary: 'Begin a pipeline by a trigger token',
      params: params(fired),
      responses: { 201: Pipeline },
      handler: async ({ params: { id, ref, token, variables, inputs }, raw, baseUrl }) => {
        const found = await findProject(core.db, id);
        if (!found || found.moved) throw fail.notFound();
        const { project } = found;
        const given = {
          variables: [...checkedMap(variables), payloadOf(raw)],
          inputs: givenInputs(inputs),
        };
        const asked = (await byTrigger(deps, project, token)) ?? (await byJob(deps, project, token));
        if (!asked) throw fail.notFound();
        const begun = await beginAt(deps, { ...asked, ref, ...given, keepBroken: true });
        return present(core, { project, baseUrl, pipeline: demandPipeline(begun) });
      },
    });
  }
}

type Origin = Omit<Asked, 'ref'>;

async function byTrigger(
  { core }: CreationDeps,
  project: ProjectWithNamespace,
  token: string,
): Promise<Origin | null> {
  const { db, database, clock } = core;
  const trigger = await findTriggerByToken(db, project.id, token);
  if (!trigger) return null;
  const actor = await actorOf(core, trigger.owner_id);
  if (!actor) throw fail.notFound();
  await database.transaction((tx) => updateTrigger(tx, trigger.id, { last_used_at: clock.now() }));
  return { project, actor, source: 'trigger', triggerId: trigger.id };
}

/** A running job begins a pipeline of another project, or of its own: that one is then downstream of it. */
async function byJob(
  { core }: CreationDeps,
  project: ProjectWithNamespace,
  token: string,
): Promise<Origin | null> {
  const caller = await identify(core, token);
  const job = caller?.job && (await findJobById(core.db, caller.job.id));
  if (!caller || !job || caller.user.state !== 'active') return null;
  if (!(await reachesAsUser(core.db, project, job.project_id))) {
    throw fail.forbidden(await notAllowedText(core.db, project, job.project_id));
  }
  return {
    project,
    actor: asItsUser(caller),
    source: 'pipeline',
    within: (tx, pipeline) =>
      insertPipelineSource(tx, {
        pipeline_id: pipeline.id,
        source_project_id: job.project_id,
        source_pipeline_id: job.pipeline_id,
        source_job_id: job.id,
      }),
  };
}

/** null for a token that is nobody's: here it is as wrong as that of another project. */
async function identify({ authenticator }: Core, jobToken: string): Promise<Caller | null> {
  try {
    return await authenticator.identify({ token: null, jobToken, sudo: null });
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return null;
    throw error;
  }
}

function checkedMap(variables: Record<string, unknown> | null | undefined): ConfigVariable[] {
  const entries = Object.entries(variables ?? {});
  const texts = entries.flatMap(([key, value]) => (typeof value === 'string' ? [{ key, value }] : []));
  const odd = texts.some(({ key, value }) => `${key}${value}`.includes('\0'));
  if (texts.length < entries.length || odd) {
    throw fail.refused('variables needs to be a map of key-valued strings');
  }
  return checkedVariables(texts);
}

const MAX_PAYLOAD = 100_000;

/** What was sent, for the jobs to look into: web hooks of other systems come with bodies of their own. */
function payloadOf(raw: RawParams): ConfigVariable {
  const sent = Object.entries(raw).filter(([name]) => !SECRET_PARAMS.has(name) && name !== 'id');
  const value = JSON.stringify(Object.fromEntries(sent)).slice(0, MAX_PAYLOAD);
  return { key: 'TRIGGER_PAYLOAD', value, raw: true, type: 'file' };
}
