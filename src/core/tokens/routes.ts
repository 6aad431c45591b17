import { fail } from '../../platform/errors.ts';
import { Answer } from '../../platform/http/answer.ts';
import { pageAnswer, pageOf, pageParams } from '../../platform/http/pagination.ts';
import { optional, param, params } from '../../platform/http/params.ts';
import { demandUnmodified } from '../../platform/http/precondition.ts';
import { Type } from '../../platform/http/schema.ts';
import type { Caller } from '../caller.ts';
import type { Core, CoreApi } from '../core.ts';
import type { AccessToken } from '../tables.ts';
import { deployTokenRoutes } from './deploy-token-routes.ts';
import { NewPersonalAccessToken, PersonalAccessToken, presentToken } from './entities.ts';
import { dayOf } from './expiry.ts';
import { type IssuedToken, rotateToken } from './issue.ts';
import { tokenIssueRoutes } from './issue-routes.ts';
import { jobTokenScopeRoutes } from './job-scope/routes.ts';
import { demandGrantable, SCOPES, scopeList } from './scopes.ts';
import { findTokenById, listTokens, revokeToken, TOKEN_SORTS, type TokenSort } from './store.ts';

const TAG = 'access tokens';

const id = param.integer({ description: 'Id of the token.' });
const listParams = {
  user_id: optional(param.integer({ description: 'Owner; administrators may ask for anybody.' })),
  state: optional(param.oneOf(['active', 'inactive'])),
  revoked: optional(param.boolean()),
  search: optional(param.string({ description: 'Part of the name.' })),
  created_after: optional(param.dateTime()),
  created_before: optional(param.dateTime()),
  last_used_after: optional(param.dateTime()),
  last_used_before: optional(param.dateTime()),
  expires_after: optional(param.date()),
  expires_before: optional(param.date()),
  sort: optional(param.oneOf(Object.keys(TOKEN_SORTS) as TokenSort[])),
  ...pageParams,
};

/** Personal access tokens that there are here, making new ones in `issue-routes.ts`. */
export function tokenRoutes(api: CoreApi, core: Core): void {
  jobTokenScopeRoutes(api, core);
  listRoute(api, core);
  selfRoutes(api, core);
  idRoutes(api, core);
  tokenIssueRoutes(api, core);
  deployTokenRoutes(api, core);
}

function listRoute(api: CoreApi, core: Core): void {
  api.room(TAG).get('/personal_access_tokens', {
    summary: 'Personal access tokens: the own ones; for administrators everybody’s',
    params: params(listParams),
    responses: { 200: Type.Array(PersonalAccessToken) },
    handler: async (call) => {
      const { caller, params: asked } = call;
      const page = pageOf(asked);
      const today = dayOf(core.clock.now());
      const { tokens, total } = await listTokens(
        core.db,
        {
          userId: ownerAsked(caller, asked.user_id),
          impersonation: false,
          state: asked.state ?? undefined,
          revoked: asked.revoked ?? undefined,
          search: asked.search ?? undefined,
          createdAfter: asked.created_after ?? undefined,
          createdBefore: asked.created_before ?? undefined,
          lastUsedAfter: asked.last_used_after ?? undefined,
          lastUsedBefore: asked.last_used_before ?? undefined,
          expiresAfter: asked.expires_after ?? undefined,
          expiresBefore: asked.expires_before ?? undefined,
          today,
        },
        { sort: asked.sort ?? undefined, limit: page.perPage, offset: page.offset },
      );
      return pageAnswer(
        call,
        page,
        tokens.map((token) => presentToken(token, today)),
        { total },
      );
    },
  });
}

function ownerAsked(caller: Caller, asked: number | null | undefined): number | undefined {
  if (caller.admin) return asked ?? undefined;
  if (asked !== null && asked !== undefined && asked !== caller.user.id) throw fail.unauthorized();
  return caller.user.id;
}

/** Any scope will do to look at oneself or to end oneself. */
function selfRoutes(api: CoreApi, core: Core): void {
  const room = api.room(TAG);
  const path = '/personal_access_tokens/self';

  room.get(path, {
    summary: 'The token that this call is made with',
    params: params({}),
    responses: { 200: PersonalAccessToken },
    scopes: SCOPES,
    handler: async ({ caller }) => presentToken(await ownToken(core, caller), dayOf(core.clock.now())),
  });

  room.delete(path, {
    summary: 'Revoke the token that this call is made with',
    params: params({}),
    responses: { 204: null },
    scopes: SCOPES,
    handler: async ({ caller, headers }) => {
      const token = await ownToken(core, caller);
      demandUnmodified(headers, token.updated_at);
      await revokeToken(core.db, token.id, core.clock.now());
    },
  });

  room.post(`${path}/rotate`, {
    summary: 'Revoke the token that this call is made with and make its successor',
    params: params({ expires_at: optional(param.date({ description: 'A week from now by default.' })) }),
    responses: { 200: NewPersonalAccessToken },
    scopes: ['self_rotate'],
    handler: async ({ caller, params: { expires_at } }) =>
      rotated(core, caller, await ownToken(core, caller), expires_at),
  });
}

function idRoutes(api: CoreApi, core: Core): void {
  const room = api.room(TAG);
  const path = '/personal_access_tokens/:id';

  room.get(path, {
    summary: 'One personal access token',
    params: params({ id }),
    responses: { 200: PersonalAccessToken },
    handler: async ({ caller, params: asked }) =>
      presentToken(await tokenAsked(core, caller, asked.id), dayOf(core.clock.now())),
  });

  room.delete(path, {
    summary: 'Revoke a personal access token',
    params: params({ id }),
    responses: { 204: null },
    handler: async ({ caller, params: asked, headers }) => {
      const token = await tokenAsked(core, caller, asked.id);
      demandUnmodified(headers, token.updated_at);
      await revokeToken(core.db, token.id, core.clock.now());
    },
  });

  room.post(`${path}/rotate`, {
    summary: 'Revoke a personal access token and make its successor, with the same name and scopes',
    params: params({ id, expires_at: optional(param.date({ description: 'A week from now by default.' })) }),
    responses: { 200: NewPersonalAccessToken },
    handler: async ({ caller, params: asked }) =>
      rotated(core, caller, await tokenAsked(core, caller, asked.id), asked.expires_at),
  });
}

/** Other people's tokens answer 401 to those who are no administrators, whether they exist or not. */
async function tokenAsked(core: Core, caller: Caller, tokenId: number): Promise<AccessToken> {
  const token = await findTokenById(core.db, tokenId);
  if (caller.admin) {
    if (!token) throw fail.notFound();
    return token;
  }
  const own = token?.user_id === caller.user.id && token.impersonation === 0;
  if (!token || !own) throw fail.unauthorized();
  return token;
}

async function ownToken(core: Core, caller: Caller): Promise<AccessToken> {
  const token = caller.tokenId === null ? undefined : await findTokenById(core.db, caller.tokenId);
  if (!token) throw fail.unauthorized();
  return token;
}

/** A successor has its predecessor's scopes, so the caller must be able to hand those on. */
async function rotated(
  core: Core,
  caller: Caller,
  old: AccessToken,
  expiresAt: string | null | undefined,
): Promise<Answer> {
  if (old.id !== caller.tokenId) demandGrantable(scopeList(old.scopes), caller);
  const now = core.clock.now();
  const issued = await rotateToken(core.database, old, { expiresAt, byUserId: caller.user.id, now });
  return new Answer(200, presentIssued(issued, now));
}

const presentIssued = ({ row, token }: IssuedToken, now: number) => ({
  ...presentToken(row, dayOf(now)),
  token,
});
