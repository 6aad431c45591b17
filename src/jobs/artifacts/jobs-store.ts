import type { Queryable } from '../../platform/db/tables.ts';
import type { JobRow } from '../tables.ts';

export function findBuild(db: Queryable, projectId: number, jobId: number): Promise<JobRow | undefined> {
  return db
    .selectFrom('jobs')
    .selectAll()
    .where('id', '=', jobId)
    .where('project_id', '=', projectId)
    .where('kind', '=', 'build')
    .executeTakeFirst();
}

export async function setCoverage(db: Queryable, jobId: number, coverage: number): Promise<void> {
  await db.updateTable('jobs').set({ coverage }).where('id', '=', jobId).execute();
}
