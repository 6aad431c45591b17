import { Level } from '../../../core/access/levels.ts';
import type { Core, Room } from '../../../core/core.ts';
import { fail } from '../../../platform/errors.ts';
import { optional, param, params } from '../../../platform/http/params.ts';
import { demandUnmodified } from '../../../platform/http/precondition.ts';
import { presentDetail } from '../detail.ts';
import { MergeRequest } from '../entities.ts';
import { findByIid, mergeRequestPath } from '../find.ts';
import type { FindHeadPipeline } from '../ports.ts';
import { createMergeRequest } from './create.ts';
import { deleteMergeRequest } from './delete.ts';
import { updateMergeRequest } from './update.ts';

const optionalFields = {
  description: optional(param.string()),
  assignee_id: optional(param.integer({ description: '0 for nobody.' })),
  assignee_ids: optional(param.list(param.integer())),
  reviewer_ids: optional(param.list(param.integer())),
  labels: optional(param.csv()),
  milestone_id: optional(param.integer({ description: '0 for none.' })),
  remove_source_branch: optional(param.boolean({ description: 'Once it is merged.' })),
  squash: optional(param.boolean()),
  allow_collaboration: optional(
    param.boolean({ description: 'Those who may merge may push to the source branch.' }),
  ),
};

const changeFields = {
  title: optional(param.string({ blank: false })),
  target_branch: optional(param.string({ blank: false })),
  state_event: optional(param.oneOf(['close', 'reopen'])),
  ...optionalFields,
  add_labels: optional(param.csv()),
  remove_labels: optional(param.csv()),
  discussion_locked: optional(param.boolean()),
};

/** Opening, changing and deleting. */
export function writeRoutes(room: Room, core: Core, findHeadPipeline: FindHeadPipeline): void {
  const read = core.guards.project('read_merge_request');

  room.post('/projects/:id/merge_requests', {
    summary: 'Open a merge request',
    description: 'From a branch of this project, into it or into one of its fork network.',
    params: params({
      id: mergeRequestPath.id,
      source_branch: param.string(),
      target_branch: param.string(),
      title: param.string(),
      target_project_id: optional(param.integer()),
      ...optionalFields,
    }),
    responses: { 201: MergeRequest },
    guard: read,
    handler: async ({ caller, guarded, params: input }) => {
      const row = await createMergeRequest(core, caller, guarded, input);
      const found = await findByIid(core, row.project_id, row.iid);
      const access = await core.access.project(caller, found.sides.target.project);
      return presentDetail(core, found.row, { caller, access, sides: found.sides, findHeadPipeline });
    },
  });

  room.put('/projects/:id/merge_requests/:merge_request_iid', {
    summary: 'Change a merge request',
    params: params({ ...mergeRequestPath, ...changeFields }, { atLeastOneOf: [Object.keys(changeFields)] }),
    responses: { 200: MergeRequest },
    guard: read,
    handler: async ({ caller, guarded: { project, access }, params: input }) => {
      const { row, sides } = await findByIid(core, project.id, input.merge_request_iid);
      const isAuthor = row.author_id === caller.user.id && project.archived === 0;
      if (!isAuthor) access.demand('update_merge_request');
      const updated = await updateMergeRequest(core, row, { sides, access, input, userId: caller.user.id });
      const target = { ...sides.target, branch: updated.target_branch };
      const now = { ...sides, target };
      return presentDetail(core, updated, { caller, access, sides: now, findHeadPipeline });
    },
  });

  room.delete('/projects/:id/merge_requests/:merge_request_iid', {
    summary: 'Delete a merge request',
    params: params(mergeRequestPath),
    responses: { 204: null },
    guard: read,
    handler: async ({ caller, guarded, params: { merge_request_iid }, headers }) => {
      const { access } = guarded;
      const { row } = await findByIid(core, guarded.project.id, merge_request_iid);
      if (access.level < Level.owner || guarded.project.archived === 1) throw fail.forbidden();
      demandUnmodified(headers, row.updated_at);
      await deleteMergeRequest(core, guarded.project, row, caller.user.id);
    },
  });
}
