import type { Updateable } from 'kysely';
import { revokeJobTokens } from '../../core/tokens/job-tokens.ts';
import type { Tx } from '../../platform/db/tables.ts';
import type { PipelineDeps } from '../pipelines/pipelines.ts';
import { isComplete, type JobStatus } from '../states.ts';
import type { JobRow, JobsTable } from '../tables.ts';
import { findJobById, moveJobRow } from './store.ts';

/** What moving jobs needs. */
export type JobDeps = PipelineDeps;

/** What may be written together with a status. */
export type JobChanges = Omit<Updateable<JobsTable>, 'id' | 'status' | 'updated_at'>;

const WAITING = ['waiting_for_resource', 'preparing', 'waiting_for_callback'] as const;
const ENQUEUED_FROM = ['created', 'skipped', 'manual', 'scheduled'] as const;

/** From where each status is reached. */
const FROM: Record<JobStatus, readonly JobStatus[]> = {
  created: ['skipped', 'manual'],
  waiting_for_resource: ENQUEUED_FROM,
  preparing: [...ENQUEUED_FROM, 'waiting_for_resource'],
  waiting_for_callback: ['created', 'pending'],
  pending: [...ENQUEUED_FROM, ...WAITING],
  running: ['pending'],
  success: ['created', ...WAITING, 'pending', 'running'],
  failed: ['created', ...WAITING, 'pending', 'running', 'manual', 'scheduled'],
  canceling: ['running'],
  canceled: ['created', ...WAITING, 'pending', 'running', 'manual', 'scheduled', 'canceling'],
  skipped: ['created', 'waiting_for_resource', 'preparing', 'pending'],
  manual: ['created', 'scheduled'],
  scheduled: ['created'],
};

/** Whether a job may go from where it is to there. */
export function mayMove(job: Pick<JobRow, 'kind' | 'status'>, to: JobStatus): boolean {
  // a bridge that mirrors its pipeline goes on when that one is retried
  if (job.kind === 'bridge' && to === 'pending' && isComplete(job.status)) return true;
  return FROM[to].includes(job.status);
}

/**
 * The one way by which the status of a job or bridge changes: writes it with its times and publishes `job.updated`, all in `tx`.
 * Where the state machine has no such step, or the row is elsewhere by now, nothing happens and the row is returned as it is:
 * compare the status. A job that is being canceled ends `canceled`, whatever its runner says. Its tokens end with it.
 *
 * The caller holds the lock of the pipeline's row (`lockPipeline`) and has read `job` behind it; it runs `processPipeline` at
 * the end, unless `finishJob` does.
 */
export async function moveJob(
  tx: Tx,
  deps: JobDeps,
  job: JobRow,
  to: JobStatus,
  changes: JobChanges = {},
): Promise<JobRow> {
  const letsGo = job.status === 'canceling' && (to === 'success' || to === 'failed');
  const status = letsGo ? 'canceled' : to;
  if (!mayMove(job, status)) return job;
  const now = deps.clock.now();
  const reason = status === 'failed' ? (changes.failure_reason ?? 'unknown_failure') : null;
  const written = { ...timesOf(status, now), ...changes, failure_reason: reason };
  const moved = await moveJobRow(tx, job, { ...written, status, updated_at: now });
  if (!moved) return (await findJobById(tx, job.id)) ?? job;
  if (isComplete(status)) await revokeJobTokens(tx, job.id);
  await announceJob(tx, deps, moved, job.status);
  await announceResource(tx, deps, moved);
  await announceBridge(tx, deps, moved);
  return moved;
}

/** Tells that a job is new (`before` null) or that its status is another one. */
export async function announceJob(
  tx: Tx,
  { events }: JobDeps,
  job: JobRow,
  before: JobStatus | null,
): Promise<void> {
  const { id: jobId, project_id: projectId, pipeline_id: pipelineId, status } = job;
  await events.publish(tx, {
    type: 'job.updated',
    stream: `project:${projectId}`,
    payload: { projectId, pipelineId, jobId, before, status },
  });
}

/** Whoever begins to wait for a resource, or cannot hold it any longer, makes its group look who is next. */
async function announceResource(tx: Tx, { events }: JobDeps, job: JobRow): Promise<void> {
  const { project_id: projectId, resource_group: key, status } = job;
  if (key === null || (status !== 'waiting_for_resource' && !isComplete(status))) return;
  const payload = { projectId, key };
  await events.publish(tx, { type: 'resource_group.moved', stream: `project:${projectId}`, payload });
}

/** A bridge that waits is begun by the service itself. */
async function announceBridge(tx: Tx, { events }: JobDeps, job: JobRow): Promise<void> {
  if (job.kind !== 'bridge' || job.status !== 'pending') return;
  const { id: jobId, project_id: projectId, pipeline_id: pipelineId } = job;
  const payload = { projectId, pipelineId, jobId };
  await events.publish(tx, { type: 'bridge.due', stream: `project:${projectId}`, payload });
}

function timesOf(status: JobStatus, now: number): JobChanges {
  if (status === 'pending') return { queued_at: now, finished_at: null };
  if (status === 'running') return { started_at: now };
  if (status === 'success' || status === 'failed' || status === 'canceled') return { finished_at: now };
  return {};
}
