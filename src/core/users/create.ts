import type { Tx } from '../../platform/db/tables.ts';
import { insertNamespace, setTraversal } from '../namespaces/store.ts';
import type { User } from '../tables.ts';
import { insertUser } from './store.ts';

export interface NewUser {
  username: string;
  name: string;
  email: string;
  admin?: boolean;
}

/** Writes the user and the personal namespace that goes with him. Throws UniqueViolation where a name or address is taken. */
export async function createUser(tx: Tx, input: NewUser, now: number): Promise<User> {
  const user = await insertUser(tx, {
    username: input.username,
    name: input.name,
    email: input.email,
    public_email: null,
    is_admin: input.admin ? 1 : 0,
    note: null,
    confirmed_at: now,
    last_activity_on: null,
    created_at: now,
    updated_at: now,
  });
  await createPersonalNamespace(tx, user, now);
  return user;
}

export async function createPersonalNamespace(
  tx: Tx,
  user: Pick<User, 'id' | 'username' | 'name'>,
  now: number,
): Promise<void> {
  const id = await insertNamespace(tx, {
    kind: 'user',
    parent_id: null,
    owner_id: user.id,
    name: user.name,
    path: user.username,
    full_path: user.username,
    full_name: user.name,
    traversal: '',
    created_at: now,
    updated_at: now,
  });
  await setTraversal(tx, id, `/${id}/`);
}
