import type { Core, Room } from '../../../core/core.ts';
import { Accepted, accepted } from '../../../core/entities.ts';
import { fail } from '../../../platform/errors.ts';
import { optional, param, params } from '../../../platform/http/params.ts';
import { findByIid, mergeRequestPath } from '../find.ts';
import { approve, resetApprovals, unapprove } from './approve.ts';
import { ApprovalState, Approvals, presentApprovalState, presentApprovals } from './entity.ts';

/** Who finds a merge request good. */
export function approvalRoutes(room: Room, core: Core): void {
  const guard = core.guards.project('read_merge_request');

  room.get('/projects/:id/merge_requests/:merge_request_iid/approvals', {
    summary: 'Who has approved a merge request',
    params: params(mergeRequestPath),
    responses: { 200: Approvals },
    guard,
    handler: async ({ caller, guarded: { project, access }, params: { merge_request_iid } }) => {
      const { row } = await findByIid(core, project.id, merge_request_iid);
      return presentApprovals(core, row, { caller, access });
    },
  });

  room.get('/projects/:id/merge_requests/:merge_request_iid/approval_state', {
    summary: 'How far the rules of approval are met',
    description: 'There is one rule, and it asks for nothing.',
    params: params(mergeRequestPath),
    responses: { 200: ApprovalState },
    guard,
    handler: async ({ guarded: { project }, params: { merge_request_iid } }) => {
      const { row } = await findByIid(core, project.id, merge_request_iid);
      return presentApprovalState(core, row);
    },
  });

  room.post('/projects/:id/merge_requests/:merge_request_iid/approve', {
    summary: 'Approve a merge request',
    params: params({
      ...mergeRequestPath,
      sha: optional(param.string({ description: '409 when the source branch is elsewhere by now.' })),
    }),
    responses: { 201: Approvals },
    guard,
    handler: async ({ caller, guarded: { project, access }, params: { merge_request_iid, sha } }) => {
      const { row } = await findByIid(core, project.id, merge_request_iid);
      await approve(core, row, { access, userId: caller.user.id, sha });
      return presentApprovals(core, row, { caller, access });
    },
  });

  room.post('/projects/:id/merge_requests/:merge_request_iid/unapprove', {
    summary: 'Take back an approval',
    params: params(mergeRequestPath),
    responses: { 201: Approvals },
    guard,
    handler: async ({ caller, guarded: { project, access }, params: { merge_request_iid } }) => {
      const { row } = await findByIid(core, project.id, merge_request_iid);
      await unapprove(core, row, { access, userId: caller.user.id });
      return presentApprovals(core, row, { caller, access });
    },
  });

  room.put('/projects/:id/merge_requests/:merge_request_iid/reset_approvals', {
    summary: 'Take back all approvals',
    description: 'For bots, as GitLab has it.',
    params: params(mergeRequestPath),
    responses: { 202: Accepted },
    guard,
    handler: async ({ caller, guarded: { project, access }, params: { merge_request_iid } }) => {
      const { row } = await findByIid(core, project.id, merge_request_iid);
      if (caller.user.bot !== 1 || !access.can('update_merge_request')) throw fail.unauthorized();
      await resetApprovals(core, row);
      return accepted();
    },
  });
}
