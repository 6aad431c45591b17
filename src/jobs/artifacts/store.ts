import { type Insertable, sql } from 'kysely';
import { composed } from '../../platform/db/prepared.ts';
import type { Queryable, Tx } from '../../platform/db/tables.ts';
import type { FileType } from './file-types.ts';
import type { ArtifactRow, JobArtifactsTable } from './tables.ts';

// States stand in the text of each query: SQLite uses a partial index only where it can read them there.

/** Where its bytes are. Rows that come together lie together, so that a sweep syncs few folders. */
export const objectKey = ({ id }: Pick<ArtifactRow, 'id'>): string =>
  `artifacts/${Math.floor(id / 1000)}/${id}`;

/** Everything that these jobs have stored, sealed logs among it, in the order of its making. */
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
    .where('state', '=', sql.lit('stored'))
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
export async function findArtifact(
  db: Queryable,
  jobId: number,
  type: FileType,
): Promise<ArtifactRow | undefined> {
  return (await storedOfType(db, { jobId, type }))[0];
}

const storedOfType = composed((db, at: { jobId: number; type: FileType }) =>
  db
    .selectFrom('job_artifacts')
    .selectAll()
    .where('job_id', '=', at.jobId)
    .where('file_type', '=', at.type)
    .where('state', '=', sql.lit('stored')),
);

/** What is known of an artifact before its bytes have come. */
export type ComingArtifact = Omit<Insertable<JobArtifactsTable>, 'id' | 'state' | 'size' | 'sha256'>;

/** Before the first byte is written, so that none can be without a row that frees it. */
export async function insertComing(db: Queryable, row: ComingArtifact): Promise<ArtifactRow> {
  const [coming] = await insertRow(db, { ...row, state: 'coming', size: 0, sha256: '' });
  return coming!;
}

const insertRow = composed((db, row: Insertable<JobArtifactsTable>) =>
  db.insertInto('job_artifacts').values(row).returningAll(),
);

/** From now on it is there. Rejects with `UniqueViolation` where the job has one of that kind. */
export async function markStored(tx: Tx, id: number, facts: StoredFacts): Promise<void> {
  const [stored] = await mark(tx, { ...facts, row: id });
  if (!stored) throw new Error(`the row of artifact ${id} is gone`);
}

type StoredFacts = Pick<ArtifactRow, 'size' | 'sha256'> & Partial<ComingArtifact>;

const mark = composed((db, { row, ...facts }: { row: number } & StoredFacts) =>
  db
    .updateTable('job_artifacts')
    .set({ ...facts, state: 'stored' })
    .where('id', '=', row)
    .returning('id'),
);

export async function doomArtifact(db: Queryable, id: number): Promise<void> {
  await db.updateTable('job_artifacts').set({ state: 'doomed' }).where('id', '=', id).execute();
}

/** What of a job is to go. Without `except` and `only`, everything. */
export interface Doomed {
  jobId: number;
  except?: FileType;
  only?: FileType;
}

/** Nobody sees them from the commit on; the sweep frees their bytes. Returns how many. */
export async function doomArtifacts(tx: Tx, { jobId, except, only }: Doomed): Promise<number> {
  let query = tx
    .updateTable('job_artifacts')
    .set({ state: 'doomed' })
    .where('job_id', '=', jobId)
    .where('state', '=', sql.lit('stored'));
  if (except !== undefined) query = query.where('file_type', '<>', except);
  if (only !== undefined) query = query.where('file_type', '=', only);
  return Number((await query.executeTakeFirst()).numUpdatedRows);
}

/** All that a pipeline, or a project, has left behind: its rows are gone. */
export async function doomArtifactsOf(
  tx: Tx,
  place: { pipelineId: number } | { projectId: number },
): Promise<number> {
  const query = tx
    .updateTable('job_artifacts')
    .set({ state: 'doomed' })
    .where('state', '=', sql.lit('stored'));
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
    .where('state', '=', sql.lit('stored'))
    .where('file_type', '<>', 'trace')
    .executeTakeFirst();
  if (kept.numUpdatedRows === 0n) return false;
  await tx.updateTable('jobs').set({ artifacts_expire_at: null }).where('id', '=', jobId).execute();
  return true;
}

/** What the jobs of each of these projects have stored, logs among it. */
export async function artifactBytes(
  db: Queryable,
  projectIds: readonly number[],
): Promise<Map<number, number>> {
  if (projectIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('job_artifacts')
    .select(({ fn, cast }) => ['project_id', cast<number>(fn.sum('size'), 'bigint').as('bytes')])
    .where('project_id', 'in', [...projectIds])
    .where('state', '=', sql.lit('stored'))
    .groupBy('project_id')
    .execute();
  return new Map(rows.map(({ project_id, bytes }) => [project_id, bytes]));
}
