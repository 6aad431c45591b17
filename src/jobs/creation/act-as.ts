import type { Caller } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import type { User } from '../../core/tables.ts';
import { findUser } from '../../core/users/store.ts';

/** Somebody in whose name the service itself acts. */
export const actingAs = (user: User): Caller => ({
  user,
  admin: user.is_admin === 1,
  scopes: new Set(),
  tokenId: null,
  job: null,
});

/** The same by number; null for who is gone, blocked or deactivated. */
export async function actorOf({ db }: Pick<Core, 'db'>, userId: number | null): Promise<Caller | null> {
  const user = userId === null ? undefined : await findUser(db, userId);
  return user?.state === 'active' ? actingAs(user) : null;
}
