import { type Expression, type SqlBool, sql } from 'kysely';
import { Level } from '../../core/access/levels.ts';
import { memberOfProject, type Viewer } from '../../core/access/store.ts';

/** How `ProjectSettings` keeps the feature's switch in its JSON; a quote within a text there is escaped, so that none looks like it. */
const hasSwitch = (value: 'disabled' | 'private') =>
  sql<SqlBool>`projects.settings like ${`%"merge_requests_access_level":"${value}"%`}`;

/**
 * The condition "this viewer may read merge requests of the project" for a query over `projects` joined with `namespaces`:
 * what the ability `read_merge_request` says of one project, for lists over many.
 */
export function readableMergeRequests(viewer: Viewer): Expression<SqlBool> {
  const on = sql<SqlBool>`not ${hasSwitch('disabled')}`;
  if (viewer.admin) return on;
  const open = viewer.external
    ? sql<SqlBool>`projects.visibility = 'public'`
    : sql<SqlBool>`projects.visibility in ('public', 'internal')`;
  return sql<SqlBool>`(${on} and (${memberOfProject(viewer, Level.reporter)}
    or (${open} and (not ${hasSwitch('private')} or ${memberOfProject(viewer)}))))`;
}
