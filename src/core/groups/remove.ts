import type { Core } from '../core.ts';
import { groupStream } from '../events.ts';
import { removeProject } from '../projects/remove.ts';
import type { Namespace } from '../tables.ts';
import { deleteGroupRow, groupsBelow, projectsInNamespaces } from './store.ts';

/** Deletes a group with every group and project below it, in one step; repositories go after the commit. */
export async function removeGroup(core: Core, group: Namespace, userId: number): Promise<void> {
  await core.database.transaction(async (tx) => {
    const below = await groupsBelow(tx, group.id);
    const all = [group, ...below];
    const ids = all.map(({ id }) => id);
    for (const project of await projectsInNamespaces(tx, ids)) await removeProject(core, tx, project, userId);
    for (const { id, full_path: fullPath } of all.reverse()) {
      if (!(await deleteGroupRow(tx, id))) continue;
      await core.events.publish(tx, {
        type: 'group.deleted',
        stream: groupStream(id),
        payload: { groupId: id, fullPath, userId },
      });
    }
  });
}
