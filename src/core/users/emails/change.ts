import { UniqueViolation } from '../../../platform/db/errors.ts';
import type { Tx } from '../../../platform/db/tables.ts';
import { fail } from '../../../platform/errors.ts';
import type { Core } from '../../core.ts';
import { userStream } from '../../events.ts';
import type { UserEmail } from '../../tables.ts';
import { tokenHash } from '../../tokens/secret.ts';
import { isMailAddress } from './address.ts';
import {
  countEmails,
  deleteEmail,
  deleteUnconfirmed,
  findAnyEmail,
  findByToken,
  insertEmail,
  isMainAddress,
  setConfirmed,
} from './store.ts';

const DAY_MS = 24 * 3600 * 1000;
/** GitLab's time too: after it an address that nobody confirmed is free again for the one whose it is. */
const CONFIRM_WITHIN_MS = 3 * DAY_MS;

/** More than anybody has; each costs a mail to somebody who may not have asked for it. */
const MAX_EMAILS = 50;

/** Unconfirmed addresses from before this time are as good as deleted. */
export const confirmableSince = (now: number): number => now - CONFIRM_WITHIN_MS;

const TAKEN = { email: ['has already been taken'] };

/**
 * Adds an address to a user's. Unless it counts as confirmed, a mail with a link goes to it after the commit (whoever sends
 * mails hears of it by the event). Throws 400 for what is no address, or has an owner.
 */
export async function addEmail(
  core: Pick<Core, 'database' | 'clock' | 'events'>,
  userId: number,
  email: string,
  { confirmed }: { confirmed: boolean },
): Promise<UserEmail> {
  demandAddress(email);
  const now = core.clock.now();
  try {
    return await core.database.transaction(async (tx) => {
      await deleteUnconfirmed(tx, confirmableSince(now));
      if (await isMainAddress(tx, email)) throw fail.invalid(TAKEN);
      if ((await countEmails(tx, userId)) >= MAX_EMAILS) {
        throw fail.invalid({ email: [`limit of ${MAX_EMAILS} additional addresses reached`] });
      }
      const row = await insertEmail(tx, {
        user_id: userId,
        email,
        confirmed_at: confirmed ? now : null,
        created_at: now,
      });
      if (!confirmed) await announce(core, tx, row);
      return row;
    });
  } catch (error) {
    throw error instanceof UniqueViolation ? fail.invalid(TAKEN) : error;
  }
}

async function announce({ events }: Pick<Core, 'events'>, tx: Tx, { id, user_id: userId }: UserEmail) {
  await events.publish(tx, {
    type: 'user.email_added',
    stream: userStream(userId),
    payload: { userId, emailId: id },
  });
}

function demandAddress(email: string): void {
  if (email.trim() === '') throw fail.invalid({ email: ["can't be blank"] });
  if (!isMailAddress(email)) throw fail.invalid({ email: ['is invalid'] });
}

/** Whoever has the token reads the mail of that address. Null: it is unknown, too old, or the address has another owner by now. */
export async function confirmEmail(
  core: Pick<Core, 'database' | 'clock'>,
  token: string,
): Promise<UserEmail | null> {
  const now = core.clock.now();
  return core.database.transaction(async (tx) => {
    const row = await findByToken(tx, tokenHash(token), confirmableSince(now));
    if (!row) return null;
    if (row.confirmed_at !== null) return row;
    if (await isMainAddress(tx, row.email)) {
      await deleteEmail(tx, row.id);
      return null;
    }
    await setConfirmed(tx, row.id, now);
    return row;
  });
}

/**
 * Before an address becomes a user's main one: it must not be another's additional one (409), and is none of his own any
 * more. What others have added and not confirmed is no claim.
 */
export async function claimAsMain(tx: Tx, userId: number | null, email: string): Promise<void> {
  const row = await findAnyEmail(tx, email);
  if (!row) return;
  if (row.user_id !== userId && row.confirmed_at !== null)
    throw fail.conflict('Email has already been taken');
  await deleteEmail(tx, row.id);
}
