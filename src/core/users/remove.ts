import type { Tx } from '../../platform/db/tables.ts';
import { fail } from '../../platform/errors.ts';
import type { Core } from '../core.ts';
import { removeGroup } from '../groups/remove.ts';
import { projectsInNamespaces } from '../groups/store.ts';
import { findPersonalNamespace } from '../namespaces/store.ts';
import { removeProject } from '../projects/remove.ts';
import { deleteUserRow, findUser, solelyOwnedGroups } from './store.ts';

/**
 * Deletes a user with his tokens, memberships, personal namespace and the projects in it. What he wrote elsewhere stays, in
 * the name of the ghost. A group that only he owns stands in the way (409), or goes too with `hard`. Throws 404.
 */
export async function removeUser(
  core: Core,
  id: number,
  { hard, byUserId }: { hard: boolean; byUserId: number },
): Promise<void> {
  if (hard) await removeOwnedGroups(core, id, byUserId);
  await core.database.transaction(async (tx) => {
    if (!(await findUser(tx, id))) throw fail.notFound('User');
    if ((await solelyOwnedGroups(tx, id)).length > 0) {
      throw fail.conflict('User cannot be removed while is the sole-owner of a group');
    }
    await removePersonalProjects(core, tx, id, byUserId);
    await deleteUserRow(tx, id);
  });
}

/** One after the other, each by itself: a subgroup may have gone with the group above it. */
async function removeOwnedGroups(core: Core, userId: number, byUserId: number): Promise<void> {
  for (;;) {
    const [group] = await solelyOwnedGroups(core.db, userId);
    if (!group) return;
    await removeGroup(core, group, byUserId);
  }
}

async function removePersonalProjects(core: Core, tx: Tx, userId: number, byUserId: number): Promise<void> {
  const home = await findPersonalNamespace(tx, userId);
  if (!home) return;
  for (const project of await projectsInNamespaces(tx, [home.id])) {
    await removeProject(core, tx, project, byUserId);
  }
}
