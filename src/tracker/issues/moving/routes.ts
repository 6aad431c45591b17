import type { Core, Room } from '../../../core/core.ts';
import { optional, param, params, withDefault } from '../../../platform/http/params.ts';
import { notFoundWhenGone } from '../../gone.ts';
import { presentDetail } from '../detail.ts';
import { Issue } from '../entities.ts';
import { findByIid, issuePath } from '../find.ts';
import { cloneIssue, moveIssue } from './move.ts';
import { reorderIssue } from './reorder.ts';

/** To other projects, and within the order of the own. */
export function issueMovingRoutes(room: Room, core: Core): void {
  const guard = core.guards.project('read_issue');
  const target = { to_project_id: param.integer({ description: 'Number of the project.' }) };

  room.post('/projects/:id/issues/:issue_iid/move', {
    summary: 'Move an issue to another project',
    description: 'It is closed, and a new one there goes on with it.',
    params: params({ ...issuePath, ...target }),
    responses: { 201: Issue },
    guard,
    handler: async ({ caller, guarded, params: asked }) => {
      const row = await findByIid(core, guarded, asked.issue_iid);
      const move = { caller, from: guarded, toProjectId: asked.to_project_id };
      return presentDetail(core, await notFoundWhenGone(moveIssue(core, row, move)), caller);
    },
  });

  room.post('/projects/:id/issues/:issue_iid/clone', {
    summary: 'Make a copy of an issue, in this or another project',
    params: params({ ...issuePath, ...target, with_notes: withDefault(param.boolean(), false) }),
    responses: { 201: Issue },
    guard,
    handler: async ({ caller, guarded, params: asked }) => {
      const row = await findByIid(core, guarded, asked.issue_iid);
      const clone = {
        caller,
        from: guarded,
        toProjectId: asked.to_project_id,
        withNotes: asked.with_notes,
      };
      return presentDetail(core, await notFoundWhenGone(cloneIssue(core, row, clone)), caller);
    },
  });

  const neighbours = {
    move_after_id: optional(param.integer({ description: 'Id of the issue that is to come after it.' })),
    move_before_id: optional(param.integer({ description: 'Id of the issue that is to come before it.' })),
  };
  room.put('/projects/:id/issues/:issue_iid/reorder', {
    summary: 'Move an issue within the order of its project',
    params: params({ ...issuePath, ...neighbours }, { atLeastOneOf: [Object.keys(neighbours)] }),
    responses: { 200: Issue },
    guard: core.guards.project('read_issue', 'update_issue'),
    handler: async ({ caller, guarded, params: asked }) => {
      const row = await findByIid(core, guarded, asked.issue_iid);
      const between = { beforeId: asked.move_before_id, afterId: asked.move_after_id };
      return presentDetail(core, await reorderIssue(core, row, between), caller);
    },
  });
}
