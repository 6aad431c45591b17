import type { Queryable } from '../../platform/db/tables.ts';
import type { User } from '../tables.ts';
import type { UserFacts } from './entities.ts';
import { personalNamespaces } from './list-store.ts';

/** What a user's full answer needs beside his row, for all of them in one query. */
export async function factsOf(db: Queryable, users: User[]): Promise<(user: User) => UserFacts> {
  const found = await personalNamespaces(
    db,
    users.map((user) => user.id),
  );
  return (user) => {
    const personal = found.get(user.id);
    return { namespaceId: personal?.namespaceId ?? null, personalProjects: personal?.projects ?? 0 };
  };
}

export async function factsOfOne(db: Queryable, user: User): Promise<UserFacts> {
  return (await factsOf(db, [user]))(user);
}
