import type { Actor } from '../../../core/caller.ts';
import type { Core } from '../../../core/core.ts';
import type { User } from '../../../core/tables.ts';
import { findUsersByIds } from '../../../core/users/store.ts';
import { issuesNamedIn } from '../../issues/mentions/list-store.ts';
import { recordMentions } from '../../issues/mentions/record.ts';
import type { MergeRequestRow } from '../../tables.ts';
import { approvalsOf } from '../approvals/store.ts';
import type { Sides } from '../branches.ts';
import { loadProjects, loadReviewers } from '../related-store.ts';
import type { MessageFacts } from './merge-message.ts';

/** What the messages of a merge may quote, except for the commits. */
export async function messageFacts(
  core: Core,
  row: MergeRequestRow,
  { caller, sides }: { caller: Actor; sides: Sides },
): Promise<Omit<MessageFacts, 'commits'>> {
  const fullPath = sides.target.project.full_path;
  const approvers = (await approvalsOf(core.db, row.id)).map(({ userId }) => userId);
  const reviewers = (await loadReviewers(core.db, row.id)).map((reviewer) => reviewer.user_id);
  const users = await findUsersByIds(core.db, [row.author_id ?? 0, ...approvers, ...reviewers]);
  const known = (ids: number[]): User[] => ids.flatMap((id) => users.get(id) ?? []);
  return {
    mergeRequest: row,
    fullPath,
    sourcePath: sides.source?.project.full_path ?? null,
    url: `${core.baseUrl()}/${fullPath}/-/merge_requests/${row.iid}`,
    author: users.get(row.author_id ?? 0),
    merger: caller.user,
    approvers: known(approvers),
    reviewers: known(reviewers),
    closes: await closedIssues(core, row, caller),
  };
}

/** References as they read in the target project, as far as whoever merges may see the issues. */
async function closedIssues(core: Core, row: MergeRequestRow, caller: Actor): Promise<string[]> {
  // The event that writes them down may not be handled yet.
  await recordMentions(core, row);
  const viewer = core.access.viewer(caller);
  const issues = await issuesNamedIn(core.db, row.id, { viewer, closing: true });
  const projects = await loadProjects(
    core.db,
    issues.map((issue) => issue.project_id),
  );
  return issues.map(({ project_id, iid }) =>
    project_id === row.project_id ? `#${iid}` : `${projects.get(project_id)?.full_path}#${iid}`,
  );
}
