import type { Core, Room } from '../../core/core.ts';
import { isoTime, presentUserBasic, UserBasic } from '../../core/entities.ts';
import { findUsersByIds } from '../../core/users/store.ts';
import { pageAnswer, pageOf, pageParams, sliceAnswer } from '../../platform/http/pagination.ts';
import { params, timestamp } from '../../platform/http/params.ts';
import { Type } from '../../platform/http/schema.ts';
import { findByIid, mergeRequestPath } from './find.ts';
import { ForeignEntity, type ListPipelines } from './ports.ts';
import { loadReviewers, participantIds } from './related-store.ts';
import { listCommitIds } from './versions/commits-store.ts';

const Reviewer = Type.Object(
  { user: UserBasic, state: Type.String(), created_at: timestamp() },
  { $id: 'MergeRequestReviewer' },
);

/** Pipelines are looked for by commit; those of older commits are found in the project's own list. */
const MAX_COMMITS = 1000;

/** Who and what has to do with a merge request. */
export function relatedRoutes(room: Room, core: Core, listPipelines: ListPipelines): void {
  const guard = core.guards.project('read_merge_request');

  room.get('/projects/:id/merge_requests/:merge_request_iid/participants', {
    summary: 'Who takes part in a merge request',
    description: 'Its author, assignees, reviewers, and whoever has written a note.',
    params: params({ ...mergeRequestPath, ...pageParams }),
    responses: { 200: Type.Array(UserBasic) },
    guard,
    handler: async (call) => {
      const { row } = await findByIid(core, call.guarded.project.id, call.params.merge_request_iid);
      const users = await findUsersByIds(core.db, await participantIds(core.db, row));
      const people = [...users.values()].sort((a, b) => a.id - b.id);
      return sliceAnswer(call, pageOf(call.params), people, (user) => presentUserBasic(user, call.baseUrl));
    },
  });

  room.get('/projects/:id/merge_requests/:merge_request_iid/reviewers', {
    summary: 'List the reviewers, and how far they have come',
    params: params({ ...mergeRequestPath, ...pageParams }),
    responses: { 200: Type.Array(Reviewer) },
    guard,
    handler: async (call) => {
      const { row } = await findByIid(core, call.guarded.project.id, call.params.merge_request_iid);
      const reviewers = await loadReviewers(core.db, row.id);
      const users = await findUsersByIds(
        core.db,
        reviewers.map(({ user_id }) => user_id),
      );
      return sliceAnswer(call, pageOf(call.params), reviewers, (reviewer) => ({
        user: presentUserBasic(users.get(reviewer.user_id)!, call.baseUrl),
        state: reviewer.state,
        created_at: isoTime(reviewer.created_at),
      }));
    },
  });

  room.get('/projects/:id/merge_requests/:merge_request_iid/pipelines', {
    summary: 'List the pipelines of a merge request',
    description: 'Its own, and those of its source branch for one of its commits, newest first.',
    params: params({ ...mergeRequestPath, ...pageParams }),
    responses: { 200: Type.Array(ForeignEntity) },
    guard: core.guards.project('read_merge_request', 'read_pipeline'),
    handler: async (call) => {
      const { row } = await findByIid(core, call.guarded.project.id, call.params.merge_request_iid);
      const page = pageOf(call.params);
      const { source_project_id: projectId, source_branch: ref } = row;
      if (projectId === null) return pageAnswer(call, page, [], { total: 0 });
      const shas = await listCommitIds(core.db, row.id, { limit: MAX_COMMITS, offset: 0 });
      const slice = { limit: page.perPage, offset: page.offset };
      const of = { mergeRequestId: row.id, projectId, ref, shas };
      const { items, total } = await listPipelines(of, slice, call.baseUrl);
      return pageAnswer(call, page, items, { total });
    },
  });
}
