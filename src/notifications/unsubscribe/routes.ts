import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Db } from '../../platform/db/tables.ts';
import { ApiError } from '../../platform/errors.ts';
import { sendPage } from '../../platform/http/page.ts';
import { thingsOf } from '../digest/store.ts';
import { type LinkedThing, type LinkTarget, type UnsubscribeLinks, unsubscribePath } from './links.ts';

/** Takes a user out of one issue or merge request, whatever brought him there. Throws 404 when it is gone. */
export type Unsubscribe = (userId: number, thing: LinkedThing) => Promise<void>;

export interface UnsubscribeDeps {
  db: Db;
  links: () => Promise<UnsubscribeLinks>;
  unsubscribe: Unsubscribe;
}

const PATTERN = unsubscribePath(':key');

/**
 * Where the links of mails lead; they work without logging in, by their signature. To look at one changes nothing, because
 * programs that look through mail follow every link; the button does, and so do mail programs with one click (RFC 8058).
 */
export function unsubscribeRoutes(server: FastifyInstance, deps: UnsubscribeDeps): void {
  const options = { config: { pattern: PATTERN } };

  server.get<{ Params: { key: string } }>(PATTERN, options, async ({ params: { key } }, reply) => {
    const target = (await deps.links()).read(key);
    if (target === null) return sendUnknown(reply);
    return sendPage(reply, 200, {
      title: 'Unsubscribe',
      text: `Get no more mail about ${nameOf(target)}, unless somebody mentions you.`,
      button: { label: 'Unsubscribe', action: unsubscribePath(key), fields: {} },
    });
  });

  server.post<{ Params: { key: string } }>(PATTERN, options, async ({ params: { key } }, reply) => {
    const target = (await deps.links()).read(key);
    if (target === null) return sendUnknown(reply);
    for (const thing of await thingsOfTarget(deps, target)) await leave(deps, target.userId, thing);
    return sendPage(reply, 200, {
      title: 'Unsubscribed',
      text: `You get no more mail about ${nameOf(target)}, unless somebody mentions you.`,
    });
  });
}

async function leave({ unsubscribe }: UnsubscribeDeps, userId: number, thing: LinkedThing): Promise<void> {
  try {
    await unsubscribe(userId, thing);
  } catch (error) {
    // What is gone sends no mail any more, and must not keep the rest of a digest.
    if (!(error instanceof ApiError && error.status === 404)) throw error;
  }
}

const sendUnknown = (reply: FastifyReply) =>
  sendPage(reply, 404, { title: 'Not found', text: 'This link is not one of ours, or it was cut off.' });

async function thingsOfTarget({ db }: UnsubscribeDeps, target: LinkTarget) {
  return 'thing' in target ? [target.thing] : thingsOf(db, target);
}

/** No title: who has the link may have lost his access. */
function nameOf(target: LinkTarget): string {
  if (!('thing' in target)) return 'what this digest told of';
  return target.thing.type === 'Issue' ? 'this issue' : 'this merge request';
}
