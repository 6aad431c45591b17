import type { FastifyInstance, FastifyReply } from 'fastify';
import { sendPage } from '../../../platform/http/page.ts';
import { isHash } from '../../../platform/http/rack.ts';
import type { Core } from '../../core.ts';
import { confirmEmail } from './change.ts';

/** GitLab's address for it. */
const PATTERN = '/-/profile/emails/confirmation';

/** Where the mail to a new address leads. */
export const confirmationUrl = (baseUrl: string, token: string): string =>
  `${baseUrl}${PATTERN}?confirmation_token=${token}`;

/**
 * The page behind the link. It confirms nothing by itself: programs that look through mail follow every link in it, and would
 * confirm an address that its reader never claimed. Its button does.
 */
export function confirmationPage(server: FastifyInstance, core: Core): void {
  const options = { config: { pattern: PATTERN } };

  server.get(PATTERN, options, async ({ query }, reply) =>
    sendPage(reply, 200, {
      title: 'Confirm your address',
      text: 'Confirm that this address is yours and that mail may be sent to it.',
      button: { label: 'Confirm', action: PATTERN, fields: { confirmation_token: tokenIn(query) } },
    }),
  );

  server.post(PATTERN, options, async ({ body, query }, reply) => {
    const token = tokenIn(body) || tokenIn(query);
    return sendOutcome(reply, token === '' ? null : await confirmEmail(core, token));
  });
}

const MAX_TOKEN_LENGTH = 100;

function tokenIn(params: unknown): string {
  const token = isHash(params) ? params['confirmation_token'] : undefined;
  return typeof token === 'string' && token.length <= MAX_TOKEN_LENGTH ? token : '';
}

const sendOutcome = (reply: FastifyReply, confirmed: { email: string } | null): FastifyReply =>
  confirmed
    ? sendPage(reply, 200, { title: 'Address confirmed', text: `${confirmed.email} is confirmed.` })
    : sendPage(reply, 404, {
        title: 'This link leads nowhere any more',
        text: 'It was used up, is more than three days old, or the address was removed. Add the address again for a new link.',
      });
