import { sql } from 'kysely';
import { composed } from '../../platform/db/prepared.ts';
import type { Queryable, Tx } from '../../platform/db/tables.ts';
import type { JobRow } from '../tables.ts';

export function findBuild(db: Queryable, projectId: number, jobId: number): Promise<JobRow | undefined> {
  return db
    .selectFrom('jobs')
    .selectAll()
    .where('id', '=', jobId)
    .where('project_id', '=', projectId)
    .where('kind', '=', sql.lit('build'))
    .executeTakeFirst();
}

export async function setCoverage(db: Queryable, jobId: number, coverage: number): Promise<void> {
  await db.updateTable('jobs').set({ coverage }).where('id', '=', jobId).execute();
}

/** When what the job has uploaded goes; null where it stays. */
export async function setArtifactsExpiry(tx: Tx, jobId: number, expireAt: number | null): Promise<void> {
  await setExpiry(tx, { jobId, expireAt });
}

const setExpiry = composed((db, at: { jobId: number; expireAt: number | null }) =>
  db.updateTable('jobs').set({ artifacts_expire_at: at.expireAt }).where('id', '=', at.jobId),
);
