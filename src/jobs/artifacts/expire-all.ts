import type { Core } from '../../core/core.ts';
import { expireNext } from './expiry-store.ts';

/** So many in one transaction: a few ms on SQLite. */
const BATCH = 300;

/** Lets everything that the jobs of a project have made end now; the sweep does the rest, and keeps what the project keeps. */
export async function expireAll(
  { database, clock }: Pick<Core, 'database' | 'clock'>,
  projectId: number,
): Promise<void> {
  const now = clock.now();
  for (let after: number | null = 0; after !== null; ) {
    const from: number = after;
    after = await database.transaction((tx) => expireNext(tx, { projectId, after: from, now, limit: BATCH }));
  }
}
