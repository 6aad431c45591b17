import { createHmac, timingSafeEqual } from 'node:crypto';

/** What people can unsubscribe from, as in GitLab. */
export interface LinkedThing {
  type: 'Issue' | 'MergeRequest';
  id: number;
}

/** GitLab's address, below the service's own. */
export const unsubscribePath = (key: string): string => `/-/sent_notifications/${key}/unsubscribe`;

/** What a link takes its reader out of: one thing, or all that a digest told of. */
export type LinkTarget = { userId: number; thing: LinkedThing } | { userId: number; mailId: number };

/** Addresses work without logging in, so that they are signed; they hold good for as long as the secret does. */
export class UnsubscribeLinks {
  readonly #secret: string;

  constructor(secret: string) {
    this.#secret = secret;
  }

  /** Names the reader and the thing, and nobody else can make it. */
  key(target: LinkTarget): string {
    const subject = 'thing' in target ? [LETTERS[target.thing.type], target.thing.id] : ['d', target.mailId];
    const payload = [target.userId, ...subject].join('-');
    return `${payload}-${this.#sign(payload)}`;
  }

  /** Null where the key is none of ours. */
  read(key: string): LinkTarget | null {
    const parts = /^((\d{1,15})-([imd])-(\d{1,15}))-([\w-]{43})$/.exec(key);
    if (parts === null) return null;
    const [, payload, user, letter, id, signature] = parts;
    if (!timingSafeEqual(Buffer.from(signature!), Buffer.from(this.#sign(payload!)))) return null;
    const userId = Number(user);
    const thing = TYPES[letter!];
    return thing === undefined
      ? { userId, mailId: Number(id) }
      : { userId, thing: { type: thing, id: Number(id) } };
  }

  #sign(payload: string): string {
    return createHmac('sha256', this.#secret).update(`unsubscribe:${payload}`).digest('base64url');
  }
}

const LETTERS = { Issue: 'i', MergeRequest: 'm' } as const;
const TYPES: Record<string, LinkedThing['type']> = { i: 'Issue', m: 'MergeRequest' };
