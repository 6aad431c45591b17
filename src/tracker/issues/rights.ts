import type { ProjectAccess } from '../../core/access/access.ts';
import type { Queryable } from '../../platform/db/tables.ts';
import { isAssignee } from './people-store.ts';
import type { IssueRow } from './tables.ts';

/** Whoever wrote an issue or is to work on it. */
export async function isConcerned(
  db: Queryable,
  issue: Pick<IssueRow, 'id' | 'author_id'>,
  userId: number | undefined,
): Promise<boolean> {
  if (userId === undefined) return false;
  return issue.author_id === userId || isAssignee(db, issue.id, userId);
}

/** Confidential issues are for those concerned and for planners and up; the project's own rights come first. */
export async function mayReadIssue(
  db: Queryable,
  access: ProjectAccess,
  issue: Pick<IssueRow, 'id' | 'author_id' | 'confidential'>,
): Promise<boolean> {
  if (mayReadWhen(access, issue, false)) return true;
  return mayReadWhen(access, issue, true) && isConcerned(db, issue, access.caller?.user.id);
}

/** The same where it is known whether he is concerned. */
export function mayReadWhen(
  access: Pick<ProjectAccess, 'can'>,
  issue: Pick<IssueRow, 'confidential'>,
  concerned: boolean,
): boolean {
  if (!access.can('read_issue')) return false;
  return issue.confidential === 0 || concerned || access.can('read_confidential_issue');
}

/** What a caller may change of an issue: `all`, only its `texts` and state as those concerned may, or `nothing`. */
export async function editRight(
  db: Queryable,
  access: ProjectAccess,
  issue: Pick<IssueRow, 'id' | 'author_id'>,
): Promise<'all' | 'texts' | 'nothing'> {
  if (access.can('update_issue')) return 'all';
  // `create_issue` says that the project is not archived and the tracker open to him
  if (!access.can('create_issue')) return 'nothing';
  return (await isConcerned(db, issue, access.caller?.user.id)) ? 'texts' : 'nothing';
}
