import { Level } from '../../core/access/levels.ts';
import type { Core, Room } from '../../core/core.ts';
import type { InProject } from '../../core/guards.ts';
import { fail } from '../../platform/errors.ts';
import { optional, param, params } from '../../platform/http/params.ts';
import { demandUnmodified } from '../../platform/http/precondition.ts';
import { createIssue } from './create.ts';
import { deleteIssue } from './delete.ts';
import { presentDetail } from './detail.ts';
import { Issue } from './entities.ts';
import { findByIid, issuePath } from './find.ts';
import { ISSUE_TYPES } from './lists/params.ts';
import { editRight } from './rights.ts';
import { type IssueChange, updateIssue } from './update.ts';

const fields = {
  description: optional(param.string()),
  assignee_ids: optional(param.list(param.integer(), { description: 'The first of them is assigned.' })),
  assignee_id: optional(param.integer({ description: '0 for nobody.' })),
  milestone_id: optional(param.integer({ description: '0 for none.' })),
  labels: optional(param.csv({ description: 'Those that nobody knows yet are made.' })),
  due_date: optional(param.date()),
  confidential: optional(param.boolean()),
  issue_type: optional(param.oneOf(ISSUE_TYPES)),
};

const changeFields = {
  title: optional(param.string()),
  ...fields,
  add_labels: optional(param.csv()),
  remove_labels: optional(param.csv()),
  discussion_locked: optional(param.boolean({ description: 'Only members may comment.' })),
  state_event: optional(param.oneOf(['close', 'reopen'])),
  updated_at: optional(param.dateTime({ description: 'For administrators and owners.' })),
};

/** Numbers beyond are refused: they must leave room for those that follow. */
const MAX_IID = 2 ** 31 - 1;

/** Opening, changing and deleting. */
export function issueWriteRoutes(room: Room, core: Core): void {
  const read = core.guards.project('read_issue');

  room.post('/projects/:id/issues', {
    summary: 'Open an issue',
    params: params({
      id: issuePath.id,
      title: param.string(),
      ...fields,
      iid: optional(
        param.integer({ minimum: 1, maximum: MAX_IID, description: 'For administrators and owners.' }),
      ),
      created_at: optional(param.dateTime({ description: 'For administrators and owners.' })),
      merge_request_to_resolve_discussions_of: optional(
        param.integer({ description: 'Refused: threads are resolved by their own routes.' }),
      ),
    }),
    responses: { 201: Issue },
    guard: core.guards.project('read_issue', 'create_issue'),
    handler: async ({ caller, guarded, params: input }) => {
      if (input.merge_request_to_resolve_discussions_of != null) {
        throw fail.badRequest('merge_request_to_resolve_discussions_of is not supported');
      }
      return presentDetail(core, await createIssue(core, caller, guarded, input), caller);
    },
  });

  room.put('/projects/:id/issues/:issue_iid', {
    summary: 'Change an issue',
    description: 'Its author and assignees may change its texts and its state, reporters and up all of it.',
    params: params({ ...issuePath, ...changeFields }, { atLeastOneOf: [Object.keys(changeFields)] }),
    responses: { 200: Issue },
    guard: read,
    handler: async ({ caller, guarded, params: input }) => {
      const row = await findByIid(core, guarded, input.issue_iid);
      const right = await editRight(core.db, guarded.access, row);
      if (right === 'nothing') throw fail.forbidden();
      const updated = await updateIssue(core, row, guarded, {
        input: right === 'all' ? { ...input, updated_at: timeFrom(input, guarded) } : textsOf(input),
        userId: caller.user.id,
      });
      return presentDetail(core, updated, caller);
    },
  });

  room.delete('/projects/:id/issues/:issue_iid', {
    summary: 'Delete an issue',
    params: params(issuePath),
    responses: { 204: null },
    guard: read,
    handler: async ({ caller, guarded, params: { issue_iid }, headers }) => {
      const row = await findByIid(core, guarded, issue_iid);
      guarded.access.demand('delete_issue');
      demandUnmodified(headers, row.updated_at);
      await deleteIssue(core, row, caller.user.id);
    },
  });
}

/** Owners may say when it changed; from others it is not heard. */
const timeFrom = ({ updated_at }: IssueChange, { access }: InProject) =>
  access.level >= Level.owner ? updated_at : undefined;

const textsOf = ({ title, description, state_event }: IssueChange): IssueChange => ({
  ...(title !== undefined && { title }),
  ...(description !== undefined && { description }),
  ...(state_event !== undefined && { state_event }),
});
