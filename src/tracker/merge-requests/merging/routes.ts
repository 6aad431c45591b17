import type { Core, Room } from '../../../core/core.ts';
import type { InProject } from '../../../core/guards.ts';
import { branchRights } from '../../../core/repository/push-rules.ts';
import { ApiError, fail } from '../../../platform/errors.ts';
import { Answer } from '../../../platform/http/answer.ts';
import { optional, param, params } from '../../../platform/http/params.ts';
import { Type } from '../../../platform/http/schema.ts';
import { presentDetail } from '../detail.ts';
import { MergeRequest } from '../entities.ts';
import { findByIid, mergeRequestPath } from '../find.ts';
import type { FindHeadPipeline } from '../ports.ts';
import { requestRebase } from '../rebase/request.ts';
import { cancelAutoMerge } from './auto-merge.ts';
import { mergeMergeRequest } from './merge.ts';
import { keepMergeRef } from './merge-ref.ts';

const MergeRef = Type.Object({ commit_id: Type.String() }, { $id: 'MergeRef' });
const Canceled = Type.Object({ status: Type.Literal('success') }, { $id: 'AutoMergeCanceled' });
const Rebasing = Type.Object({ rebase_in_progress: Type.Boolean() }, { $id: 'RebaseInProgress' });

/** Merging, now or later, and what leads to it. */
export function mergingRoutes(room: Room, core: Core, findHeadPipeline: FindHeadPipeline): void {
  const guard = core.guards.project('read_merge_request');
  const found = async ({ project, access }: InProject, iid: number) => ({
    access,
    ...(await findByIid(core, project.id, iid)),
  });

  room.put('/projects/:id/merge_requests/:merge_request_iid/merge', {
    summary: 'Merge',
    params: params({
      ...mergeRequestPath,
      merge_commit_message: optional(param.string()),
      squash_commit_message: optional(param.string()),
      should_remove_source_branch: optional(param.boolean()),
      merge_when_pipeline_succeeds: optional(
        param.boolean({ description: 'The older name of `auto_merge`.' }),
      ),
      auto_merge: optional(param.boolean({ description: 'Later, if its pipeline still runs.' })),
      sha: optional(param.string({ description: '409 when the source branch is elsewhere by now.' })),
      squash: optional(param.boolean()),
    }),
    responses: { 200: MergeRequest },
    guard,
    handler: async ({ caller, guarded, params: options, signal }) => {
      const { access, row, sides } = await found(guarded, options.merge_request_iid);
      const call = { caller, access, sides, options, findHeadPipeline };
      const merged = await mergeMergeRequest(core, row.id, call);
      return presentDetail(core, merged, { ...call, signal });
    },
  });

  room.get('/projects/:id/merge_requests/:merge_request_iid/merge_ref', {
    summary: 'Merge into a ref of its own',
    description:
      'Points `refs/merge-requests/N/merge` at what merging would give, for whoever wants to test that.',
    params: params(mergeRequestPath),
    responses: { 200: MergeRef },
    guard: core.guards.project('read_merge_request', 'read_code'),
    handler: async ({ guarded, params: { merge_request_iid }, signal }) => {
      const { row, sides } = await found(guarded, merge_request_iid);
      const commit = await keepMergeRef(core, row, sides, signal);
      if (commit === null) throw fail.refused('Merge request is not mergeable');
      return { commit_id: commit };
    },
  });

  room.post('/projects/:id/merge_requests/:merge_request_iid/cancel_merge_when_pipeline_succeeds', {
    summary: 'Do not merge it later',
    params: params(mergeRequestPath),
    responses: { 201: Canceled },
    guard,
    handler: async ({ caller, guarded: { project, access }, params: { merge_request_iid } }) => {
      const { row, sides } = await findByIid(core, project.id, merge_request_iid);
      const rights = await branchRights({ core, project, access }, sides.target.branch);
      const isAuthor = row.author_id === caller.user.id;
      if (!isAuthor && !rights.mayMerge && !rights.mayPush) throw fail.unauthorized();
      if (row.state !== 'opened')
        throw new ApiError('method_not_allowed', { text: '405 Method Not Allowed' });
      if (!(await cancelAutoMerge(core, row, { userId: caller.user.id }))) {
        throw new ApiError('not_cancelable', { text: "Can't cancel the automatic merge" });
      }
      return { status: 'success' as const };
    },
  });

  room.put('/projects/:id/merge_requests/:merge_request_iid/rebase', {
    summary: 'Rebase the source branch onto the target branch',
    description:
      'Happens after the answer: read the merge request with `include_rebase_in_progress` until it is done, then look at `merge_error`.',
    params: params({
      ...mergeRequestPath,
      skip_ci: optional(param.boolean({ description: 'No pipeline for the rebased commits.' })),
    }),
    responses: { 202: Rebasing },
    guard,
    handler: async ({ caller, guarded, params: { merge_request_iid, skip_ci } }) => {
      const { row, sides } = await found(guarded, merge_request_iid);
      await requestRebase(core, row, { caller, sides, skipCi: skip_ci === true });
      return new Answer(202, { rebase_in_progress: true });
    },
  });
}
