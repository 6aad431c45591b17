import { type Expression, type SqlBool, sql } from 'kysely';
import { Level } from '../../core/access/levels.ts';
import { memberOfProject, type Viewer } from '../../core/access/store.ts';

/** How `ProjectSettings` keeps the feature's switch in its JSON; a quote within a text there is escaped, so that none looks like it. */
const hasSwitch = (value: 'disabled' | 'private') =>
  sql<SqlBool>`projects.settings like ${`%"issues_access_level":"${value}"%`}`;

/**
 * The condition "this viewer may read issues of the project" for a query over `projects` joined with `namespaces`: what the
 * ability `read_issue` says of one project, for lists over many.
 */
export function readableIssueTracker(viewer: Viewer): Expression<SqlBool> {
  const on = sql<SqlBool>`not ${hasSwitch('disabled')}`;
  if (viewer.admin) return on;
  const open = viewer.external
    ? sql<SqlBool>`projects.visibility = 'public'`
    : sql<SqlBool>`projects.visibility in ('public', 'internal')`;
  return sql<SqlBool>`(${on} and (${memberOfProject(viewer, Level.guest)}
    or (${open} and not ${hasSwitch('private')})))`;
}

/** The condition "this viewer may read the issue", for a query over `issues` joined with `projects` and `namespaces`. */
export function readableIssues(viewer: Viewer): Expression<SqlBool> {
  const tracker = readableIssueTracker(viewer);
  if (viewer.admin) return tracker;
  return sql<SqlBool>`(${tracker} and (issues.confidential = 0 or ${concerns(viewer.userId)}
    or ${memberOfProject(viewer, Level.planner)}))`;
}

/** Within one project that the viewer may read issues of, for a query over `issues` alone. */
export function openOrOwnIssues(userId: number | null): Expression<SqlBool> {
  return sql<SqlBool>`(issues.confidential = 0 or ${concerns(userId)})`;
}

const concerns = (userId: number | null) => sql`(issues.author_id = ${userId} or exists (
    select 1 from issue_assignees where issue_assignees.issue_id = issues.id and issue_assignees.user_id = ${userId}))`;
