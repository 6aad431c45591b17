import { ApiError } from '../../platform/errors.ts';
import type { Answer } from '../../platform/http/answer.ts';
import {
  decodeCursor,
  demandNear,
  encodeCursor,
  keysetAnswer,
  keysetParams,
  type Linkable,
  PER_PAGE_DEFAULT,
  PER_PAGE_MAX,
  pageAnswer,
  pageOf,
  pageParams,
  refuseKeyset,
} from '../../platform/http/pagination.ts';
import { optional, param, withDefault } from '../../platform/http/params.ts';
import type { Static } from '../../platform/http/schema.ts';
import { Level } from '../access/levels.ts';
import type { Caller } from '../caller.ts';
import type { Core } from '../core.ts';
import { VISIBILITIES } from '../projects/params.ts';
import type { Namespace } from '../tables.ts';
import { presentGroups } from './entities.ts';
import {
  countGroups,
  GROUP_ORDERS,
  type GroupFilter,
  type GroupOrder,
  type GroupSlice,
  listGroups,
} from './list-store.ts';

/** What every list of groups takes, wherever it hangs. */
export const groupListParams = {
  skip_groups: optional(param.csv()),
  all_available: optional(param.boolean()),
  search: optional(param.string()),
  owned: withDefault(param.boolean(), false),
  min_access_level: optional(param.oneOfNumbers([10, 15, 20, 30, 40, 50])),
  top_level_only: withDefault(param.boolean(), false),
  visibility: optional(param.oneOf(VISIBILITIES)),
  order_by: withDefault(param.oneOf(GROUP_ORDERS), 'name'),
  sort: withDefault(param.oneOf(['asc', 'desc']), 'asc'),
  statistics: withDefault(param.boolean(), false),
  with_custom_attributes: withDefault(param.boolean(), false),
  ...pageParams,
  ...keysetParams,
};

export type GroupListParams = {
  [K in keyof typeof groupListParams]?: Static<(typeof groupListParams)[K]> | undefined;
};

type Call = Linkable & { caller: Caller; params: GroupListParams };

/** Answers a list of groups: `places` says where they are looked for, the call's parameters narrow it further. */
export async function answerGroupList(
  core: Core,
  call: Call,
  places: Omit<Partial<GroupFilter>, 'viewer'> = {},
): Promise<Answer> {
  const filter = { ...filterOf(core, call), ...places };
  const { order_by: by = 'name', sort: direction = 'asc' } = call.params;
  const order = { by, direction };
  if (call.params.pagination === 'keyset') return keysetPage(core, call, filter, order);
  const page = pageOf(call.params);
  demandNear(page, 'Group');
  const [rows, total] = await Promise.all([
    listGroups(core.db, filter, order, { limit: page.perPage, offset: page.offset }),
    countGroups(core.db, filter),
  ]);
  return pageAnswer(call, page, await presentGroups(core, rows), { total });
}

function filterOf(core: Core, { caller, params }: Call): GroupFilter {
  return {
    viewer: core.access.viewer(caller),
    search: params.search || undefined,
    visibility: params.visibility ?? undefined,
    minAccessLevel: leastLevel(params),
    topLevelOnly: params.top_level_only,
    skip: params.skip_groups?.map(Number).filter(Number.isSafeInteger),
  };
}

/** `all_available=false` leaves only those of which the caller is a member. */
function leastLevel({ owned, min_access_level: level, all_available: all }: GroupListParams) {
  if (owned) return Level.owner;
  return level ?? (all === false ? Level.guest : undefined);
}

async function keysetPage(core: Core, call: Call, filter: GroupFilter, order: GroupOrder): Promise<Answer> {
  if (order.by !== 'name' && order.by !== 'id') refuseKeyset();
  const { per_page: asked, cursor } = call.params;
  const limit = !asked || asked < 1 ? PER_PAGE_DEFAULT : Math.min(asked, PER_PAGE_MAX);
  const after = cursor ? positionOf(cursor, order) : undefined;
  const found = await listGroups(core.db, filter, order, { limit: limit + 1, after });
  const rows = found.slice(0, limit);
  const next = found.length > limit ? { cursor: cursorOf(rows.at(-1)!, order) } : null;
  return keysetAnswer(call, await presentGroups(core, rows), next);
}

const cursorOf = (last: Namespace, { by }: GroupOrder): string =>
  encodeCursor({ by, value: last[by as 'name' | 'id'], id: last.id });

function positionOf(cursor: string, { by }: GroupOrder): NonNullable<GroupSlice['after']> {
  const { by: madeFor, value, id } = decodeCursor(cursor);
  const fits =
    madeFor === by && Number.isSafeInteger(id) && typeof value === (by === 'name' ? 'string' : 'number');
  if (!fits) throw new ApiError('invalid_params', { problems: 'cursor is invalid' });
  return { value: value as string | number, id: id as number };
}
