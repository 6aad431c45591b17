import type { Caller } from '../../../core/caller.ts';
import type { Core } from '../../../core/core.ts';
import type { InProject } from '../../../core/guards.ts';
import { ApiError } from '../../../platform/errors.ts';
import type { Answer } from '../../../platform/http/answer.ts';
import {
  decodeCursor,
  encodeCursor,
  keysetAnswer,
  type Linkable,
  pageAnswer,
  pageOf,
  refuseKeyset,
} from '../../../platform/http/pagination.ts';
import { presentIssues } from '../present.ts';
import type { IssueRow } from '../tables.ts';
import type { IssueFilter } from './conditions-store.ts';
import { filterOf, type ListParams, type NarrowingParams } from './params.ts';
import { countByState, countIssues, type IssueListing, KEYSET_ORDERS, listIssues } from './store.ts';

type Place = IssueFilter['place'];
type Call<P> = Linkable & { caller: Caller; params: P };

/** The issues of one project that the caller may read. */
export const placeOf = ({ project, access }: InProject, { user }: Caller): Place => ({
  projectId: project.id,
  confidential: access.can('read_confidential_issue') ? 'all' : { of: user.id },
});

/** A list with every header of its kind of page. `also` narrows it beyond what the call asks for. */
export async function answerIssueList(
  core: Core,
  call: Call<ListParams>,
  place: Place,
  also: Partial<IssueFilter> = {},
): Promise<Answer> {
  const { params: asked } = call;
  const page = pageOf(asked);
  const narrowed = await filterOf(core, call.caller, asked);
  if (narrowed === null) return pageAnswer(call, page, [], { total: 0 });
  const state = asked.state === 'all' ? null : asked.state;
  const filter = { ...narrowed, ...also, state, place };
  if (asked.pagination === 'keyset') return keysetPage(core, call, filter, page.perPage);
  const total = await countIssues(core.db, filter);
  const listing = { order: asked.order_by, direction: asked.sort, limit: page.perPage, offset: page.offset };
  const rows = total > page.offset ? await listIssues(core.db, filter, listing) : [];
  return pageAnswer(call, page, await present(core, call, place, rows), { total });
}

async function keysetPage(
  core: Core,
  call: Call<ListParams>,
  filter: IssueFilter,
  perPage: number,
): Promise<Answer> {
  const { order_by: asked, sort: direction, cursor } = call.params;
  const order = KEYSET_ORDERS.find((name) => name === asked);
  if (!order) refuseKeyset();
  const after = cursor ? positionOf(cursor, order) : undefined;
  const found = await listIssues(core.db, filter, { order, direction, limit: perPage + 1, after });
  const rows = found.slice(0, perPage);
  const last = found.length > perPage ? rows.at(-1) : undefined;
  const next = last ? { cursor: encodeCursor({ value: last[order], id: last.id }) } : null;
  return keysetAnswer(call, await present(core, call, filter.place, rows), next);
}

function positionOf(cursor: string, order: (typeof KEYSET_ORDERS)[number]): IssueListing['after'] {
  const { value, id } = decodeCursor(cursor);
  const fits = order === 'title' ? typeof value === 'string' : Number.isSafeInteger(value);
  if (!fits || !Number.isSafeInteger(id)) {
    throw new ApiError('invalid_params', { problems: 'cursor is invalid' });
  }
  return { value: value as string | number, id: id as number };
}

const present = (core: Core, { params }: Call<ListParams>, place: Place, rows: IssueRow[]) =>
  presentIssues(core.db, rows, {
    baseUrl: core.baseUrl(),
    today: core.access.today(),
    inProject: !('viewer' in place),
    labelDetails: params.with_labels_details,
  });

/** How many issues there are of what the call asks for, by state. */
export async function answerStatistics(core: Core, call: Call<NarrowingParams>, place: Place) {
  const narrowed = await filterOf(core, call.caller, call.params);
  const { opened, closed } =
    narrowed === null ? { opened: 0, closed: 0 } : await countByState(core.db, { ...narrowed, place });
  return { statistics: { counts: { all: opened + closed, closed, opened } } };
}
