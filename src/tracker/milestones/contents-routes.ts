import type { Caller } from '../../core/caller.ts';
import type { Core, Room } from '../../core/core.ts';
import { type Linkable, pageAnswer, pageOf, pageParams } from '../../platform/http/pagination.ts';
import { params } from '../../platform/http/params.ts';
import { Type } from '../../platform/http/schema.ts';
import { IssueBasic } from '../issues/entities.ts';
import { countIssues, listIssues } from '../issues/lists/store.ts';
import { presentIssues } from '../issues/present.ts';
import { MergeRequestBasic } from '../merge-requests/entities.ts';
import { presentMergeRequests } from '../merge-requests/present.ts';
import { countMergeRequestsOf, mergeRequestsOf } from './contents-store.ts';
import { type MilestoneHome, ownMilestone } from './home.ts';
import { milestoneId } from './params.ts';

type Call = Linkable & { caller: Caller; params: { page?: number | null; per_page?: number | null } };

/** What is to be done by a milestone. */
export function contentsRoutes(room: Room, core: Core, home: MilestoneHome): void {
  const shape = params({ ...home.params, milestone_id: milestoneId, ...pageParams });

  room.get(`${home.path}/:milestone_id/issues`, {
    summary: `List the issues of a milestone${home.of}`,
    params: shape,
    responses: { 200: Type.Array(IssueBasic) },
    guard: home.read,
    handler: async (call) => {
      const { id } = await ownMilestone(core, call.guarded.owner, call.params.milestone_id);
      return issuesOf(core, call, id);
    },
  });

  room.get(`${home.path}/:milestone_id/merge_requests`, {
    summary: `List the merge requests of a milestone${home.of}`,
    params: shape,
    responses: { 200: Type.Array(MergeRequestBasic) },
    guard: home.read,
    handler: async (call) => {
      const { id } = await ownMilestone(core, call.guarded.owner, call.params.milestone_id);
      return requestsOf(core, call, id);
    },
  });
}

const optionsOf = (core: Core) => ({
  baseUrl: core.baseUrl(),
  today: core.access.today(),
  inProject: false,
});

async function issuesOf(core: Core, call: Call, milestoneId: number) {
  const page = pageOf(call.params);
  const place = { viewer: core.access.viewer(call.caller) };
  const filter = { place, milestoneId, today: core.access.today() };
  const slice = { limit: page.perPage, offset: page.offset };
  const rows = await listIssues(core.db, filter, { order: 'created_at', direction: 'desc', ...slice });
  const total = await countIssues(core.db, filter);
  return pageAnswer(call, page, await presentIssues(core.db, rows, optionsOf(core)), { total });
}

async function requestsOf(core: Core, call: Call, milestoneId: number) {
  const page = pageOf(call.params);
  const asked = { milestoneId, viewer: core.access.viewer(call.caller) };
  const rows = await mergeRequestsOf(core.db, asked, { limit: page.perPage, offset: page.offset });
  const total = await countMergeRequestsOf(core.db, asked);
  return pageAnswer(call, page, await presentMergeRequests(core.db, rows, optionsOf(core)), { total });
}
