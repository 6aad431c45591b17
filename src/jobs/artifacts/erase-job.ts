import type { Tx } from '../../platform/db/tables.ts';
import { deleteDotenv } from '../reports/dotenv-store.ts';
import { forgetTrace } from '../traces/store.ts';
import { doomArtifacts } from './store.ts';

/**
 * Takes away everything that a job has stored, its log included, in the transaction that writes `erased_at`: nobody sees it from the
 * commit on, its bytes are freed by the sweep. The trace's row comes first: whoever seals the log meanwhile stands in line there.
 */
export async function eraseJob(tx: Tx, jobId: number): Promise<void> {
  await forgetTrace(tx, jobId);
  await doomArtifacts(tx, { jobId });
  await deleteDotenv(tx, jobId);
}
