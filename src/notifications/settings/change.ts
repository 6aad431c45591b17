import type { Core } from '../../core/core.ts';
import type { User } from '../../core/tables.ts';
import { findConfirmedEmail } from '../../core/users/emails/store.ts';
import { ForeignKeyViolation } from '../../platform/db/errors.ts';
import type { Tx } from '../../platform/db/tables.ts';
import { fail } from '../../platform/errors.ts';
import type { Delivery } from '../notice.ts';
import { bitsOfChanges, type EventChanges } from './event-names.ts';
import { isLevel, type NotificationLevel } from './levels.ts';
import { type SettingKey, writeSetting } from './store.ts';

/** What a call asks to change; what is left out stays. */
export interface SettingInput {
  level?: string | null | undefined;
  events: EventChanges;
  /** null: as it is where nothing is set. */
  delivery?: Delivery | 'global' | null | undefined;
  /** Only for one's own settings. Empty: the main address; null changes nothing. */
  notificationEmail?: string | null | undefined;
  ownActivity?: boolean | null | undefined;
}

/** An address is 255 characters at most; what is no level is shown back only as far as anybody would read it. */
const MAX_SHOWN = 100;

/**
 * Changes a user's settings at one place, and makes them if there are none. Events are kept whatever the level is. Throws 400
 * for what is no level or no address of his; then nothing is changed.
 */
export async function changeSetting(
  core: Pick<Core, 'database' | 'clock'>,
  user: User,
  key: SettingKey,
  input: SettingInput,
): Promise<void> {
  const level = levelIn(input.level);
  await core.database
    .transaction(async (tx) => {
      const emailId = await emailIdIn(tx, user, input.notificationEmail);
      const isOwn = key.projectId === null && key.groupId === null;
      const delivery = input.delivery === null ? (isOwn ? 'immediate' : 'global') : input.delivery;
      const ownActivity = input.ownActivity ?? undefined;
      const events = bitsOfChanges(input.events);
      await writeSetting(tx, key, { level, events, delivery, emailId, ownActivity }, core.clock.now());
    })
    .catch((error: unknown) => {
      // The project, the group, the address or the user was deleted a moment ago.
      throw error instanceof ForeignKeyViolation ? fail.recordNotFound() : error;
    });
}

function levelIn(asked: string | null | undefined): NotificationLevel | undefined {
  if (asked === undefined) return undefined;
  if (asked === null || asked.trim() === '') throw fail.invalid({ level: ["can't be blank"] });
  if (!isLevel(asked)) throw fail.refused(`'${asked.slice(0, MAX_SHOWN)}' is not a valid level`);
  return asked;
}

/** The row of an additional address, null for the main one, undefined where nothing is asked for. */
async function emailIdIn(
  tx: Tx,
  user: User,
  asked: string | null | undefined,
): Promise<number | null | undefined> {
  if (asked === null || asked === undefined) return undefined;
  const isMain = asked.toLowerCase() === user.email.toLowerCase() && user.confirmed_at !== null;
  if (asked === '' || isMain) return null;
  const found = await findConfirmedEmail(tx, user.id, asked);
  if (!found) throw fail.invalid({ notification_email: ['must be an email you have verified'] });
  return found.id;
}
