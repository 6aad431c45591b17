import { fail } from '../../platform/errors.ts';
import { nullable, optional, param, params, timestamp } from '../../platform/http/params.ts';
import { Type } from '../../platform/http/schema.ts';
import type { Caller } from '../caller.ts';
import type { Core, CoreApi } from '../core.ts';
import { presentUserBasic } from '../entities.ts';
import type { User } from '../tables.ts';
import { userAdminRoutes } from './admin-routes.ts';
import { emailRoutes } from './emails/routes.ts';
import { CurrentUser, presentForAdmin, presentOneself, presentProfile, UserDetails } from './entities.ts';
import { factsOfOne } from './facts.ts';
import { userList, userListParams } from './list.ts';
import { findUser, findUserByReference } from './store.ts';

const TAG = 'users';
const SCOPES = ['read_user'] as const;

const UserStatus = Type.Object(
  {
    emoji: nullable(Type.String()),
    message: nullable(Type.String()),
    message_html: Type.String(),
    availability: nullable(Type.String()),
    clear_status_at: nullable(timestamp()),
  },
  { $id: 'UserStatus' },
);

/** What GitLab answers for somebody who has set no status; nobody can set one here. */
const NO_STATUS = { emoji: null, message: null, message_html: '', availability: null, clear_status_at: null };

/** Looking at users here, what administrators do with them in `admin-routes.ts`. */
export function userRoutes(api: CoreApi, core: Core): void {
  listAndShow(api, core);
  currentUser(api, core);
  statuses(api, core);
  userAdminRoutes(api, core);
  emailRoutes(api, core);
}

function listAndShow(api: CoreApi, core: Core): void {
  const room = api.room(TAG);

  room.get('/users', {
    summary: 'Users, newest first; administrators see all of each, others the basics',
    params: params(userListParams),
    responses: { 200: Type.Array(UserDetails) },
    scopes: SCOPES,
    handler: (call) => userList(core, call),
  });

  room.get('/users/:id', {
    summary: 'One user, as far as the caller may see him',
    params: params({ id: param.integer(), with_custom_attributes: optional(param.boolean()) }),
    responses: { 200: UserDetails },
    scopes: SCOPES,
    handler: async ({ caller, params: { id } }) => {
      const user = await findUser(core.db, id);
      if (!user) throw fail.notFound('User');
      return presentAsSeen(core, caller, user);
    },
  });
}

async function presentAsSeen(core: Core, caller: Caller, user: User) {
  const baseUrl = core.baseUrl();
  if (caller.admin) return presentForAdmin(user, await factsOfOne(core.db, user), baseUrl);
  const hidden = user.private_profile === 1 && user.id !== caller.user.id;
  return hidden ? presentUserBasic(user, baseUrl) : presentProfile(user, baseUrl);
}

function currentUser(api: CoreApi, core: Core): void {
  api.room(TAG).get('/user', {
    summary: 'The user that this call acts as',
    params: params({}),
    responses: { 200: CurrentUser },
    scopes: SCOPES,
    handler: async ({ caller }) => {
      const { user } = caller;
      const facts = await factsOfOne(core.db, user);
      const present = caller.admin ? presentForAdmin : presentOneself;
      return present(user, facts, core.baseUrl());
    },
  });
}

function statuses(api: CoreApi, core: Core): void {
  const room = api.room(TAG);

  room.get('/user/status', {
    summary: 'One’s own status message',
    params: params({}),
    responses: { 200: UserStatus },
    scopes: SCOPES,
    handler: async () => NO_STATUS,
  });

  room.get('/users/:user_id/status', {
    summary: 'Status message of a user, by id or user name',
    params: params({ user_id: param.string() }),
    responses: { 200: UserStatus },
    scopes: SCOPES,
    handler: async ({ params: { user_id } }) => {
      if (!(await findUserByReference(core.db, user_id))) throw fail.notFound('User');
      return NO_STATUS;
    },
  });
}
