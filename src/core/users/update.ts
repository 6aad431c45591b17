import type { Tx } from '../../platform/db/tables.ts';
import { fail } from '../../platform/errors.ts';
import type { Core } from '../core.ts';
import { moveNamespace } from '../namespaces/move.ts';
import { findPersonalNamespace } from '../namespaces/store.ts';
import type { User } from '../tables.ts';
import { createUser, type NewUser } from './create.ts';
import { claimAsMain } from './emails/change.ts';
import { PROFILE_FIELDS, type Profile, profileOf, profileText } from './profile.ts';
import { findUser, updateUserRow } from './store.ts';
import { refusingTaken } from './taken.ts';
import { type UserInput, userProblems } from './validate.ts';

type Required = { email: string; username: string; name: string };

/** Makes a user as an administrator asks for him. Throws 400 with all that is wrong, 409 for what is taken. */
export async function registerUser(core: Core, input: UserInput & Required): Promise<User> {
  refuseProblems(input, input.email);
  const { default_projects_limit, can_create_group, user_default_external } = await core.settings.current();
  const draft: NewUser = {
    username: input.username,
    name: input.name,
    email: input.email,
    publicEmail: input.public_email || null,
    admin: input.admin ?? false,
    external: input.external ?? user_default_external,
    privateProfile: input.private_profile ?? false,
    canCreateGroup: input.can_create_group ?? can_create_group,
    projectsLimit: input.projects_limit ?? default_projects_limit,
    note: input.note ?? null,
    profile: profileIn(input),
  };
  return refusingTaken(() =>
    core.database.transaction(async (tx) => {
      await claimAsMain(tx, null, draft.email);
      return createUser(tx, draft, core.clock.now());
    }),
  );
}

/** Changes what is given. A new user name carries the personal namespace and its projects along. Throws 404, 400, 409. */
export async function updateUser(core: Core, id: number, input: UserInput, byUserId: number): Promise<User> {
  return refusingTaken(() =>
    core.database.transaction(async (tx) => {
      const user = await findUser(tx, id);
      if (!user) throw fail.notFound('User');
      refuseProblems(input, input.email ?? user.email);
      if (input.email && input.email !== user.email) await claimAsMain(tx, id, input.email);
      const updated = await writeUser(tx, user, input, core.clock.now());
      await renameHome(core, tx, updated, byUserId);
      return updated;
    }),
  );
}

function refuseProblems(input: UserInput, email: string): void {
  const problems = userProblems(input, email);
  if (Object.keys(problems).length > 0) throw fail.invalid(problems);
}

function profileIn(input: UserInput): Profile {
  const given = PROFILE_FIELDS.flatMap((field) => {
    const value = input[field];
    return value === undefined || value === null ? [] : [[field, value] as const];
  });
  return Object.fromEntries(given);
}

function writeUser(tx: Tx, user: User, input: UserInput, now: number): Promise<User> {
  const email = input.email ?? user.email;
  // A public address must be one's own: it goes with the address that it was.
  const kept = user.public_email === user.email ? user.public_email : null;
  const publicEmail =
    input.public_email === undefined ? (email === user.email ? kept : null) : input.public_email;
  return updateUserRow(tx, user.id, {
    username: input.username ?? user.username,
    name: input.name ?? user.name,
    email,
    public_email: publicEmail || null,
    is_admin: flag(input.admin, user.is_admin),
    external: flag(input.external, user.external),
    private_profile: flag(input.private_profile, user.private_profile),
    can_create_group: flag(input.can_create_group, user.can_create_group),
    projects_limit: input.projects_limit ?? user.projects_limit,
    note: input.note === undefined ? user.note : input.note,
    profile: profileText(profileOf(user), profileIn(input)),
    updated_at: now,
  });
}

const flag = (given: boolean | null | undefined, before: number): number =>
  given === null || given === undefined ? before : Number(given);

async function renameHome(core: Core, tx: Tx, user: User, byUserId: number): Promise<void> {
  const home = await findPersonalNamespace(tx, user.id);
  if (!home || (home.name === user.name && home.path === user.username)) return;
  await moveNamespace(core, tx, home, { parent: null, name: user.name, path: user.username }, byUserId);
}
