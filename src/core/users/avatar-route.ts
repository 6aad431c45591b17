import type { FastifyInstance } from 'fastify';
import { fail } from '../../platform/errors.ts';
import type { Core } from '../core.ts';
import type { User } from '../tables.ts';
import { identicon } from './avatar.ts';
import { ghostUser } from './ghost.ts';
import { findUser } from './store.ts';

const PATTERN = '/uploads/-/system/user/avatar/:id/avatar.svg';

/** A picture may be opened as a page by itself: then it may load nothing and run nothing. */
const HEADERS = {
  'content-type': 'image/svg+xml',
  'content-security-policy': "default-src 'none'; sandbox",
  'x-content-type-options': 'nosniff',
  'cache-control': 'public, max-age=3600',
};

/** The pictures that `avatar_url` names. Open to everybody, as images are loaded without a token. */
export function avatarRoute(server: FastifyInstance, core: Core): void {
  server.get<{ Params: { id: string } }>(
    PATTERN,
    { config: { pattern: PATTERN } },
    async (request, reply) => {
      const { id } = request.params;
      const user = await personOf(core, id);
      if (!user) throw fail.notFound();
      return reply.headers(HEADERS).send(identicon(user.username));
    },
  );
}

async function personOf(core: Core, id: string): Promise<User | undefined> {
  if (!/^\d{1,15}$/.test(id)) return undefined;
  return Number(id) === ghostUser.id ? ghostUser : findUser(core.db, Number(id));
}
