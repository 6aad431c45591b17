import { type Expression, type SqlBool, sql } from 'kysely';
import { visibleFeature } from '../../core/access/feature-store.ts';
import { memberOfProject, type Viewer } from '../../core/access/store.ts';

/**
 * The condition "this viewer may read the snippet" for a query over `snippets` left-joined with `projects` and their
 * `namespaces`: what `mayReadSnippet` says of one, for lists over many.
 */
export function visibleSnippet(viewer: Viewer): Expression<SqlBool> {
  return sql<SqlBool>`(${visiblePersonalSnippet(viewer)}
    or (snippets.project_id is not null and ${visibleFeature(viewer, 'snippets')} and ${openInProject(viewer)}))`;
}

/** The same for personal snippets alone, over `snippets`. */
export function visiblePersonalSnippet(viewer: Viewer): Expression<SqlBool> {
  return sql<SqlBool>`(snippets.project_id is null and ${openTo(viewer)})`;
}

/** The same for those of one project whose snippets the viewer may see, over the same joined tables. */
export function openInProject(viewer: Viewer): Expression<SqlBool> {
  if (viewer.admin || viewer.userId === null) return openTo(viewer);
  return sql<SqlBool>`(${openTo(viewer)} or ${memberOfProject(viewer)})`;
}

/** By its own visibility, or because it is his. */
function openTo({ admin, userId, external }: Viewer): Expression<SqlBool> {
  if (admin) return sql<SqlBool>`1 = 1`;
  if (userId === null) return sql<SqlBool>`snippets.visibility = 'public'`;
  const open = external
    ? sql<SqlBool>`snippets.visibility = 'public'`
    : sql<SqlBool>`snippets.visibility in ('public', 'internal')`;
  return sql<SqlBool>`(${open} or snippets.author_id = ${userId})`;
}
