import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import type { Queryable, Tx } from '../../platform/db/tables.ts';
import { WhileUnchanged } from '../../platform/db/unchanged.ts';
import type { Events } from '../../platform/events/events.ts';
import { isComplete, type JobStatus, type PipelineSource } from '../states.ts';
import { currentJobs, type JobGroup, jobGroups } from '../statuses/store.ts';
import type { PipelineRow } from '../tables.ts';
import { runningSeconds } from './duration.ts';
import { summaryOf } from './status.ts';
import {
  insertPipeline,
  latestPipelines,
  lockPipeline,
  newestPipelines,
  nextPipelineIid,
  updatePipeline,
} from './store.ts';

export interface PipelineDeps {
  events: Events;
  clock: Clock;
}

export interface NewPipeline {
  projectId: number;
  sha: string;
  /** What the branch pointed at before; null where nothing moved. */
  beforeSha?: string | null;
  /** Branch or tag, without `refs/…`. */
  ref: string;
  tag?: boolean;
  source: PipelineSource;
  userId: number | null;
  /** Further columns. */
  more?: MoreOfPipeline;
}

export type MoreOfPipeline = Partial<
  Pick<
    PipelineRow,
    | 'name'
    | 'status'
    | 'yaml_errors'
    | 'protected'
    | 'merge_request_id'
    | 'stages'
    | 'auto_cancel'
    | 'trigger_id'
    | 'schedule_id'
    | 'event_id'
  >
>;

/** Writes an empty pipeline with the next number of its project. Throws UniqueViolation where its event has begun one already. */
export async function createPipeline(tx: Tx, deps: PipelineDeps, input: NewPipeline): Promise<PipelineRow> {
  const now = deps.clock.now();
  const pipeline = await insertPipeline(tx, {
    iid: await nextPipelineIid(tx, input.projectId),
    project_id: input.projectId,
    sha: input.sha,
    before_sha: input.beforeSha ?? null,
    ref: input.ref,
    tag: input.tag ? 1 : 0,
    source: input.source,
    user_id: input.userId,
    created_at: now,
    updated_at: now,
    ...input.more,
    finished_at: isComplete(input.more?.status ?? 'created') ? now : null,
  });
  await announce(tx, deps, pipeline, null);
  return pipeline;
}

/**
 * Brings a pipeline up to date with its jobs; to be called in the transaction that changed one of them. The row is locked
 * first, so that of two such transactions the second counts what the first wrote.
 */
export async function refreshPipeline(
  tx: Tx,
  deps: PipelineDeps,
  pipelineId: number,
): Promise<PipelineRow | null> {
  const before = await lockPipeline(tx, pipelineId);
  return before ? refreshLocked(tx, deps, before) : null;
}

/** After one of its jobs has begun to run: with it a pipeline is `running`, whatever its others are. */
export async function beginLocked(tx: Tx, deps: PipelineDeps, before: PipelineRow): Promise<void> {
  if (before.status !== 'running') await refreshLocked(tx, deps, before);
}

/** The same for whoever has locked it already, with its row as `lockPipeline` gave it, and perhaps knows the groups of its jobs. */
export async function refreshLocked(
  tx: Tx,
  deps: PipelineDeps,
  before: PipelineRow,
  known?: readonly JobGroup[],
): Promise<PipelineRow> {
  const { id: pipelineId } = before;
  const groups = known ?? (await jobGroups(tx, pipelineId));
  const status = summaryOf(
    groups.map((group) => ({ status: group.status, allowFailure: group.allow_failure === 1 })),
  );
  if (status === null || status === before.status) return before;
  const now = deps.clock.now();
  const changes = { status, updated_at: now, ...(await timesOf(tx, before, { status, groups, now })) };
  const after = { ...before, ...changes };
  await updatePipeline(tx, pipelineId, changes);
  await announce(tx, deps, after, before.status);
  return after;
}

/** It starts when its first job runs, and ends when nothing more will happen; a job that comes later opens it again. */
async function timesOf(
  tx: Tx,
  before: PipelineRow,
  { status, groups, now }: { status: JobStatus; groups: readonly JobGroup[]; now: number },
) {
  const starts = groups.flatMap((group) => group.started_at ?? []);
  const began = starts.length > 0 ? Math.min(...starts) : null;
  const ended = isComplete(status);
  return {
    started_at: before.started_at ?? began,
    finished_at: ended ? now : null,
    duration: ended && began !== null ? runningSeconds(await currentJobs(tx, before.id)) : null,
  };
}

async function announce(
  tx: Tx,
  { events }: PipelineDeps,
  pipeline: PipelineRow,
  before: JobStatus | null,
): Promise<void> {
  const { id: pipelineId, project_id: projectId, ref, sha, status } = pipeline;
  const { merge_request_id: mergeRequestId } = pipeline;
  await events.publish(tx, {
    type: 'pipeline.updated',
    stream: `project:${projectId}`,
    payload: { projectId, pipelineId, ref, sha, mergeRequestId, before, status },
  });
}

/** The newest pipeline of a commit on any ref: what a commit shows as `last_pipeline` and `status`. */
export function latestPipelineFinder(
  database: Database,
): (projectId: number, sha: string) => PipelineRow | null | Promise<PipelineRow | null> {
  const find = latestPipelines(database.db);
  const known = new WhileUnchanged<PipelineRow | null>(database);
  const read = async (projectId: number, sha: string) => (await find({ projectId, sha }))[0] ?? null;
  return (projectId, sha) => known.get(`${projectId} ${sha}`, () => read(projectId, sha));
}

/** The same for many commits, by their ids; those without a pipeline are not in it. */
export async function pipelinesFor(
  db: Queryable,
  projectId: number,
  shas: readonly string[],
): Promise<Map<string, PipelineRow>> {
  const rows = await newestPipelines(db, projectId, shas);
  return new Map(rows.map((pipeline) => [pipeline.sha, pipeline]));
}
