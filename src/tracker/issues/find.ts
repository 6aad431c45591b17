import type { Core } from '../../core/core.ts';
import type { InProject } from '../../core/guards.ts';
import { fail } from '../../platform/errors.ts';
import { param } from '../../platform/http/params.ts';
import { mayReadIssue } from './rights.ts';
import { findIssue } from './store.ts';
import type { IssueRow } from './tables.ts';

export const issuePath = {
  id: param.string({ description: 'Number or URL-encoded path of the project.' }),
  issue_iid: param.integer({ description: 'Number within the project, as in `#1`.' }),
};

/** The issue of `:issue_iid`; 404 when there is none that the caller may know of. */
export async function findByIid(
  { db }: Pick<Core, 'db'>,
  { project, access }: Pick<InProject, 'access'> & { project: { id: number } },
  iid: number,
): Promise<IssueRow> {
  const issue = await findIssue(db, project.id, iid);
  if (!issue || !(await mayReadIssue(db, access, issue))) throw fail.recordNotFound();
  return issue;
}
