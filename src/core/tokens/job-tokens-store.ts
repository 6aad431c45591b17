import type { Insertable } from 'kysely';
import { composed } from '../../platform/db/prepared.ts';
import type { Tx } from '../../platform/db/tables.ts';
import type { JobTokensTable } from '../tables.ts';

export async function insertJobToken(tx: Tx, values: Insertable<JobTokensTable>): Promise<void> {
  await insertToken(tx, values);
}

const insertToken = composed((db, values: Insertable<JobTokensTable>) =>
  db.insertInto('job_tokens').values(values),
);

export async function deleteJobTokens(tx: Tx, jobId: number): Promise<void> {
  await deleteTokens(tx, { jobId });
}

const deleteTokens = composed((db, at: { jobId: number }) =>
  db.deleteFrom('job_tokens').where('job_id', '=', at.jobId),
);
