import type { Tx } from '../../platform/db/tables.ts';
import type { Core } from '../core.ts';
import { projectStream } from '../events.ts';
import type { Project } from '../tables.ts';
import { deleteProjectRow } from './store.ts';

/**
 * Deletes a project and all rows that hang on it, at once; its repository goes right after the commit, by the event.
 * False when somebody else was faster.
 */
export async function removeProject(
  core: Core,
  tx: Tx,
  project: Pick<Project, 'id' | 'namespace_id' | 'full_path' | 'storage_path'>,
  userId: number | null,
): Promise<boolean> {
  if (!(await deleteProjectRow(tx, project.id))) return false;
  await core.events.publish(tx, {
    type: 'project.deleted',
    stream: projectStream(project.id),
    payload: {
      projectId: project.id,
      namespaceId: project.namespace_id,
      fullPath: project.full_path,
      storagePath: project.storage_path,
      userId,
    },
  });
  return true;
}
