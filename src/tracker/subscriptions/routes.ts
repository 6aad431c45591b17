import type { Core, CoreApi, Room } from '../../core/core.ts';
import { params } from '../../platform/http/params.ts';
import { hearsOfIssue, presentDetail as presentIssue } from '../issues/detail.ts';
import { Issue } from '../issues/entities.ts';
import { findByIid as findIssue, issuePath } from '../issues/find.ts';
import { hearsOfMergeRequest, presentDetail as presentMergeRequest } from '../merge-requests/detail.ts';
import { MergeRequest } from '../merge-requests/entities.ts';
import { findByIid as findMergeRequest, mergeRequestPath } from '../merge-requests/find.ts';
import type { FindHeadPipeline } from '../merge-requests/ports.ts';
import { ACTIONS, unchanged } from './actions.ts';
import { groupLabelSubscriptions, projectLabelSubscriptions } from './label-routes.ts';
import { subscribe } from './subscribe.ts';

/** To hear of one thing, or no more of it, whatever one's level is. */
export function subscriptionRoutes(api: CoreApi, core: Core, findHeadPipeline: FindHeadPipeline): void {
  issueSubscriptions(api.room('issues'), core);
  mergeRequestSubscriptions(api.room('merge_requests'), core, findHeadPipeline);
  projectLabelSubscriptions(api.room('labels'), core);
  groupLabelSubscriptions(api.room('labels'), core);
}

function issueSubscriptions(room: Room, core: Core): void {
  for (const { action, subscribed } of ACTIONS) {
    room.post(`/projects/:id/issues/:issue_iid/${action}`, {
      summary: subscribed ? 'Hear of an issue' : 'Hear no more of an issue',
      description: '304 where that is so already.',
      params: params(issuePath),
      responses: { 201: Issue, 304: null },
      guard: core.guards.project('read_issue'),
      handler: async ({ caller, guarded, params: { issue_iid } }) => {
        const row = await findIssue(core, guarded, issue_iid);
        if ((await hearsOfIssue(core, row, caller.user.id)) === subscribed) return unchanged();
        await subscribe(core, caller.user.id, { type: 'Issue', id: row.id }, subscribed);
        return presentIssue(core, row, caller);
      },
    });
  }
}

function mergeRequestSubscriptions(room: Room, core: Core, findHeadPipeline: FindHeadPipeline): void {
  for (const { action, subscribed } of ACTIONS) {
    room.post(`/projects/:id/merge_requests/:merge_request_iid/${action}`, {
      summary: subscribed ? 'Hear of a merge request' : 'Hear no more of a merge request',
      description: '304 where that is so already.',
      params: params(mergeRequestPath),
      responses: { 201: MergeRequest, 304: null },
      guard: core.guards.project('read_merge_request'),
      handler: async ({ caller, guarded: { project, access }, params: asked, signal }) => {
        const { row, sides } = await findMergeRequest(core, project.id, asked.merge_request_iid);
        if ((await hearsOfMergeRequest(core, row, caller.user.id)) === subscribed) return unchanged();
        await subscribe(core, caller.user.id, { type: 'MergeRequest', id: row.id }, subscribed);
        return presentMergeRequest(core, row, { caller, access, sides, findHeadPipeline, signal });
      },
    });
  }
}
