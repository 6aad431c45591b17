import type { Core, Room } from '../../../core/core.ts';
import { param } from '../../../platform/http/params.ts';
import { Type } from '../../../platform/http/schema.ts';
import { IssueBasic, IssuesStatistics } from '../entities.ts';
import { answerIssueList, answerStatistics, placeOf } from './answer.ts';
import { listParams, statisticsParams, wideFields } from './params.ts';

const id = param.string({ description: 'Number or URL-encoded path.' });
const list = { 200: Type.Array(IssueBasic) };

/** Lists and counts: over all that the caller may read, of a group with the groups below, of one project. */
export function issueListRoutes(room: Room, core: Core): void {
  const readProject = core.guards.project('read_issue');

  room.get('/issues', {
    summary: 'List issues over all projects',
    description: 'Those that the caller opened, unless `scope` says otherwise.',
    params: listParams('created_by_me', wideFields),
    responses: list,
    handler: (call) => {
      const viewer = core.access.viewer(call.caller);
      return answerIssueList(core, call, { viewer, archived: !call.params.non_archived });
    },
  });

  room.get('/groups/:id/issues', {
    summary: 'List the issues of a group and the groups below',
    params: listParams('all', { id, ...wideFields }),
    responses: list,
    guard: core.guards.group(),
    handler: (call) => {
      const viewer = core.access.viewer(call.caller);
      const groupId = call.guarded.group.id;
      return answerIssueList(core, call, { viewer, groupId, archived: !call.params.non_archived });
    },
  });

  room.get('/projects/:id/issues', {
    summary: 'List the issues of a project',
    params: listParams('all', { id }),
    responses: list,
    guard: readProject,
    handler: (call) => answerIssueList(core, call, placeOf(call.guarded, call.caller)),
  });

  room.get('/issues_statistics', {
    summary: 'Count issues over all projects',
    description: 'Those that the caller opened, unless `scope` says otherwise.',
    params: statisticsParams('created_by_me', {}),
    responses: { 200: IssuesStatistics },
    handler: (call) => answerStatistics(core, call, { viewer: core.access.viewer(call.caller) }),
  });

  room.get('/groups/:id/issues_statistics', {
    summary: 'Count the issues of a group and the groups below',
    params: statisticsParams('all', { id }),
    responses: { 200: IssuesStatistics },
    guard: core.guards.group(),
    handler: (call) => {
      const viewer = core.access.viewer(call.caller);
      return answerStatistics(core, call, { viewer, groupId: call.guarded.group.id });
    },
  });

  room.get('/projects/:id/issues_statistics', {
    summary: 'Count the issues of a project',
    params: statisticsParams('all', { id }),
    responses: { 200: IssuesStatistics },
    guard: readProject,
    handler: (call) => answerStatistics(core, call, placeOf(call.guarded, call.caller)),
  });
}
