import { ApiError } from '../../platform/errors.ts';
import type { Answer } from '../../platform/http/answer.ts';
import {
  decodeCursor,
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
import type { Caller } from '../caller.ts';
import type { Core } from '../core.ts';
import type { ProjectWithNamespace } from './find.ts';
import {
  countProjects,
  listProjects,
  PROJECT_ORDERS,
  type ProjectFilter,
  type ProjectOrder,
  type Slice,
} from './list-store.ts';
import { VISIBILITIES } from './params.ts';
import { presentProjects } from './present.ts';
import { presentBasicProjects } from './present-basic.ts';

/** What every list of projects takes, wherever it hangs. */
export const projectListParams = {
  search: optional(param.string()),
  search_namespaces: optional(param.boolean()),
  archived: optional(param.boolean()),
  visibility: optional(param.oneOf(VISIBILITIES)),
  owned: withDefault(param.boolean(), false),
  starred: withDefault(param.boolean(), false),
  membership: withDefault(param.boolean(), false),
  min_access_level: optional(param.oneOfNumbers([10, 15, 20, 30, 40, 50])),
  with_issues_enabled: withDefault(param.boolean(), false),
  with_merge_requests_enabled: withDefault(param.boolean(), false),
  with_programming_language: optional(param.string({ description: 'Accepted, without effect.' })),
  topic: optional(param.csv()),
  id_after: optional(param.integer()),
  id_before: optional(param.integer()),
  last_activity_after: optional(param.dateTime()),
  last_activity_before: optional(param.dateTime()),
  order_by: withDefault(param.oneOf(PROJECT_ORDERS), 'created_at'),
  sort: withDefault(param.oneOf(['asc', 'desc']), 'desc'),
  simple: withDefault(param.boolean(), false),
  statistics: withDefault(param.boolean(), false),
  with_custom_attributes: withDefault(param.boolean(), false),
  ...pageParams,
  ...keysetParams,
};

export type ProjectListParams = {
  [K in keyof typeof projectListParams]?: Static<(typeof projectListParams)[K]> | undefined;
};

/** Of longer lists GitLab tells no total. */
const COUNTED = 10_000;

type Call = Linkable & { caller: Caller; params: ProjectListParams; raw: Record<string, unknown> };

/** Answers a list of projects: `places` says where they are looked for, the call's parameters narrow it further. */
export async function answerProjectList(
  core: Core,
  call: Call,
  places: Omit<Partial<ProjectFilter>, 'viewer'> = {},
): Promise<Answer> {
  const filter = { ...filterOf(core, call), ...places };
  const order = orderOf(call);
  if (call.params.pagination === 'keyset') return keysetPage(core, call, filter, order);
  const page = pageOf(call.params);
  const slice = { limit: page.perPage + 1, offset: page.offset };
  const [found, counted] = await Promise.all([
    listProjects(core.db, filter, order, slice),
    countProjects(core.db, filter, COUNTED + 1),
  ]);
  const rows = found.slice(0, page.perPage);
  const facts = counted > COUNTED ? { hasNext: found.length > rows.length } : { total: counted };
  return pageAnswer(call, page, await present(core, call, rows), facts);
}

function present(core: Core, { caller, params }: Call, rows: ProjectWithNamespace[]) {
  if (params.simple) return presentBasicProjects(core, caller, rows);
  return presentProjects(core, caller, rows, { statistics: params.statistics ?? false });
}

function filterOf(core: Core, { caller, params }: Call): ProjectFilter {
  const features = [
    ...(params.with_issues_enabled ? (['issues_access_level'] as const) : []),
    ...(params.with_merge_requests_enabled ? (['merge_requests_access_level'] as const) : []),
  ];
  return {
    viewer: core.access.viewer(caller),
    search: params.search ?? undefined,
    searchNamespaces: params.search_namespaces ?? undefined,
    membership: params.membership,
    minAccessLevel: leastLevel(params),
    starredBy: params.starred ? caller.user.id : undefined,
    visibility: params.visibility ?? undefined,
    archived: params.archived ?? undefined,
    withFeatures: features,
    topics: params.topic ?? undefined,
    idAfter: params.id_after ?? undefined,
    idBefore: params.id_before ?? undefined,
    activityAfter: params.last_activity_after ?? undefined,
    activityBefore: params.last_activity_before ?? undefined,
  };
}

const OWNER = 50;

function leastLevel({ owned, min_access_level: level }: ProjectListParams): number | undefined {
  return owned ? OWNER : (level ?? undefined);
}

/** A keyset list without an order goes by id, as on GitLab; a numbered one by age. */
function orderOf({ params, raw }: Call): ProjectOrder {
  const isKeyset = params.pagination === 'keyset' && raw['order_by'] === undefined;
  return { by: isKeyset ? 'id' : (params.order_by ?? 'created_at'), direction: params.sort ?? 'desc' };
}

async function keysetPage(
  core: Core,
  call: Call,
  filter: ProjectFilter,
  order: ProjectOrder,
): Promise<Answer> {
  if (order.by === 'similarity') refuseKeyset();
  const { per_page: asked } = call.params;
  const limit = !asked || asked < 1 ? PER_PAGE_DEFAULT : Math.min(asked, PER_PAGE_MAX);
  const after = call.params.cursor ? positionOf(call.params.cursor, order) : undefined;
  const found = await listProjects(core.db, filter, order, { limit: limit + 1, after });
  const rows = found.slice(0, limit);
  const next = found.length > limit ? nextOf(rows.at(-1)!, order) : null;
  return keysetAnswer(call, await present(core, call, rows), next);
}

/** By id the link is the one that clients know from GitLab; by anything else a cursor. */
function nextOf(
  last: ProjectWithNamespace,
  { by, direction }: ProjectOrder,
): Record<string, string | number> {
  if (by === 'id') return direction === 'asc' ? { id_after: last.id } : { id_before: last.id };
  return { cursor: encodeCursor({ by, value: last[by as 'name'], id: last.id }) };
}

function positionOf(cursor: string, { by }: ProjectOrder): NonNullable<Slice['after']> {
  const { by: madeFor, value, id } = decodeCursor(cursor);
  const isText = by === 'name' || by === 'path';
  const fits = madeFor === by && Number.isSafeInteger(id) && typeof value === (isText ? 'string' : 'number');
  if (!fits) throw new ApiError('invalid_params', { problems: 'cursor is invalid' });
  return { value: value as string | number, id: id as number };
}
