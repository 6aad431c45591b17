import type { Core } from '../../core/core.ts';
import type { ProjectWithNamespace } from '../../core/projects/find.ts';
import { findProjectById } from '../../core/projects/store.ts';
import { protectedBranches } from '../../core/repository/protection-store.ts';
import { isProtectedBranch } from '../../core/repository/ref-rules.ts';
import { findUser } from '../../core/users/store.ts';
import { readCommit, readTag } from '../../git/objects.ts';
import { resolveRef } from '../../git/refs.ts';
import type { JobPorts } from '../ports.ts';
import { findSchedule } from '../schedules/store.ts';
import type { PipelineSource } from '../states.ts';
import type { PipelineRow } from '../tables.ts';
import { findTrigger } from '../triggers/store.ts';
import { shortToken } from '../triggers/token.ts';
import type { MergeRequestSide } from './merge-request-variables.ts';
import type { PipelineFacts } from './predefined.ts';

type Deps = Pick<Core, 'db' | 'baseUrl' | 'repositoryOf'>;

/** A pipeline that is, or is to be. */
export interface FactsOf {
  project: ProjectWithNamespace;
  source: PipelineSource;
  ref: string;
  tag: boolean;
  sha: string;
  beforeSha: string | null;
  isProtected: boolean;
  createdAt: number;
  userId: number | null;
  mergeRequestId: number | null;
  triggerId: number | null;
  scheduleId: number | null;
  row: PipelineFacts['row'];
}

/** Reads what the predefined variables of a pipeline tell. */
export async function readFacts(deps: Deps, ports: JobPorts, of: FactsOf): Promise<PipelineFacts> {
  const { db } = deps;
  const { project, mergeRequestId, triggerId, scheduleId } = of;
  const repo = deps.repositoryOf(project);
  const side = mergeRequestId === null ? null : await readSide(deps, ports, mergeRequestId);
  const branch = side?.facts.sourceBranch ?? (of.tag ? null : of.ref);
  const [user, commit, tagMessage, openMergeRequests, trigger, schedule] = await Promise.all([
    of.userId === null ? null : findUser(db, of.userId),
    readCommit(repo, of.sha),
    of.tag ? readTagMessage(deps, project, of.ref) : null,
    branch === null ? [] : ports.mergeRequests.openFrom(side?.source?.id ?? project.id, branch),
    triggerId === null ? null : findTrigger(db, project.id, triggerId),
    scheduleId === null ? null : findSchedule(db, project.id, scheduleId),
  ]);
  return {
    ...of,
    baseUrl: deps.baseUrl(),
    user: user ?? null,
    commit,
    tagMessage,
    mergeRequest: side,
    openMergeRequests,
    triggerShortToken: trigger ? shortToken(trigger.token) : null,
    scheduleDescription: schedule?.description ?? null,
  };
}

/** The same of a pipeline that is written. */
export function readPipelineFacts(
  deps: Deps,
  ports: JobPorts,
  { pipeline, project }: { pipeline: PipelineRow; project: ProjectWithNamespace },
): Promise<PipelineFacts> {
  return readFacts(deps, ports, {
    project,
    source: pipeline.source as PipelineSource,
    ref: pipeline.ref,
    tag: pipeline.tag === 1,
    sha: pipeline.sha,
    beforeSha: pipeline.before_sha,
    isProtected: pipeline.protected === 1,
    createdAt: pipeline.created_at,
    userId: pipeline.user_id,
    mergeRequestId: pipeline.merge_request_id,
    triggerId: pipeline.trigger_id,
    scheduleId: pipeline.schedule_id,
    row: pipeline,
  });
}

async function readSide({ db }: Deps, ports: JobPorts, id: number): Promise<MergeRequestSide | null> {
  const facts = await ports.mergeRequests.find(id);
  const target = facts && (await findProjectById(db, facts.projectId));
  if (!facts || !target) return null;
  const source =
    facts.sourceProjectId === null ? null : ((await findProjectById(db, facts.sourceProjectId)) ?? null);
  const rules = await protectedBranches(db, target.id);
  return { facts, target, source, targetBranchProtected: isProtectedBranch(rules, facts.targetBranch) };
}

async function readTagMessage(
  { repositoryOf }: Deps,
  project: ProjectWithNamespace,
  name: string,
): Promise<string | null> {
  const repo = repositoryOf(project);
  const oid = await resolveRef(repo, `refs/tags/${name}`);
  const tag = oid === null ? null : await readTag(repo, oid);
  return tag?.message.trim() ?? null;
}
