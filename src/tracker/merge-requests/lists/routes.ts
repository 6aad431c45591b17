import { Type } from 'typebox';
import type { Caller } from '../../../core/caller.ts';
import type { Core } from '../../../core/core.ts';
import { type Page, pageAnswer, pageOf } from '../../../platform/http/pagination.ts';
import { param, params } from '../../../platform/http/params.ts';
import type { ApiRequest } from '../../../platform/http/request.ts';
import type { MergeRequestRow } from '../../tables.ts';
import { sidesOf } from '../branches.ts';
import { MergeRequestBasic, MergeRequestSimple } from '../entities.ts';
import type { Room } from '../find.ts';
import { assess } from '../merging/assess.ts';
import type { FindHeadPipeline } from '../ports.ts';
import { presentMergeRequests, presentSimple } from '../present.ts';
import { filterOf, type ListParams, listFields } from './params.ts';
import { countMergeRequests, listMergeRequests, type MergeRequestFilter } from './store.ts';

const answers = { 200: Type.Array(Type.Union([MergeRequestBasic, MergeRequestSimple])) };

/** Lists: of one project, and over all that the caller may read. */
export function listRoutes(room: Room, core: Core, findHeadPipeline: FindHeadPipeline): void {
  const list = (call: Listed, where: Partial<MergeRequestFilter>) =>
    answerList(core, call, where, findHeadPipeline);

  room.get('/merge_requests', {
    summary: 'List merge requests over all projects',
    description: 'Those that the caller opened, unless `scope` says otherwise.',
    params: params(listFields('created_by_me')),
    responses: answers,
    handler: (call) => list(call, { viewer: core.access.viewer(call.caller) }),
  });

  room.get('/projects/:id/merge_requests', {
    summary: 'List the merge requests of a project',
    params: params({ id: param.string(), ...listFields('all') }),
    responses: answers,
    guard: core.guards.project('read_merge_request'),
    handler: (call) => list(call, { projectId: call.guarded.project.id }),
  });
}

type Listed = Pick<
  ApiRequest<Caller, ListParams, unknown>,
  'caller' | 'params' | 'baseUrl' | 'path' | 'linkParams' | 'signal'
>;

async function answerList(
  core: Core,
  call: Listed,
  where: Partial<MergeRequestFilter>,
  findHeadPipeline: FindHeadPipeline,
) {
  const { params: asked, baseUrl } = call;
  const page = pageOf(asked);
  const filter = await filterOf(core, call.caller, asked);
  if (filter === null) return pageAnswer(call, page, [], { total: 0 });
  const narrowed = { ...filter, ...where };
  const total = await countMergeRequests(core.db, narrowed);
  const rows = total > page.offset ? await readPage(core, narrowed, asked, page) : [];
  const checked = asked.with_merge_status_recheck ? await recheck(core, rows, findHeadPipeline) : rows;
  const items =
    asked.view === 'simple'
      ? await presentSimple(core.db, checked, baseUrl)
      : await presentMergeRequests(core.db, checked, { baseUrl, inProject: where.projectId !== undefined });
  return pageAnswer(call, page, items, { total });
}

const readPage = (core: Core, filter: MergeRequestFilter, asked: ListParams, page: Page) =>
  listMergeRequests(core.db, filter, {
    order: asked.order_by,
    direction: asked.sort,
    limit: page.perPage,
    offset: page.offset,
  });

/** One after the other: a page of a hundred is a hundred git processes at worst, and others wait for theirs too. */
async function recheck(
  core: Core,
  rows: readonly MergeRequestRow[],
  findHeadPipeline: FindHeadPipeline,
): Promise<MergeRequestRow[]> {
  const checked: MergeRequestRow[] = [];
  for (const row of rows) {
    const sides = row.merge_status === 'unchecked' ? await sidesOf(core, row) : null;
    checked.push(sides ? (await assess(core, row, sides, { findHeadPipeline })).row : row);
  }
  return checked;
}
