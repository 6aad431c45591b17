import type { Core } from '../../../core/core.ts';
import type { ProjectWithNamespace } from '../../../core/projects/find.ts';
import { projectSettings } from '../../../core/projects/settings.ts';
import { findProjectById } from '../../../core/projects/store.ts';
import type { User } from '../../../core/tables.ts';
import { issueJobToken } from '../../../core/tokens/job-tokens.ts';
import { tokenHash } from '../../../core/tokens/secret.ts';
import { findUser } from '../../../core/users/store.ts';
import type { FairMutex } from '../../../platform/db/fair-mutex.ts';
import { ApiError } from '../../../platform/errors.ts';
import type { ConfigVariable } from '../../config/plan.ts';
import { readDefinition, type StoredDefinition } from '../../creation/stored-definition.ts';
import { beginLocked } from '../../pipelines/pipelines.ts';
import { lockPipeline } from '../../pipelines/store.ts';
import type { JobPorts } from '../../ports.ts';
import { finishJob } from '../../processing/finish-job.ts';
import { findJobById } from '../../processing/store.ts';
import { moveJob } from '../../processing/transitions.ts';
import type { JobRow, PipelineRow } from '../../tables.ts';
import { insertJobRun } from '../job-runs-store.ts';
import { type Dependency, localDependencies, MissingDependency } from '../payload/dependencies.ts';
import { findPipelineById } from '../payload/dependencies-store.ts';
import { isUnsupported } from '../payload/features.ts';
import { type JobPayload, jobPayload } from '../payload/payload.ts';
import type { RunnerManagerRow, RunnerRow } from '../tables.ts';
import { type Candidate, nextCandidate } from './candidates.ts';
import { jobToTake, noteTaker } from './queue-store.ts';

export type TakeDeps = Pick<
  Core,
  'database' | 'db' | 'access' | 'baseUrl' | 'repositoryOf' | 'clock' | 'events' | 'log'
> & {
  /** Where those who take a job through this process stand in line. */
  line: FairMutex;
};

/** Who asks for a job. */
export interface Taker {
  runner: RunnerRow;
  manager: RunnerManagerRow;
  /** What it says that it can do. */
  features: Record<string, unknown>;
}

/** GitLab's: so many jobs that turn out not to be for it does a runner look at, then it is to ask again. */
const MAX_LOOKED_AT = 45;

/**
 * Gives the runner the next job that is for it, which is `running` from then on; null when there is none. Jobs that no runner
 * could do are failed on the way. Throws 409 when it met too many of them.
 */
export async function takeJob(deps: TakeDeps, ports: JobPorts, taker: Taker): Promise<JobPayload | null> {
  for (let looked = 0; looked < MAX_LOOKED_AT; looked++) {
    const next = await takeNext(deps, taker);
    if (next === 'none') return null;
    const payload = next === 'again' ? null : await handOut(deps, ports, taker, next);
    if (payload !== null) return payload;
  }
  throw new ApiError('conflict', { text: '409 Conflict' });
}

interface Taken {
  candidate: Candidate;
  found: Found;
  claimed: Claimed;
}

/**
 * One after the other: eight who come at once see the same job first, and seven of them would have read all about it and waited at
 * its pipeline's row in vain (3.8 attempts a job, a third of all statements). `again`: the job was not to be had.
 */
async function takeNext(deps: TakeDeps, taker: Taker): Promise<Taken | 'none' | 'again'> {
  if (!deps.line.tryAcquire()) {
    // whoever finds nothing need not wait for it
    if ((await nextCandidate(deps.db, taker.runner)) === null) return 'none';
    await deps.line.acquire();
  }
  try {
    const candidate = await nextCandidate(deps.db, taker.runner);
    if (candidate === null) return 'none';
    const found = await inspect(deps, taker, candidate.jobId);
    if ('failure' in found) {
      await failJob(deps, candidate.jobId, found.failure);
      return 'again';
    }
    const claimed = await claim(deps, taker, candidate.jobId, found);
    return claimed === null ? 'again' : { candidate, found, claimed };
  } finally {
    deps.line.release();
  }
}

/** Everything about a job that its taking needs, read before anything is locked. */
interface Found {
  pipeline: PipelineRow;
  project: ProjectWithNamespace;
  user: User;
  definition: StoredDefinition;
  variables: ConfigVariable[];
  dependencies: Dependency[];
}

/** Why no runner, or not this one, will ever do the job. */
interface Unfit {
  failure: string;
}

async function inspect({ db, clock }: TakeDeps, { features }: Taker, jobId: number): Promise<Found | Unfit> {
  const row = await jobToTake(db, jobId);
  if (!row) return { failure: 'data_integrity_failure' };
  const definition = readDefinition(row);
  const [pipeline, project, user, dependencies] = await Promise.all([
    findPipelineById(db, row.pipeline_id),
    findProjectById(db, row.project_id),
    row.user_id === null ? undefined : findUser(db, row.user_id),
    unlessMissing(localDependencies(db, { job: row, definition }, clock.now())),
  ]);
  if (!pipeline || !project) return { failure: 'project_deleted' };
  if (project.archived === 1) return { failure: 'archived_failure' };
  if (user?.state !== 'active') return { failure: 'user_blocked' };
  const ofMergeRequest = pipeline.merge_request_id !== null;
  if (isUnsupported(definition, features, { ofMergeRequest })) return { failure: 'runner_unsupported' };
  if (dependencies === null) return { failure: 'missing_dependency_failure' };
  const variables = JSON.parse(row.variables) as ConfigVariable[];
  return { pipeline, project, user, definition, variables, dependencies };
}

/** Null where a file that the job relies on is there no more. */
async function unlessMissing<T>(dependencies: Promise<T>): Promise<T | null> {
  try {
    return await dependencies;
  } catch (error) {
    if (error instanceof MissingDependency) return null;
    throw error;
  }
}

/** Null when the job turns out to be one that nobody can do. */
async function handOut(
  deps: TakeDeps,
  ports: JobPorts,
  { runner }: Taker,
  { candidate, found, claimed }: Taken,
): Promise<JobPayload | null> {
  try {
    return await jobPayload(deps, ports, { ...found, ...claimed, runner, sharedRunning: candidate.running });
  } catch (error) {
    const missing = error instanceof MissingDependency;
    if (!missing) deps.log.error({ err: error, jobId: candidate.jobId }, 'a job could not be handed out');
    await failJob(deps, candidate.jobId, missing ? 'missing_dependency_failure' : 'scheduler_failure');
    return null;
  }
}

interface Claimed {
  job: JobRow;
  token: string;
}

/** The pipeline's row is where runners of several processes that want the same job stand in line; null when another had it first. */
function claim(
  deps: TakeDeps,
  { runner, manager, features }: Taker,
  jobId: number,
  { pipeline, project, user }: Found,
): Promise<Claimed | null> {
  const now = deps.clock.now();
  const confirms = features['two_phase_job_commit'] === true;
  return deps.database.transaction(
    async (tx) => {
      const locked = await lockPipeline(tx, pipeline.id);
      if (!locked) return null;
      const before = await findJobById(tx, jobId);
      if (before?.status !== 'pending' || before.runner_id !== null) return null;
      const owner = { jobId, userId: user.id, projectId: project.id };
      const token = await issueJobToken(tx, owner, now);
      await insertJobRun(tx, {
        job_id: jobId,
        token_hash: tokenHash(token),
        shared: runner.runner_type === 'instance_type' ? 1 : 0,
        unconfirmed_since: confirms ? now : null,
      });
      const changes = {
        runner_id: runner.id,
        runner_manager_id: manager.id,
        timeout: timeoutOf(before, project, runner),
        cancel_gracefully: features['cancel_gracefully'] === true ? 1 : 0,
      };
      if (confirms) return { job: await noteTaker(tx, before, changes), token };
      const job = await moveJob(tx, deps, before, 'running', changes);
      await beginLocked(tx, deps, locked);
      return { job, token };
    },
    { isolation: 'read committed' },
  );
}

/** In seconds: what the job says, else the project; the runner may have less patience. */
function timeoutOf(job: JobRow, project: ProjectWithNamespace, runner: RunnerRow): number {
  const asked = job.timeout ?? projectSettings(project).build_timeout;
  return runner.maximum_timeout === null ? asked : Math.min(asked, runner.maximum_timeout);
}

function failJob(deps: TakeDeps, jobId: number, failureReason: string): Promise<unknown> {
  return deps.database.transaction((tx) => finishJob(tx, deps, jobId, { status: 'failed', failureReason }), {
    isolation: 'read committed',
  });
}
