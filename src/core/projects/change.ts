import type { Updateable } from 'kysely';
import type { Tx } from '../../platform/db/tables.ts';
import type { Core } from '../core.ts';
import { type ProjectChanges, projectStream } from '../events.ts';
import type { Project, ProjectsTable } from '../tables.ts';
import type { ProjectWithNamespace } from './find.ts';
import { deleteRedirect, findProjectById, insertRedirect, updateProjectRow } from './store.ts';

/**
 * Writes new values to a project and tells the other rooms what is different now. A path that it leaves goes on leading to
 * it, until another project takes that path.
 */
export async function changeProject(
  core: Core,
  tx: Tx,
  before: Project,
  values: Updateable<ProjectsTable>,
  userId: number | null,
): Promise<ProjectWithNamespace> {
  await updateProjectRow(tx, before.id, { ...values, updated_at: core.clock.now() });
  const after = (await findProjectById(tx, before.id))!;
  const changes = changesBetween(before, after);
  if (changes.path) {
    await insertRedirect(tx, before.full_path, before.id);
    await deleteRedirect(tx, after.full_path);
  }
  if (Object.keys(changes).length > 0) {
    const payload = { projectId: before.id, userId, changes };
    await core.events.publish(tx, { type: 'project.updated', stream: projectStream(before.id), payload });
  }
  return after;
}

function changesBetween(before: Project, after: Project): ProjectChanges {
  const changes: ProjectChanges = {};
  if (before.full_path !== after.full_path) changes.path = [before.full_path, after.full_path];
  if (before.name !== after.name) changes.name = [before.name, after.name];
  if (before.namespace_id !== after.namespace_id) {
    changes.namespaceId = [before.namespace_id, after.namespace_id];
  }
  if (before.visibility !== after.visibility) changes.visibility = [before.visibility, after.visibility];
  if (before.archived !== after.archived) changes.archived = [before.archived === 1, after.archived === 1];
  if (before.default_branch !== after.default_branch) {
    changes.defaultBranch = [before.default_branch, after.default_branch];
  }
  return changes;
}
