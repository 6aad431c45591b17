import { type Expression, type SqlBool, sql } from 'kysely';
import type { Feature } from './abilities.ts';
import { Level } from './levels.ts';
import { memberOfProject, type Viewer, visibleProject } from './store.ts';

/** How `ProjectSettings` keeps a feature's switch in its JSON; a quote within a text there is escaped, so that none looks like it. */
const hasSwitch = (feature: Feature, value: 'disabled' | 'private') =>
  sql<SqlBool>`projects.settings like ${`%"${feature}_access_level":"${value}"%`}`;

/**
 * The condition "this viewer may see the project and the feature in it", for abilities that guests and everyone have, over
 * `projects` joined with `namespaces`: what `mayInProject` says of one project, for lists over many.
 */
export function visibleFeature(viewer: Viewer, feature: Feature): Expression<SqlBool> {
  const on = sql<SqlBool>`not ${hasSwitch(feature, 'disabled')}`;
  if (viewer.admin) return on;
  const open = sql<SqlBool>`not ${hasSwitch(feature, 'private')}`;
  const forHim = viewer.userId === null ? open : sql<SqlBool>`(${open} or ${memberOfProject(viewer)})`;
  return sql<SqlBool>`(${on} and ${visibleProject(viewer)} and ${forHim})`;
}

/**
 * The same for abilities that everyone has where the project is open to him, and members from reporters on elsewhere: code and
 * merge requests.
 */
export function visibleToReporters(viewer: Viewer, feature: Feature): Expression<SqlBool> {
  const on = sql<SqlBool>`not ${hasSwitch(feature, 'disabled')}`;
  if (viewer.admin) return on;
  const open =
    viewer.external || viewer.userId === null
      ? sql<SqlBool>`projects.visibility = 'public'`
      : sql<SqlBool>`projects.visibility in ('public', 'internal')`;
  return sql<SqlBool>`(${on} and (${memberOfProject(viewer, Level.reporter)}
    or (${open} and (not ${hasSwitch(feature, 'private')} or ${memberOfProject(viewer)}))))`;
}
