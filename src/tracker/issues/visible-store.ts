import { type Expression, type SqlBool, sql } from 'kysely';
import { visibleFeature } from '../../core/access/feature-store.ts';
import { Level } from '../../core/access/levels.ts';
import { memberOfProject, type Viewer } from '../../core/access/store.ts';

/** The condition "this viewer may read the issue", for a query over `issues` joined with `projects` and `namespaces`. */
export function readableIssues(viewer: Viewer): Expression<SqlBool> {
  const tracker = visibleFeature(viewer, 'issues');
  if (viewer.admin) return tracker;
  return sql<SqlBool>`(${tracker} and (${openOrOwnIssues(viewer.userId)}
    or ${memberOfProject(viewer, Level.planner)}))`;
}

/** Those that everybody may see who sees the project's issues, and those that concern this user; over `issues` alone. */
export function openOrOwnIssues(userId: number | null): Expression<SqlBool> {
  return sql<SqlBool>`(issues.confidential = 0 or issues.author_id = ${userId} or exists (
    select 1 from issue_assignees where issue_assignees.issue_id = issues.id and issue_assignees.user_id = ${userId}))`;
}
