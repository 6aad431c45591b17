import { fail } from '../../platform/errors.ts';
import { pageAnswer, pageOf, pageParams } from '../../platform/http/pagination.ts';
import { optional, param, params, withDefault } from '../../platform/http/params.ts';
import { demandUnmodified } from '../../platform/http/precondition.ts';
import type { Scope } from '../../platform/http/route.ts';
import { Type } from '../../platform/http/schema.ts';
import type { Caller } from '../caller.ts';
import type { Core, CoreApi } from '../core.ts';
import type { AccessToken, User } from '../tables.ts';
import { findUser } from '../users/store.ts';
import {
  ImpersonationToken,
  NewImpersonationToken,
  NewPersonalAccessToken,
  presentImpersonation,
  presentToken,
} from './entities.ts';
import { dayOf } from './expiry.ts';
import { type IssuedToken, issueToken } from './issue.ts';
import { demandGrantable, demandOwnable, SCOPES } from './scopes.ts';
import { findTokenById, listTokens, revokeToken } from './store.ts';

const TAG = 'access tokens';

const newTokenParams = {
  name: param.string(),
  description: optional(param.string()),
  scopes: param.list(param.oneOf(SCOPES)),
  expires_at: optional(
    param.date({ description: 'Ends at the beginning of this day; a year from now by default.' }),
  ),
};
const user_id = param.integer({ description: 'Id of the owner.' });

/** Making tokens: for oneself, and for others by administrators. */
export function tokenIssueRoutes(api: CoreApi, core: Core): void {
  personalRoutes(api, core);
  impersonationRoutes(api, core);
}

function personalRoutes(api: CoreApi, core: Core): void {
  const room = api.room(TAG);

  room.post('/user/personal_access_tokens', {
    summary: 'Make a personal access token for oneself',
    description: 'Reaches no further than the token that makes it.',
    params: params(newTokenParams),
    responses: { 201: NewPersonalAccessToken },
    handler: ({ caller, params: asked }) => issuePersonal(core, caller, caller.user, asked),
  });

  room.post('/users/:user_id/personal_access_tokens', {
    summary: 'Make a personal access token for a user (administrators)',
    params: params({ user_id, ...newTokenParams }),
    responses: { 201: NewPersonalAccessToken },
    guard: core.guards.admin,
    handler: async ({ caller, params: asked }) =>
      issuePersonal(core, caller, await userAsked(core, asked.user_id), asked),
  });
}

function impersonationRoutes(api: CoreApi, core: Core): void {
  const room = api.room(TAG);
  const path = '/users/:user_id/impersonation_tokens';
  const one = `${path}/:impersonation_token_id`;
  const oneParams = params({ user_id, impersonation_token_id: param.integer() });

  room.get(path, {
    summary: 'Impersonation tokens of a user (administrators)',
    params: params({
      user_id,
      state: withDefault(param.oneOf(['all', 'active', 'inactive']), 'all'),
      ...pageParams,
    }),
    responses: { 200: Type.Array(ImpersonationToken) },
    guard: core.guards.admin,
    handler: async (call) => {
      const { params: asked } = call;
      const user = await userAsked(core, asked.user_id);
      const page = pageOf(asked);
      const today = dayOf(core.clock.now());
      const state = asked.state === 'all' ? undefined : asked.state;
      const filter = { userId: user.id, impersonation: true, state, today };
      const order = { sort: undefined, limit: page.perPage, offset: page.offset };
      const { tokens, total } = await listTokens(core.db, filter, order);
      return pageAnswer(
        call,
        page,
        tokens.map((token) => presentImpersonation(token, today)),
        { total },
      );
    },
  });

  room.post(path, {
    summary: 'Make an impersonation token, which its owner does not see (administrators)',
    params: params({ user_id, ...newTokenParams }),
    responses: { 201: NewImpersonationToken },
    guard: core.guards.admin,
    handler: async ({ caller, params: asked }) => {
      const user = await userAsked(core, asked.user_id);
      const { row, token } = await issue(core, caller, user, { ...asked, impersonation: true });
      return { ...presentImpersonation(row, dayOf(core.clock.now())), token };
    },
  });

  room.get(one, {
    summary: 'One impersonation token (administrators)',
    params: oneParams,
    responses: { 200: ImpersonationToken },
    guard: core.guards.admin,
    handler: async ({ params: asked }) =>
      presentImpersonation(await impersonationAsked(core, asked), dayOf(core.clock.now())),
  });

  room.delete(one, {
    summary: 'Revoke an impersonation token (administrators)',
    params: oneParams,
    responses: { 204: null },
    guard: core.guards.admin,
    handler: async ({ params: asked, headers }) => {
      const token = await impersonationAsked(core, asked);
      demandUnmodified(headers, token.updated_at);
      await revokeToken(core.db, token.id, core.clock.now());
    },
  });
}

interface Asked {
  name: string;
  description?: string | null;
  scopes: Scope[];
  expires_at?: string | null;
  impersonation?: boolean;
}

async function issuePersonal(core: Core, caller: Caller, owner: User, asked: Asked) {
  const { row, token } = await issue(core, caller, owner, asked);
  return { ...presentToken(row, dayOf(core.clock.now())), token };
}

function issue(core: Core, caller: Caller, owner: User, asked: Asked): Promise<IssuedToken> {
  demandOwnable(asked.scopes, owner);
  demandGrantable(asked.scopes, caller);
  const request = {
    userId: owner.id,
    name: asked.name,
    description: asked.description,
    scopes: asked.scopes,
    expiresAt: asked.expires_at,
    impersonation: asked.impersonation ?? false,
    createdById: caller.user.id,
  };
  return core.database.transaction((tx) => issueToken(tx, request, core.clock.now()));
}

async function userAsked(core: Core, id: number): Promise<User> {
  const user = await findUser(core.db, id);
  if (!user) throw fail.notFound('User');
  return user;
}

async function impersonationAsked(
  core: Core,
  asked: { user_id: number; impersonation_token_id: number },
): Promise<AccessToken> {
  const user = await userAsked(core, asked.user_id);
  const token = await findTokenById(core.db, asked.impersonation_token_id);
  if (token?.user_id !== user.id || token.impersonation === 0) throw fail.notFound('Impersonation Token');
  return token;
}
