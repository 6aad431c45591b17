import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import type { Tx } from '../../platform/db/tables.ts';
import type { Log } from '../../platform/log.ts';
import type { EnqueueMail } from '../mail/outbox.ts';
import type { Delivery, Notice } from '../notice.ts';
import { ownSettings } from '../settings/own-store.ts';
import { batchMail, digestMail, type GatheredMail } from './render.ts';
import {
  dueGatherings,
  type Gathering,
  markTold,
  nextDueAt,
  putOffGathering,
  readGathered,
} from './store.ts';

/**
 * Those of the notices that their reader may still see. Between an act and its digest he may have been blocked, or have lost his
 * access; what he may not read he must not be sent.
 */
export type StillVisible = (userId: number, notices: readonly Notice[]) => Promise<readonly Notice[]>;

export interface DigestDeps {
  database: Database;
  clock: Clock;
  log: Log;
  baseUrl: () => string;
  enqueue: EnqueueMail;
  stillVisible: StillVisible;
  /** Leaves the rest for later. */
  stop: AbortSignal;
}

/** A mail with more lines than this is read by nobody; the rest is a second one. */
const LINES_A_MAIL = 200;
const LOOKED_AT = 500;
const AFTER_FAILURE_MS = 600_000;

/** Writes the mails of all that is due. Returns in how many ms the next is, or null. */
export async function composeDue(deps: DigestDeps): Promise<number | null> {
  const { database, clock, stop } = deps;
  for (;;) {
    const due = await dueGatherings(database.db, clock.now(), LOOKED_AT);
    if (due.length === 0) break;
    for (const gathering of due) {
      if (stop.aborted) return null;
      await composeOrPutOff(deps, gathering);
    }
  }
  const at = await nextDueAt(database.db);
  return at === null ? null : Math.max(0, at - clock.now());
}

/** What cannot be told now must not hold up what others wait for. */
async function composeOrPutOff(deps: DigestDeps, gathering: Gathering): Promise<void> {
  const { database, clock, log } = deps;
  try {
    while ((await composeOne(deps, gathering)) === LINES_A_MAIL);
  } catch (error) {
    log.error({ err: error, user: gathering.userId }, 'a digest failed, trying again later');
    await putOffGathering(database.db, gathering, clock.now() + AFTER_FAILURE_MS);
  }
}

/** One mail, and that its notices are told, in one transaction. Returns how many notices that were. */
async function composeOne(deps: DigestDeps, gathering: Gathering): Promise<number> {
  const { database } = deps;
  const rows = await readGathered(database.db, gathering, LINES_A_MAIL);
  const notices = rows.map(({ notice }) => JSON.parse(notice) as Notice);
  const visible = await deps.stillVisible(gathering.userId, notices);
  const mail = visible.length === 0 ? null : await gatheredMail(deps, gathering.gatheredBy, visible);
  const ids = rows.map(({ id }) => id);
  await database.transaction(async (tx) => {
    const mailId = mail === null ? null : await writeMail(tx, deps, gathering, mail);
    await markTold(tx, ids, mailId);
  });
  return rows.length;
}

/** To where the reader wants his mail now: an address that he has given up meanwhile is not his any more. */
async function writeMail(
  tx: Tx,
  deps: DigestDeps,
  { userId }: Gathering,
  { content, reason }: GatheredMail,
): Promise<number | null> {
  const [settings] = await ownSettings(tx, [userId]);
  if (settings === undefined) return null;
  const [id] = await deps.enqueue(tx, content, [{ userId, address: settings.email, reason }]);
  return id ?? null;
}

async function gatheredMail(
  { baseUrl, clock }: DigestDeps,
  gatheredBy: string,
  notices: readonly Notice[],
): Promise<GatheredMail> {
  if (gatheredBy.startsWith('thing:')) return batchMail(notices, baseUrl());
  const delivery = gatheredBy as Delivery;
  return digestMail(notices, { delivery, baseUrl: baseUrl(), at: clock.now() });
}
