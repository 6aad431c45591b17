import type { Queryable } from '../../platform/db/tables.ts';
import { fail } from '../../platform/errors.ts';
import type { Actor } from '../caller.ts';
import type { Core } from '../core.ts';
import { findProject, type ProjectWithNamespace } from '../projects/find.ts';
import { findProjectById } from '../projects/store.ts';

/** No chain of forks comes near; a bound for a cycle that a broken database might hold. */
const MAX_DEPTH = 50;

/**
 * The project of the same fork network that a commit starts from: 404 for what the caller may not see, 403 where he may not
 * read the code or the two are no relatives.
 */
export async function findStartProject(
  core: Core,
  { caller, project, reference }: { caller: Actor; project: ProjectWithNamespace; reference: string },
): Promise<ProjectWithNamespace> {
  const found = await findProject(core.db, reference);
  if (!found) throw fail.notFound('Project');
  const start = found.project;
  const access = await core.access.project(caller, start);
  if (!access.visible) throw fail.notFound('Project');
  if (start.id === project.id) return start;
  const related = (await networkRoot(core.db, start)) === (await networkRoot(core.db, project));
  if (!access.can('read_code') || !related) {
    throw fail.forbidden(`Project is not included in the fork network for ${project.full_path}`);
  }
  return start;
}

/** The project that all forks around this one descend from. */
async function networkRoot(
  db: Queryable,
  project: { id: number; forked_from_id: number | null },
): Promise<number> {
  let { id, forked_from_id: parent } = project;
  for (let depth = 0; parent !== null && depth < MAX_DEPTH; depth++) {
    id = parent;
    parent = (await findProjectById(db, parent))?.forked_from_id ?? null;
  }
  return id;
}
