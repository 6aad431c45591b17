import { projectSettings } from '../../core/projects/settings.ts';
import { protectedBranches, protectedTags } from '../../core/repository/protection-store.ts';
import { isProtectedBranch, isProtectedTag } from '../../core/repository/ref-rules.ts';
import { keepPipelineRef } from '../../git/pipeline-refs.ts';
import { UniqueViolation } from '../../platform/db/errors.ts';
import { existsIn } from '../config/exists.ts';
import type { PipelinePlan, PlanContext } from '../config/plan.ts';
import { isRefusal, planPipeline } from '../config/plan-pipeline.ts';
import { readConfig } from '../config/read-config.ts';
import type { ConfigPlace } from '../config/source.ts';
import { findPipeline } from '../pipeline-store.ts';
import { createPipeline, type MoreOfPipeline } from '../pipelines.ts';
import { processPipeline } from '../processing/process-pipeline.ts';
import type { PipelineRow } from '../tables.ts';
import { expandedValues } from '../variables/expand.ts';
import { readFacts } from '../variables/facts.ts';
import { insertPipelineVariables } from '../variables/pipeline-variables-store.ts';
import { type PipelineFacts, pipelineVariables } from '../variables/predefined.ts';
import { settingVariables } from '../variables/settings.ts';
import { configuredVariable, type JobVariable } from '../variables/variable.ts';
import { changedPathsOf } from './changes.ts';
import { type FoundConfig, findConfig } from './find-config.ts';
import { newJob } from './job-rows.ts';
import { type CreationDeps, isRefused, type PipelineRequest, type Refusal } from './request.ts';
import { findPipelineOfEvent, insertJobs } from './store.ts';

/** A request with all that is looked up for it. */
interface Draft {
  request: PipelineRequest;
  facts: PipelineFacts;
  /** Of the settings of its place, and then those it is begun with. */
  set: JobVariable[];
}

/** No plan of people has so many; what is made by a machine is cut off before it fills the disk. */
const MAX_JOBS = 10_000;

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

async function draftOf({ core, ports }: CreationDeps, request: PipelineRequest): Promise<Draft> {
  const { project, actor } = request;
  const isProtected = await isProtectedRef(core, request);
  const facts = await readFacts(core, ports, {
    ...request,
    beforeSha: request.beforeSha ?? null,
    isProtected,
    createdAt: core.clock.now(),
    userId: actor.user.id,
    mergeRequestId: request.mergeRequestId ?? null,
    triggerId: request.triggerId ?? null,
    scheduleId: request.scheduleId ?? null,
    row: null,
  });
  const settings = await settingVariables(core.db, { project, isProtected });
  return { request, facts, set: [...settings, ...(request.variables ?? []).map(configuredVariable)] };
}

/** The pipelines of merge requests are never taken for those of a protected branch: anybody may open one. */
async function isProtectedRef(
  { db }: CreationDeps['core'],
  { project, ref, tag, mergeRequestId }: PipelineRequest,
): Promise<boolean> {
  if (mergeRequestId != null) return false;
  return tag
    ? isProtectedTag(await protectedTags(db, project.id), ref)
    : isProtectedBranch(await protectedBranches(db, project.id), ref);
}

/**
 * What the configuration of a pipeline that nobody begins may ask of it: for trying out. Without `settings` it knows no variables
 * of the project, its groups and the service, for those who may not run a pipeline that would tell them.
 */
export async function contextFor(
  deps: CreationDeps,
  request: PipelineRequest,
  { place, settings }: { place: ConfigPlace; settings: boolean },
): Promise<PlanContext> {
  const draft = await draftOf(deps, request);
  return contextOf(deps, settings ? draft : { ...draft, set: [] }, place);
}

function contextOf({ core }: CreationDeps, { request, facts, set }: Draft, place: ConfigPlace): PlanContext {
  const base = facts.mergeRequest ? facts.mergeRequest.facts.baseSha : facts.beforeSha;
  return {
    source: request.source,
    ref: facts.mergeRequest?.facts.sourceBranch ?? request.ref,
    tag: request.tag,
    mergeRequest: facts.mergeRequest !== null,
    variables: expandedValues([...pipelineVariables(facts), ...set]),
    changedPaths: changedPathsOf(core.repositoryOf(request.project), { sha: request.sha, base }),
    exists: existsIn(place),
  };
}

async function planOf(
  deps: CreationDeps,
  draft: Draft,
  { content, place }: FoundConfig,
): Promise<PipelinePlan | Refusal> {
  const context = contextOf(deps, draft, place);
  const { config, errors } = await readConfig({ content, place, context }, deps.yaml);
  if (config === null) return { refused: 'broken', messages: errors };
  const plan = await planPipeline(config, context);
  if (isRefusal(plan)) return { refused: plan.refused, messages: [plan.message] };
  if (plan.jobs.length <= MAX_JOBS) return plan;
  const said = `Pipeline has too many jobs! Requested ${plan.jobs.length}, but the limit is ${MAX_JOBS}.`;
  return { refused: 'broken', messages: [said] };
}

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
        if (plan) {
          const facts = { ...draft.facts, row: pipeline };
          const variables = { predefined: pipelineVariables(facts), set: draft.set };
          const timeout = projectSettings(project).build_timeout;
          const place = { pipeline, variables, timeout, now: pipeline.created_at };
          await insertJobs(
            tx,
            plan.jobs.map((job) => newJob(job, place)),
          );
          await processPipeline(tx, core, pipeline.id);
        }
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
