import { type Expression, type SqlBool, sql } from 'kysely';
import type { Feature } from './abilities.ts';
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
