import type { Queryable, Tx } from '../../platform/db/tables.ts';

export interface DotenvVariable {
  key: string;
  value: string;
}

export async function insertDotenv(
  tx: Tx,
  jobId: number,
  variables: readonly DotenvVariable[],
): Promise<void> {
  if (variables.length === 0) return;
  const rows = variables.map(({ key, value }, idx) => ({ job_id: jobId, idx, key, value }));
  await tx.insertInto('job_dotenv_variables').values(rows).execute();
}

export async function deleteDotenv(tx: Tx, jobId: number): Promise<void> {
  await tx.deleteFrom('job_dotenv_variables').where('job_id', '=', jobId).execute();
}

/** What these jobs hand on to those that need them, job by job in the given order, then as they stand in the file. */
export async function dotenvVariables(db: Queryable, jobIds: readonly number[]): Promise<DotenvVariable[]> {
  if (jobIds.length === 0) return [];
  const rows = await db
    .selectFrom('job_dotenv_variables')
    .selectAll()
    .where('job_id', 'in', [...jobIds])
    .orderBy('job_id')
    .orderBy('idx')
    .execute();
  return jobIds.flatMap((id) =>
    rows.filter((row) => row.job_id === id).map(({ key, value }) => ({ key, value })),
  );
}
