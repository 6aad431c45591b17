import type { Core } from '../../../core/core.ts';
import type { ProjectWithNamespace } from '../../../core/projects/find.ts';
import { findProjectByPath } from '../../../core/projects/store.ts';
import type { IssueReference } from './references.ts';
import { issueIdsOf } from './store.ts';

/** The issues that are there, by id; `closing`: whether words may close any. */
export async function namedIssues(
  core: Core,
  home: ProjectWithNamespace,
  references: readonly IssueReference[],
  closing: boolean,
): Promise<Map<number, { closes: boolean }>> {
  const mentions = new Map<number, { closes: boolean }>();
  for (const [path, named] of Map.groupBy(references, (reference) => reference.path)) {
    const project = await projectOf(core, home, path);
    if (!project) continue;
    const closed = new Set(named.filter(({ closes }) => closes).map(({ iid }) => iid));
    const iids = [...new Set(named.map(({ iid }) => iid))];
    for (const { id, iid } of await issueIdsOf(core.db, project.id, iids)) {
      mentions.set(id, { closes: closing && (closed.has(iid) || mentions.get(id)?.closes === true) });
    }
  }
  return mentions;
}

/** A path without a slash is a project beside this one. */
async function projectOf(
  core: Core,
  home: ProjectWithNamespace,
  path: string | null,
): Promise<ProjectWithNamespace | undefined> {
  if (path === null) return home;
  const beside = home.full_path.slice(0, home.full_path.lastIndexOf('/') + 1);
  return findProjectByPath(core.db, path.includes('/') ? path : beside + path);
}
