import { projectSettings } from '../../core/projects/settings.ts';
import { keepPipelineRef } from '../../git/pipeline-refs.ts';
import { UniqueViolation } from '../../platform/db/errors.ts';
import type { JobPlan, PipelinePlan } from '../config/plan.ts';
import { createPipeline, type MoreOfPipeline } from '../pipelines/pipelines.ts';
import { findPipeline } from '../pipelines/store.ts';
import { processPipeline } from '../processing/process-pipeline.ts';
import type { PipelineRow } from '../tables.ts';
import { insertPipelineVariables } from '../variables/pipeline-variables-store.ts';
import { pipelineVariables } from '../variables/predefined.ts';
import { type Draft, draftOf, planOf } from './draft.ts';
import { type FoundConfig, findConfig } from './find-config.ts';
import { type NewJob, newJob } from './job-rows.ts';
import { type CreationDeps, isRefused, type PipelineRequest, type Refusal } from './request.ts';
import { findPipelineOfEvent, insertJobs } from './store.ts';

/**
 * Begins a pipeline: reads the configuration at the commit, plans, and writes the pipeline with its jobs in one transaction,
 * in which those that may begin do. Whether the actor may run it at this ref is the caller's to ask (`refusalOfRef`).
 */
export async function createPipelineFor(
  deps: CreationDeps,
  request: PipelineRequest,
): Promise<PipelineRow | Refusal> {
  const { project, eventId } = request;
  if (projectSettings(project).builds_access_level === 'disabled' || project.archived === 1) return DISABLED;
  if (eventId != null && (await findPipelineOfEvent(deps.core.db, eventId))) return DONE_ALREADY;
  const config = request.config ?? (await findConfig(deps, request));
  const draft = await draftOf(deps, request);
  if (request.skip && !isMissing(config)) return write(deps, draft, null, { status: 'skipped' });
  if ('refused' in config) return isMissing(config) ? config : broken(deps, draft, config);
  const plan = await planOf(deps, draft, config);
  if (!('refused' in plan)) return write(deps, draft, plan, {});
  return plan.refused === 'broken' ? broken(deps, draft, plan) : plan;
}

const isMissing = (config: FoundConfig | Refusal): config is Refusal =>
  'refused' in config && config.refused === 'no config';

const DISABLED: Refusal = { refused: 'disabled', messages: ['Pipelines are disabled!'] };
const DONE_ALREADY: Refusal = {
  refused: 'done already',
  messages: ['The pipeline has been created already'],
};

/** What is broken stays to be seen where nobody waits for an answer. */
async function broken(deps: CreationDeps, draft: Draft, refusal: Refusal): Promise<Refusal> {
  if (!draft.request.keepBroken) return refusal;
  const errors = refusal.messages.join(', ');
  const written = await write(deps, draft, null, { status: 'failed', yaml_errors: errors });
  return isRefused(written) ? written : { ...refusal, pipeline: written };
}

async function write(
  { core }: CreationDeps,
  draft: Draft,
  plan: PipelinePlan | null,
  more: MoreOfPipeline,
): Promise<PipelineRow | Refusal> {
  const { request } = draft;
  const { project } = request;
  try {
    const id = await core.database.transaction(
      async (tx) => {
        const pipeline = await createPipeline(tx, core, rowOf(draft, plan, more));
        await insertPipelineVariables(tx, pipeline.id, request.variables ?? []);
        await request.within?.(tx, pipeline);
        if (plan) await insertJobs(tx, plan.jobs, jobMaker(draft, pipeline));
        if (plan) await processPipeline(tx, core, pipeline.id);
        return pipeline.id;
      },
      // the counter of the project, and then the rows of pipelines, settle every race
      { isolation: 'read committed' },
    );
    if (plan) await keepCommit(core, project, { id, sha: request.sha });
    return (await findPipeline(core.db, project.id, id)) ?? DISABLED;
  } catch (error) {
    if (error instanceof UniqueViolation && request.eventId != null) return DONE_ALREADY;
    throw error;
  }
}

function rowOf({ request, facts }: Draft, plan: PipelinePlan | null, more: MoreOfPipeline) {
  return {
    projectId: request.project.id,
    sha: request.sha,
    beforeSha: facts.beforeSha,
    ref: request.ref,
    tag: request.tag,
    source: request.source,
    userId: request.actor.user.id,
    more: {
      name: plan?.name ?? null,
      stages: JSON.stringify(plan?.stages ?? []),
      auto_cancel: plan?.autoCancel ?? 'conservative',
      protected: facts.isProtected ? 1 : 0,
      merge_request_id: request.mergeRequestId ?? null,
      trigger_id: request.triggerId ?? null,
      schedule_id: request.scheduleId ?? null,
      event_id: request.eventId ?? null,
      ...more,
    },
  };
}

function jobMaker({ request, facts, set }: Draft, pipeline: PipelineRow): (plan: JobPlan) => NewJob {
  const predefined = pipelineVariables({ ...facts, row: pipeline });
  const timeout = projectSettings(request.project).build_timeout;
  const place = { pipeline, variables: { predefined, set }, timeout, now: pipeline.created_at };
  return (plan) => newJob(plan, place);
}

/** Also done when a job is handed out: what fails here is tried again then. */
async function keepCommit(
  { repositoryOf, log }: CreationDeps['core'],
  project: PipelineRequest['project'],
  pipeline: { id: number; sha: string },
): Promise<void> {
  try {
    await keepPipelineRef(repositoryOf(project), pipeline);
  } catch (error) {
    log.warn({ err: error, pipeline: pipeline.id }, 'the ref of a pipeline could not be written');
  }
}
