import type { Insertable } from 'kysely';
import type { Tx } from '../../platform/db/tables.ts';
import type { JobTokensTable } from '../tables.ts';

export async function insertJobToken(tx: Tx, values: Insertable<JobTokensTable>): Promise<void> {
  await tx.insertInto('job_tokens').values(values).execute();
}

export async function deleteJobTokens(tx: Tx, jobId: number): Promise<void> {
  await tx.deleteFrom('job_tokens').where('job_id', '=', jobId).execute();
}
