import { randomBytes } from 'node:crypto';
import type { Core } from '../../core/core.ts';
import { tokenHash } from '../../core/tokens/secret.ts';
import { confirmationUrl } from '../../core/users/emails/confirmation-page.ts';
import { setToken } from '../../core/users/emails/store.ts';
import { findUser } from '../../core/users/store.ts';
import type { EnqueueMail, MailContent } from '../mail/outbox.ts';

/**
 * Writes to every address that somebody adds. The token is made here, so that it stands nowhere but in the mail: not in the
 * event, and in the address's row only hashed.
 */
export function confirmAddresses(core: Core, enqueue: EnqueueMail): void {
  const { database, baseUrl } = core;
  core.events.subscribe('notifications.confirm_addresses', ['user.email_added'], async ({ payload }) => {
    const token = randomBytes(32).toString('base64url');
    await database.transaction(async (tx) => {
      // None: confirmed, removed, or this very event was handled before.
      const row = await setToken(tx, payload.emailId, tokenHash(token));
      const user = row && (await findUser(tx, row.user_id));
      if (!row || !user) return;
      const content = confirmationMail(user, row.email, { baseUrl: baseUrl(), token });
      await enqueue(tx, content, [{ userId: user.id, address: row.email }]);
    });
  });
}

/** Says whose it is to become, so that a stranger who gets it knows what it is about. */
const confirmationMail = (
  { username }: { username: string },
  email: string,
  { baseUrl, token }: { baseUrl: string; token: string },
): MailContent => ({
  kind: 'confirm_email',
  subject: 'Confirm your email address',
  text: [
    `The user ${username} of ${baseUrl} has added ${email} to the addresses of the account.`,
    `If that is you, confirm it within three days:\n${confirmationUrl(baseUrl, token)}`,
    'If it is not, do nothing: no other mail will be sent to this address.',
  ].join('\n\n'),
});
