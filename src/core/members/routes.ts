import { fail } from '../../platform/errors.ts';
import { pageAnswer, pageOf, pageParams } from '../../platform/http/pagination.ts';
import { optional, param, params, withDefault } from '../../platform/http/params.ts';
import { Type } from '../../platform/http/schema.ts';
import type { Caller } from '../caller.ts';
import type { Core, CoreApi } from '../core.ts';
import { findUser, findUserByUsername } from '../users/store.ts';
import { AddedMany, addMembers } from './add-many.ts';
import { countAll, listAll } from './all-store.ts';
import { addMember, changeMember, removeMember } from './change.ts';
import { Member, presentMembers } from './entities.ts';
import { type MemberKind, sourceGuard } from './guard.ts';
import { countDirect, listDirect, type MemberFilter } from './store.ts';

const listParams = {
  id: param.string(),
  query: optional(param.string()),
  user_ids: optional(param.csv()),
  skip_users: optional(param.csv()),
  show_seat_info: optional(param.boolean()),
  state: optional(param.oneOf(['awaiting', 'active'])),
  ...pageParams,
};

/** Members of projects and groups: the same routes below both. */
export function memberRoutes(api: CoreApi, core: Core, kind: MemberKind): void {
  const room = api.room('members');
  const path = `/${kind}s/:id/members`;
  const guard = sourceGuard(core, kind);

  for (const all of [false, true]) {
    const list = all ? listAll : listDirect;
    const count = all ? countAll : countDirect;

    room.get(all ? `${path}/all` : path, {
      summary: all ? 'Members, inherited and invited ones too' : 'Members of the thing itself',
      params: params(listParams),
      responses: { 200: Type.Array(Member) },
      guard,
      handler: async (call) => {
        const page = pageOf(call.params);
        const filter = filterOf(core, call.params);
        // Nobody waits for anything here: places are not counted.
        if (call.params.state === 'awaiting') return pageAnswer(call, page, [], { total: 0 });
        const rows = await list(core.db, call.guarded, filter, { limit: page.perPage, offset: page.offset });
        const total = await count(core.db, call.guarded, filter);
        return pageAnswer(call, page, await presentMembers(core, call.caller, rows), { total });
      },
    });

    room.get(all ? `${path}/all/:user_id` : `${path}/:user_id`, {
      summary: all ? 'One member, inherited and invited ones too' : 'One member',
      params: params({ id: param.string(), user_id: param.integer() }),
      responses: { 200: Member },
      guard,
      handler: async ({ caller, params, guarded }) => {
        const filter = { today: core.access.today(), userIds: [params.user_id] };
        const rows = await list(core.db, guarded, filter, { limit: 1, offset: 0 });
        if (rows.length === 0) throw fail.recordNotFound();
        const [member] = await presentMembers(core, caller, rows);
        return member;
      },
    });
  }

  room.post(path, {
    summary: 'Add a member, or several with a comma-separated `user_id`',
    params: params(
      {
        id: param.string(),
        access_level: param.integer(),
        user_id: optional(param.string()),
        username: optional(param.string()),
        expires_at: optional(param.date()),
        invite_source: optional(param.string()),
      },
      { mutuallyExclusive: [['user_id', 'username']], atLeastOneOf: [['user_id', 'username']] },
    ),
    responses: { 201: Type.Union([Member, AddedMany]) },
    guard: sourceGuard(core, kind, { admin: true }),
    handler: async ({ caller, params, guarded }) => {
      const wanted = { accessLevel: params.access_level, expiresAt: params.expires_at ?? null };
      const userIds = params.user_id?.split(',').map((id) => id.trim()) ?? [];
      if (userIds.length > 1) return addMembers(core, caller, guarded, userIds, wanted);
      const user = await findOne(core, userIds[0], params.username);
      const member = await addMember(core, caller, guarded, user.id, wanted);
      return present(core, caller, member);
    },
  });

  room.put(`${path}/:user_id`, {
    summary: 'Change the level or the end of a membership',
    params: params({
      id: param.string(),
      user_id: param.integer(),
      access_level: param.integer(),
      expires_at: optional(param.date()),
    }),
    responses: { 200: Member },
    guard: sourceGuard(core, kind, { admin: true }),
    handler: async ({ caller, params, guarded }) => {
      const wanted = { accessLevel: params.access_level, expiresAt: params.expires_at };
      const member = await changeMember(core, caller, guarded, params.user_id, wanted);
      return present(core, caller, member);
    },
  });

  room.delete(`${path}/:user_id`, {
    summary: 'Remove a member; of a group also from everything below, unless `skip_subresources`',
    params: params({
      id: param.string(),
      user_id: param.integer(),
      skip_subresources: withDefault(param.boolean(), false),
      unassign_issuables: withDefault(param.boolean(), false),
    }),
    responses: { 204: null },
    guard,
    handler: async ({ caller, params, guarded }) => {
      const options = { alsoBelow: !params.skip_subresources };
      await removeMember(core, caller, guarded, params.user_id, options);
    },
  });
}

async function present(core: Core, caller: Caller, row: Parameters<typeof presentMembers>[2][number]) {
  const [member] = await presentMembers(core, caller, [row]);
  return member;
}

function filterOf(
  core: Core,
  {
    query,
    user_ids: ids,
    skip_users: skip,
  }: {
    query?: string | null | undefined;
    user_ids?: string[] | null | undefined;
    skip_users?: string[] | null | undefined;
  },
): MemberFilter {
  return {
    today: core.access.today(),
    query: query || undefined,
    userIds: ids && ids.length > 0 ? ids.map(Number).filter(Number.isSafeInteger) : undefined,
    skipIds: skip?.map(Number).filter(Number.isSafeInteger),
  };
}

async function findOne(core: Core, id: string | undefined, username: string | null | undefined) {
  const byId = id !== undefined && /^\d{1,15}$/.test(id) ? await findUser(core.db, Number(id)) : undefined;
  const user = byId ?? (username ? await findUserByUsername(core.db, username) : undefined);
  if (!user) throw fail.notFound('User');
  return user;
}
