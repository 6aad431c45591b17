import type { Tx } from '../../platform/db/tables.ts';
import { insertNamespace, setTraversal } from '../namespaces/store.ts';
import type { User } from '../tables.ts';
import { type Profile, profileText } from './profile.ts';
import { insertUser } from './store.ts';

export interface NewUser {
  username: string;
  name: string;
  email: string;
  publicEmail?: string | null;
  admin?: boolean;
  external?: boolean;
  privateProfile?: boolean;
  canCreateGroup?: boolean;
  projectsLimit?: number;
  note?: string | null;
  profile?: Profile;
}

/**
 * Writes the user and the personal namespace that goes with him. What is left out gets the table's defaults. Throws
 * UniqueViolation where a name or address is taken. There is no mail to confirm: whoever is made counts as confirmed.
 */
export async function createUser(tx: Tx, input: NewUser, now: number): Promise<User> {
  const user = await insertUser(tx, {
    username: input.username,
    name: input.name,
    email: input.email,
    public_email: input.publicEmail ?? null,
    is_admin: input.admin ? 1 : 0,
    external: input.external ? 1 : 0,
    private_profile: input.privateProfile ? 1 : 0,
    can_create_group: input.canCreateGroup === false ? 0 : 1,
    ...(input.projectsLimit !== undefined && { projects_limit: input.projectsLimit }),
    note: input.note ?? null,
    profile: profileText({}, input.profile ?? {}),
    confirmed_at: now,
    last_activity_on: null,
    created_at: now,
    updated_at: now,
  });
  await createPersonalNamespace(tx, user, now);
  return user;
}

/** The namespace of a user's own projects: his user name as path, his name as name. */
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
