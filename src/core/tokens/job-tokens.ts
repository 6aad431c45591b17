import type { Tx } from '../../platform/db/tables.ts';
import { deleteJobTokens, insertJobToken } from './job-tokens-store.ts';
import { newToken, tokenHash } from './secret.ts';

/** For whom a job acts, and where. */
export interface JobTokenOwner {
  jobId: number;
  userId: number;
  projectId: number;
}

/** A token that is the job's user in the job's project until `revokeJobTokens`. Readable only in what this returns. */
export async function issueJobToken(tx: Tx, owner: JobTokenOwner, now: number): Promise<string> {
  const token = newToken('job');
  await insertJobToken(tx, {
    token_hash: tokenHash(token),
    job_id: owner.jobId,
    user_id: owner.userId,
    project_id: owner.projectId,
    created_at: now,
  });
  return token;
}

/** When a job ends, in the transaction that ends it. */
export const revokeJobTokens = (tx: Tx, jobId: number): Promise<void> => deleteJobTokens(tx, jobId);
