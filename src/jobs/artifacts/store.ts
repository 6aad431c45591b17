import type { Insertable } from 'kysely';
import type { Queryable, Tx } from '../../platform/db/tables.ts';
import type { FileType } from './file-types.ts';
import type { ArtifactRow, JobArtifactsTable } from './tables.ts';

/** Everything that these jobs have stored and nobody has doomed, sealed logs among it, in the order of its making. */
export async function artifactsOf(
  db: Queryable,
  jobIds: readonly number[],
): Promise<Map<number, ArtifactRow[]>> {
  const byJob = new Map<number, ArtifactRow[]>();
  if (jobIds.length === 0) return byJob;
  const rows = await db
    .selectFrom('job_artifacts')
    .selectAll()
    .where('job_id', 'in', [...jobIds])
    .where('doomed', '=', 0)
    .orderBy('id')
    .execute();
  for (const row of rows) {
    const list = byJob.get(row.job_id);
    if (list) list.push(row);
    else byJob.set(row.job_id, [row]);
  }
  return byJob;
}

/** The one of that kind, expired or not. */
export function findArtifact(db: Queryable, jobId: number, type: FileType): Promise<ArtifactRow | undefined> {
  return db
    .selectFrom('job_artifacts')
    .selectAll()
    .where('job_id', '=', jobId)
    .where('file_type', '=', type)
    .where('doomed', '=', 0)
    .executeTakeFirst();
}

export function insertArtifact(tx: Tx, row: Insertable<JobArtifactsTable>): Promise<ArtifactRow> {
  return tx.insertInto('job_artifacts').values(row).returningAll().executeTakeFirstOrThrow();
}

/** What of a job is to go. */
export interface Doomed {
  jobId: number;
  /** Without it, everything. */
  except?: FileType;
  only?: FileType;
}

/** Nobody sees them from the commit on; the sweep frees their bytes. Returns how many. */
export async function doomArtifacts(tx: Tx, { jobId, except, only }: Doomed): Promise<number> {
  let query = tx
    .updateTable('job_artifacts')
    .set({ doomed: 1 })
    .where('job_id', '=', jobId)
    .where('doomed', '=', 0);
  if (except !== undefined) query = query.where('file_type', '<>', except);
  if (only !== undefined) query = query.where('file_type', '=', only);
  return Number((await query.executeTakeFirst()).numUpdatedRows);
}

/** All that a pipeline, or a project, has left behind: its rows are gone. */
export async function doomArtifactsOf(
  tx: Tx,
  place: { pipelineId: number } | { projectId: number },
): Promise<number> {
  const query = tx.updateTable('job_artifacts').set({ doomed: 1 }).where('doomed', '=', 0);
  const placed =
    'pipelineId' in place
      ? query.where('pipeline_id', '=', place.pipelineId)
      : query.where('project_id', '=', place.projectId);
  return Number((await placed.executeTakeFirst()).numUpdatedRows);
}

/** Takes the expiry away from what a job still has; false when the job has nothing left but a log. */
export async function keepArtifacts(tx: Tx, jobId: number): Promise<boolean> {
  const kept = await tx
    .updateTable('job_artifacts')
    .set({ expire_at: null })
    .where('job_id', '=', jobId)
    .where('doomed', '=', 0)
    .where('file_type', '<>', 'trace')
    .executeTakeFirst();
  await tx.updateTable('jobs').set({ artifacts_expire_at: null }).where('id', '=', jobId).execute();
  return kept.numUpdatedRows > 0n;
}
