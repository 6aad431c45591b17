import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/db/database.ts';
import { sweepNotices } from './digest/store.ts';
import { deleteContents, deleteSettled, giveUpOld, settledBeyond } from './mail/sweep-store.ts';

const DAY_MS = 24 * 3600 * 1000;
/** What RFC 5321 (4.5.4.1) asks of a sender at least. */
const TRIED_FOR_MS = 5 * DAY_MS;
const KEPT_FOR_MS = 7 * DAY_MS;
const KEPT_MAILS = 50_000;
/** Twice as long as events stay: so late none is handed out again. */
const NOTICES_FOR_MS = 14 * DAY_MS;
/** As long as a digest's link should work. */
const DIGESTS_FOR_MS = 60 * DAY_MS;

const BATCH = 500;
/** A batch on SQLite takes some milliseconds without a pause: lets requests in between. */
const PAUSE_MS = 10;

export interface SweepDeps {
  database: Database;
  clock: Clock;
  stop: AbortSignal;
}

/** Bounds what mail leaves behind: mails that will never be taken, and those that were long ago. */
export async function sweepMail({ database, clock, stop }: SweepDeps): Promise<void> {
  const { db } = database;
  const now = clock.now();
  const inBatches = async (work: () => Promise<number>) => {
    while (!stop.aborted && (await work()) === BATCH) await sleep(PAUSE_MS);
  };
  await inBatches(() => giveUpOld(db, { before: now - TRIED_FOR_MS, now, limit: BATCH }));
  const settledBefore = Math.max(now - KEPT_FOR_MS, (await settledBeyond(db, KEPT_MAILS)) ?? 0);
  await inBatches(() => deleteSettled(db, settledBefore, BATCH));
  await inBatches(() => deleteContents(db, now - DAY_MS, BATCH));
  const before = { digests: now - DIGESTS_FOR_MS, others: now - NOTICES_FOR_MS };
  await inBatches(() => sweepNotices(db, before, BATCH));
}
