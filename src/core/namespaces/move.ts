import type { Tx } from '../../platform/db/tables.ts';
import type { Core } from '../core.ts';
import { groupsBelow, projectsInNamespaces, updateGroupRow } from '../groups/store.ts';
import { changeProject } from '../projects/change.ts';
import type { Namespace, Project } from '../tables.ts';

/** Where a namespace hangs and what it is called from now on. */
export interface NewPlace {
  parent: Namespace | null;
  name: string;
  path: string;
}

/**
 * Gives a namespace another name, path or parent, and everything below it the full names, paths and traversals that follow.
 * Every project below is told of as changed, and its old path goes on leading to it.
 */
export async function moveNamespace(
  core: Core,
  tx: Tx,
  before: Namespace,
  { parent, name, path }: NewPlace,
  userId: number | null,
): Promise<void> {
  const now = core.clock.now();
  const after = {
    parent_id: parent?.id ?? null,
    name,
    path,
    full_path: parent === null ? path : `${parent.full_path}/${path}`,
    full_name: parent === null ? name : `${parent.full_name} / ${name}`,
    traversal: `${parent?.traversal ?? '/'}${before.id}/`,
  };
  await updateGroupRow(tx, before.id, { ...after, updated_at: now });
  const below = await groupsBelow(tx, before.id);
  for (const group of below) {
    const rebased = rebase(group, before, after);
    const traversal = after.traversal + group.traversal.slice(before.traversal.length);
    await updateGroupRow(tx, group.id, { ...rebased, traversal });
  }
  const ids = [before.id, ...below.map(({ id }) => id)];
  for (const project of await projectsInNamespaces(tx, ids)) {
    await changeProject(core, tx, project, rebasedProject(project, before, after), userId);
  }
}

type Named = Pick<Namespace, 'full_path' | 'full_name'>;

const rebase = (group: Named, before: Named, after: Named): Named => ({
  full_path: after.full_path + group.full_path.slice(before.full_path.length),
  full_name: after.full_name + group.full_name.slice(before.full_name.length),
});

const rebasedProject = (project: Project, before: Named, after: Named) => ({
  full_path: after.full_path + project.full_path.slice(before.full_path.length),
  name_with_namespace: after.full_name + project.name_with_namespace.slice(before.full_name.length),
});
