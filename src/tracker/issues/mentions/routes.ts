import type { Core, Room } from '../../../core/core.ts';
import { pageOf, pageParams, sliceAnswer } from '../../../platform/http/pagination.ts';
import { params } from '../../../platform/http/params.ts';
import { Type } from '../../../platform/http/schema.ts';
import { MergeRequestBasic } from '../../merge-requests/entities.ts';
import { findByIid as findMergeRequest, mergeRequestPath } from '../../merge-requests/find.ts';
import { presentMergeRequests } from '../../merge-requests/present.ts';
import { IssueBasic } from '../entities.ts';
import { findByIid, issuePath } from '../find.ts';
import { presentIssues } from '../present.ts';
import { issuesNamedIn, mergeRequestsNaming } from './list-store.ts';

/** Which merge requests speak of an issue, and of which issues a merge request speaks. */
export function issueMentionRoutes(room: Room, core: Core): void {
  const options = () => ({ baseUrl: core.baseUrl(), today: core.access.today(), inProject: false });

  const ofIssue = (path: string, summary: string, closing: boolean) =>
    room.get(`/projects/:id/issues/:issue_iid/${path}`, {
      summary,
      params: params({ ...issuePath, ...pageParams }),
      responses: { 200: Type.Array(MergeRequestBasic) },
      guard: core.guards.project('read_issue'),
      handler: async (call) => {
        const issue = await findByIid(core, call.guarded, call.params.issue_iid);
        const viewer = core.access.viewer(call.caller);
        const rows = await mergeRequestsNaming(core.db, issue.id, { viewer, closing });
        const items = await presentMergeRequests(core.db, rows, options());
        return sliceAnswer(call, pageOf(call.params), items, (item) => item);
      },
    });
  ofIssue('related_merge_requests', 'List the merge requests that speak of an issue', false);
  ofIssue('closed_by', 'List the merge requests that close an issue when they are merged', true);

  const ofMergeRequest = (path: string, summary: string, closing: boolean) =>
    room.get(`/projects/:id/merge_requests/:merge_request_iid/${path}`, {
      summary,
      params: params({ ...mergeRequestPath, ...pageParams }),
      responses: { 200: Type.Array(IssueBasic) },
      guard: core.guards.project('read_merge_request'),
      handler: async (call) => {
        const { row } = await findMergeRequest(core, call.guarded.project.id, call.params.merge_request_iid);
        const viewer = core.access.viewer(call.caller);
        const rows = await issuesNamedIn(core.db, row.id, { viewer, closing });
        const items = await presentIssues(core.db, rows, options());
        return sliceAnswer(call, pageOf(call.params), items, (item) => item);
      },
    });
  ofMergeRequest('closes_issues', 'List the issues that a merge request closes when it is merged', true);
  ofMergeRequest('related_issues', 'List the issues that a merge request speaks of', false);
}
