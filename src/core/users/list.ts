import { ApiError } from '../../platform/errors.ts';
import type { Answer } from '../../platform/http/answer.ts';
import {
  decodeCursor,
  demandNear,
  encodeCursor,
  keysetAnswer,
  keysetParams,
  type Linkable,
  pageAnswer,
  pageOf,
  pageParams,
} from '../../platform/http/pagination.ts';
import { optional, param, withDefault } from '../../platform/http/params.ts';
import type { Caller } from '../caller.ts';
import type { Core } from '../core.ts';
import { presentUserBasic } from '../entities.ts';
import type { User } from '../tables.ts';
import { presentForAdmin } from './entities.ts';
import { factsOf } from './facts.ts';
import { countUsers, listUsers, USER_ORDERS, type UserFilter, type UserOrder } from './list-store.ts';

const flag = (description: string) => optional(param.boolean({ description }));

export const userListParams = {
  username: optional(param.string({ description: 'This user name, in any case.' })),
  search: optional(param.string({ description: 'Part of a name or user name, or a whole mail address.' })),
  active: flag('Only users who are neither blocked nor deactivated.'),
  exclude_active: flag('Only users who are blocked or deactivated.'),
  blocked: flag('Only blocked users.'),
  external: flag('Only external users.'),
  exclude_external: flag('Only users who are not external.'),
  humans: flag('Only people, no bots.'),
  exclude_humans: flag('Only bots.'),
  without_project_bots: flag('No bots.'),
  without_projects: flag('Only users without a project.'),
  admins: flag('Only administrators; for administrators.'),
  created_after: optional(param.dateTime()),
  created_before: optional(param.dateTime()),
  order_by: withDefault(param.oneOf(USER_ORDERS), 'id'),
  sort: withDefault(param.oneOf(['asc', 'desc']), 'desc'),
  ...pageParams,
  ...keysetParams,
};

export interface UserListAsked {
  username?: string | null;
  search?: string | null;
  active?: boolean | null;
  exclude_active?: boolean | null;
  blocked?: boolean | null;
  external?: boolean | null;
  exclude_external?: boolean | null;
  humans?: boolean | null;
  exclude_humans?: boolean | null;
  without_project_bots?: boolean | null;
  without_projects?: boolean | null;
  admins?: boolean | null;
  created_after?: number | null;
  created_before?: number | null;
  order_by: UserOrder;
  sort: 'asc' | 'desc';
  page?: number | null;
  per_page?: number | null;
  pagination?: string | null;
  cursor?: string | null;
}

interface Call extends Linkable {
  caller: Caller;
  params: UserListAsked;
}

/** One page of users, full for administrators, basic for everybody else. */
export function userList(core: Core, call: Call): Promise<Answer> {
  return call.params.pagination === 'keyset' ? keysetPage(core, call) : offsetPage(core, call);
}

async function offsetPage(core: Core, call: Call): Promise<Answer> {
  const { caller, params: asked } = call;
  const page = pageOf(asked);
  demandNear(page, 'User');
  const filter = filterOf(caller, asked);
  const order = { order: asked.order_by, direction: asked.sort };
  const users = await listUsers(core.db, filter, { ...order, limit: page.perPage, offset: page.offset });
  const total = await countUsers(core.db, filter);
  return pageAnswer(call, page, await present(core, caller, users), { total });
}

async function keysetPage(core: Core, call: Call): Promise<Answer> {
  const { caller, params: asked } = call;
  const { perPage } = pageOf({ per_page: asked.per_page });
  const after = asked.cursor ? positionIn(asked.cursor, asked.order_by) : undefined;
  const order = { order: asked.order_by, direction: asked.sort };
  const found = await listUsers(core.db, filterOf(caller, asked), { ...order, limit: perPage + 1, after });
  const users = found.slice(0, perPage);
  const last = found.length > perPage ? users.at(-1) : undefined;
  const next = last ? { cursor: encodeCursor({ value: last[asked.order_by], id: last.id }) } : null;
  return keysetAnswer(call, await present(core, caller, users), next);
}

function positionIn(cursor: string, order: UserOrder): { value: string | number; id: number } {
  const { value, id } = decodeCursor(cursor);
  const type = order === 'name' || order === 'username' ? 'string' : 'number';
  const good = typeof value === type && Number.isSafeInteger(id);
  const clean = typeof value === 'string' ? !value.includes('\0') && value.isWellFormed() : true;
  if (!good || !clean || (type === 'number' && !Number.isSafeInteger(value))) {
    throw new ApiError('invalid_params', { problems: 'cursor is invalid' });
  }
  return { value: value as string | number, id: id as number };
}

/** GitLab hides these from everybody but administrators. */
const HIDDEN_STATES = ['blocked', 'banned', 'ldap_blocked'];
const BLOCKED_STATES = ['blocked', 'ldap_blocked'];

function filterOf(caller: Caller, asked: UserListAsked): UserFilter {
  return {
    username: asked.username ?? undefined,
    search: asked.search ?? undefined,
    searchEmails: caller.admin,
    states: asked.active ? ['active'] : asked.blocked ? BLOCKED_STATES : undefined,
    exceptStates: hiddenStates(caller, asked),
    external: asked.external ? true : asked.exclude_external ? false : undefined,
    admins: (caller.admin && asked.admins) ?? undefined,
    bots: botsAsked(asked),
    withoutProjects: asked.without_projects ?? undefined,
    createdAfter: asked.created_after ?? undefined,
    createdBefore: asked.created_before ?? undefined,
  };
}

function hiddenStates(caller: Caller, asked: UserListAsked): string[] | undefined {
  const hidden = [...(caller.admin ? [] : HIDDEN_STATES), ...(asked.exclude_active ? ['active'] : [])];
  return hidden.length === 0 ? undefined : hidden;
}

function botsAsked(asked: UserListAsked): boolean | undefined {
  if (asked.humans || asked.without_project_bots) return false;
  return asked.exclude_humans ? true : undefined;
}

async function present(core: Core, caller: Caller, users: User[]): Promise<unknown[]> {
  const baseUrl = core.baseUrl();
  if (!caller.admin) return users.map((user) => presentUserBasic(user, baseUrl));
  const facts = await factsOf(core.db, users);
  return users.map((user) => presentForAdmin(user, facts(user), baseUrl));
}
