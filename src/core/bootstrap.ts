import { withLock } from '../platform/db/locks.ts';
import type { Core } from './core.ts';
import { newToken, tokenHash } from './tokens/secret.ts';
import { insertToken } from './tokens/store.ts';
import { createUser } from './users/create.ts';
import { anyUser } from './users/store.ts';

/**
 * On a fresh database makes the first administrator (id 1, `root`) and his token: the given one, or a new one.
 * Returns the token, which is readable only now; null when there are users already. Of processes that start on one fresh database
 * together, one makes him.
 */
export async function ensureRoot(core: Core, givenToken?: string): Promise<string | null> {
  if (await anyUser(core.db)) return null;
  return withLock(core.database, 'core.first-administrator', async () =>
    (await anyUser(core.db)) ? null : makeRoot(core, givenToken),
  );
}

async function makeRoot(core: Core, givenToken: string | undefined): Promise<string> {
  const token = givenToken ?? newToken('personal');
  const now = core.clock.now();
  await core.database.transaction(async (tx) => {
    const root = await createUser(
      tx,
      { username: 'root', name: 'Administrator', email: 'admin@example.com', admin: true },
      now,
    );
    await insertToken(tx, {
      user_id: root.id,
      name: 'root',
      token_hash: tokenHash(token),
      scopes:
        'api,read_api,read_user,read_repository,write_repository,create_runner,manage_runner,sudo,admin_mode',
      created_at: now,
      updated_at: now,
    });
  });
  return token;
}
