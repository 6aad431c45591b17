import { protectedBranches, protectedTags } from '../../core/repository/protection-store.ts';
import { isProtectedBranch, isProtectedTag } from '../../core/repository/ref-rules.ts';
import { existsIn } from '../config/exists.ts';
import type { PipelinePlan, PlanContext } from '../config/plan.ts';
import { isRefusal, planPipeline } from '../config/plan-pipeline.ts';
import { readConfig } from '../config/read-config.ts';
import type { ConfigPlace } from '../config/source.ts';
import { byKey, expandedValues } from '../variables/expand.ts';
import { readFacts } from '../variables/facts.ts';
import { type PipelineFacts, pipelineVariables } from '../variables/predefined.ts';
import { settingVariables } from '../variables/settings.ts';
import { configuredVariable, type JobVariable } from '../variables/variable.ts';
import { changedPathsOf } from './changes.ts';
import type { FoundConfig } from './find-config.ts';
import type { CreationDeps, PipelineRequest, Refusal } from './request.ts';

/** A request with all that is looked up for it. */
export interface Draft {
  request: PipelineRequest;
  facts: PipelineFacts;
  /** Of the settings of its place, and then those it is begun with. */
  set: JobVariable[];
}

/** No plan of people has so many; what is made by a machine is cut off before it fills the disk. */
const MAX_JOBS = 10_000;

/** Looks up what the rules and the jobs of the pipeline will be told. */
export async function draftOf({ core, ports }: CreationDeps, request: PipelineRequest): Promise<Draft> {
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
  const variables = [...pipelineVariables(facts), ...set];
  const base = facts.mergeRequest ? facts.mergeRequest.facts.baseSha : facts.beforeSha;
  return {
    source: request.source,
    ref: facts.mergeRequest?.facts.sourceBranch ?? request.ref,
    tag: request.tag,
    mergeRequest: facts.mergeRequest !== null,
    variables: expandedValues(variables),
    written: byKey(variables),
    changedPaths: changedPathsOf(core.repositoryOf(request.project), { sha: request.sha, base }),
    exists: existsIn(place),
  };
}

/** Reads the configuration and decides which jobs there are. */
export async function planOf(
  deps: CreationDeps,
  draft: Draft,
  { content, place }: FoundConfig,
): Promise<PipelinePlan | Refusal> {
  const context = contextOf(deps, draft, place);
  const { config, errors } = await readConfig(
    { content, place, context, inputs: draft.request.inputs },
    deps.yaml,
  );
  if (config === null) return { refused: 'broken', messages: errors };
  const plan = await planPipeline(config, context);
  if (isRefusal(plan)) return { refused: plan.refused, messages: [plan.message] };
  if (plan.jobs.length <= MAX_JOBS) return plan;
  const said = `Pipeline has too many jobs! Requested ${plan.jobs.length}, but the limit is ${MAX_JOBS}.`;
  return { refused: 'broken', messages: [said] };
}
