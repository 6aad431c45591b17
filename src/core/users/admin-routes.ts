import { fail } from '../../platform/errors.ts';
import { nullable, optional, param, params } from '../../platform/http/params.ts';
import { demandUnmodified } from '../../platform/http/precondition.ts';
import { Type } from '../../platform/http/schema.ts';
import type { Core, CoreApi } from '../core.ts';
import type { User } from '../tables.ts';
import { dayOf } from '../tokens/expiry.ts';
import { presentForAdmin, UserForAdmin } from './entities.ts';
import { factsOfOne } from './facts.ts';
import { removeUser } from './remove.ts';
import { stateAfter, type UserAction } from './states.ts';
import { findUser, setUserState } from './store.ts';
import { registerUser, updateUser } from './update.ts';

const TAG = 'users';

const id = param.integer({ description: 'Id of the user.' });
const text = (description?: string) =>
  optional(param.string(description === undefined ? {} : { description }));
const flag = (description?: string) =>
  optional(param.boolean(description === undefined ? {} : { description }));

const attributes = {
  public_email: text('Must be the user’s own address.'),
  admin: flag(),
  external: flag('Sees internal projects only as a member.'),
  can_create_group: flag(),
  private_profile: flag(),
  projects_limit: optional(param.integer({ description: 'Personal projects at most.' })),
  note: text('For administrators.'),
  bio: text(),
  location: text(),
  skype: text(),
  linkedin: text(),
  twitter: text(),
  discord: text(),
  website_url: text(),
  organization: text(),
  job_title: text(),
  pronouns: text(),
};

const PASSWORDS = ['password', 'reset_password', 'force_random_password'];

/** What administrators do with users. */
export function userAdminRoutes(api: CoreApi, core: Core): void {
  createAndChange(api, core);
  deletion(api, core);
  const actions: [UserAction, string][] = [
    ['block', 'Block a user: his tokens are refused, his things stay'],
    ['unblock', 'Lift a block'],
    ['deactivate', 'Deactivate a user who has not been active for 90 days'],
    ['activate', 'Activate a deactivated user'],
    ['ban', 'Ban an active user'],
    ['unban', 'Lift a ban'],
  ];
  for (const [action, summary] of actions) stateRoute(api, core, action, summary);
}

function createAndChange(api: CoreApi, core: Core): void {
  const room = api.room(TAG);

  room.post('/users', {
    summary: 'Make a user with his personal namespace (administrators)',
    description:
      'One of the three ways to a password must be named, as in GitLab, but none is kept: there is no signing in, only tokens. Nor is mail confirmed: the user is active at once.',
    params: params(
      {
        email: param.string(),
        name: param.string(),
        username: param.string(),
        password: text('Checked and not kept.'),
        reset_password: flag('In place of a password.'),
        force_random_password: flag('In place of a password.'),
        skip_confirmation: flag('Without effect: nothing is to be confirmed.'),
        ...attributes,
      },
      { atLeastOneOf: [PASSWORDS] },
    ),
    responses: { 201: UserForAdmin },
    guard: core.guards.admin,
    handler: async ({ params: asked }) => present(core, await registerUser(core, asked)),
  });

  room.put('/users/:id', {
    summary: 'Change a user (administrators)',
    description:
      'A new user name renames the personal namespace; old project paths go on leading to the projects.',
    params: params({
      id,
      email: text(),
      name: text(),
      username: text(),
      password: text('Checked and not kept.'),
      skip_reconfirmation: flag('Without effect: nothing is to be confirmed.'),
      ...attributes,
    }),
    responses: { 200: UserForAdmin },
    guard: core.guards.admin,
    handler: async ({ caller, params: { id: userId, ...asked } }) =>
      present(core, await updateUser(core, userId, asked, caller.user.id)),
  });
}

function deletion(api: CoreApi, core: Core): void {
  api.room(TAG).delete('/users/:id', {
    summary: 'Delete a user with his personal projects (administrators)',
    description: 'What he wrote elsewhere stays, in the name of the ghost user.',
    params: params({ id, hard_delete: flag('Deletes the groups too that nobody else owns.') }),
    responses: { 204: null },
    guard: core.guards.admin,
    handler: async ({ caller, params: asked, headers }) => {
      demandUnmodified(headers, (await findUser(core.db, asked.id))?.updated_at ?? null);
      await removeUser(core, asked.id, { hard: asked.hard_delete ?? false, byUserId: caller.user.id });
    },
  });
}

/** What GitLab answers where nothing changes: `false` where the user is active already, `null` elsewhere; clients tell them apart. */
const unchanged = (action: UserAction) => (action === 'unblock' || action === 'activate' ? false : null);

/** GitLab answers `true` for a change. */
function stateRoute(api: CoreApi, core: Core, action: UserAction, summary: string): void {
  api.room(TAG).post(`/users/:id/${action}`, {
    summary: `${summary} (administrators)`,
    params: params({ id }),
    responses: { 201: nullable(Type.Boolean()) },
    guard: core.guards.admin,
    handler: async ({ caller, params: asked }) => {
      const user = await findUser(core.db, asked.id);
      if (!user) throw fail.notFound('User');
      const now = core.clock.now();
      const to = stateAfter(action, user, caller, dayOf(now));
      if (to === null) return unchanged(action);
      const changed = await setUserState(core.db, user.id, { from: user.state, to, now });
      if (!changed) throw fail.conflict('409 Conflict');
      return true;
    },
  });
}

async function present(core: Core, user: User) {
  return presentForAdmin(user, await factsOfOne(core.db, user), core.baseUrl());
}
