import type { Caller } from '../../../core/caller.ts';
import type { Core, Room } from '../../../core/core.ts';
import { type Page, pageAnswer, pageOf } from '../../../platform/http/pagination.ts';
import { param, params, withDefault } from '../../../platform/http/params.ts';
import type { ApiRequest } from '../../../platform/http/request.ts';
import { Type } from '../../../platform/http/schema.ts';
import { visibleGroupsBelow } from '../../group-scope-store.ts';
import type { MergeRequestRow } from '../../tables.ts';
import { sidesOf } from '../branches.ts';
import { MergeRequestBasic, MergeRequestSimple } from '../entities.ts';
import { assess } from '../merging/assess.ts';
import type { FindHeadPipeline } from '../ports.ts';
import { presentMergeRequests, presentSimple } from '../present.ts';
import { filterOf } from './filter.ts';
import { type ListParams, listFields, listRules } from './params.ts';
import { countMergeRequests, listMergeRequests, type MergeRequestFilter } from './store.ts';

const answers = { 200: Type.Array(Type.Union([MergeRequestBasic, MergeRequestSimple])) };

/** Lists: of one project, of all in a group, and over all that the caller may read. */
export function listRoutes(room: Room, core: Core, findHeadPipeline: FindHeadPipeline): void {
  const list = (call: Listed, where: Partial<MergeRequestFilter>) =>
    answerList(core, call, where, findHeadPipeline);

  room.get('/merge_requests', {
    summary: 'List merge requests over all projects',
    description: 'Those that the caller opened, unless `scope` says otherwise.',
    params: params(listFields('created_by_me'), listRules),
    responses: answers,
    handler: (call) => list(call, { viewer: core.access.viewer(call.caller) }),
  });

  room.get('/groups/:id/merge_requests', {
    summary: 'List the merge requests of a group',
    description: 'Of all projects in it and in the groups below it.',
    params: params(
      {
        id: param.string({ description: 'Number or URL-encoded path of the group.' }),
        ...listFields('all'),
        non_archived: withDefault(param.boolean({ description: 'Without archived projects.' }), true),
      },
      listRules,
    ),
    responses: answers,
    guard: core.guards.group(),
    handler: async (call) => {
      const { group } = call.guarded;
      const viewer = core.access.viewer(call.caller);
      const groupIds = [group.id, ...(await visibleGroupsBelow(core.db, group.id, viewer))];
      return list(call, { viewer, groupIds, nonArchived: call.params.non_archived });
    },
  });

  room.get('/projects/:id/merge_requests', {
    summary: 'List the merge requests of a project',
    params: params({ id: param.string(), ...listFields('all') }, listRules),
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
  const filter = { ...(await filterOf(core, call.caller, asked)), ...where };
  const total = await countMergeRequests(core.db, filter);
  const rows = total > page.offset ? await readPage(core, filter, asked, page) : [];
  const checked = asked.with_merge_status_recheck ? await recheck(core, rows, findHeadPipeline) : rows;
  const items =
    asked.view === 'simple'
      ? await presentSimple(core.db, checked, baseUrl)
      : await presentMergeRequests(core.db, checked, {
          baseUrl,
          today: core.access.today(),
          inProject: where.projectId !== undefined,
          labelDetails: asked.with_labels_details === true,
        });
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
