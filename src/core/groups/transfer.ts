import type { Tx } from '../../platform/db/tables.ts';
import { fail } from '../../platform/errors.ts';
import { Level } from '../access/levels.ts';
import { traversalIds } from '../access/store.ts';
import type { Actor } from '../caller.ts';
import type { Core } from '../core.ts';
import { findMemberRow, insertMember, updateMember } from '../members/store.ts';
import { moveNamespace } from '../namespaces/move.ts';
import { findNamespaceById, isPathTaken } from '../namespaces/store.ts';
import { isWider } from '../namespaces/visibility.ts';
import { changeProject } from '../projects/change.ts';
import type { Namespace, Visibility } from '../tables.ts';
import { isTooDeep } from './create.ts';
import { mayCreateSubgroups } from './rights.ts';
import { groupsBelow, isGroupNameTaken, projectsInNamespaces, updateGroupRow } from './store.ts';

/** Puts a group below another one, or at the top with null. Throws 400 in GitLab's words when it cannot go there. */
export async function transferGroup(
  core: Core,
  actor: Actor,
  group: Namespace,
  parentId: number | null,
): Promise<Namespace> {
  await demandPlace(core, actor, group, parentId);
  return core.database.transaction(async (tx) => {
    const before = await findNamespaceById(tx, group.id);
    const parent = parentId === null ? null : await findNamespaceById(tx, parentId);
    if (!before || parent === undefined) throw fail.notFound('Group');
    await refuseTaken(tx, before, parent);
    await refuseDepth(tx, before, parent);
    await moveNamespace(core, tx, before, { parent, name: before.name, path: before.path }, actor.user.id);
    if (parent === null) await makeOwner(core, tx, group.id, actor);
    else await narrowTo(core, tx, group.id, parent.visibility, actor);
    return (await findNamespaceById(tx, group.id))!;
  });
}

const refusal = (text: string) => fail.refused(`Transfer failed: ${text}`);

async function demandPlace(
  core: Core,
  actor: Actor,
  group: Namespace,
  parentId: number | null,
): Promise<void> {
  if (parentId === null) {
    if (group.parent_id === null) throw refusal('Group is already a root group.');
    if (!actor.admin && actor.user.can_create_group === 0)
      throw refusal("You don't have enough permissions.");
    return;
  }
  if (parentId === group.parent_id) throw refusal('Group is already associated to the parent group.');
  const parent = await findNamespaceById(core.db, parentId);
  if (parent?.kind !== 'group') throw fail.notFound('Group');
  const access = await core.access.group(actor, parent);
  access.demand('read_group');
  if (traversalIds(parent.traversal).includes(group.id)) {
    throw refusal('Cannot transfer group to one of its subgroup.');
  }
  if (!mayCreateSubgroups(access)) throw refusal("You don't have enough permissions.");
}

async function refuseTaken(tx: Tx, group: Namespace, parent: Namespace | null): Promise<void> {
  const fullPath = parent === null ? group.path : `${parent.full_path}/${group.path}`;
  const taken =
    (await isPathTaken(tx, fullPath, { namespaceId: group.id })) ||
    (parent !== null && (await isGroupNameTaken(tx, parent.id, group.name, group.id)));
  if (!taken) return;
  throw refusal('The parent group already has a subgroup or a project with the same path.');
}

async function refuseDepth(tx: Tx, group: Namespace, parent: Namespace | null): Promise<void> {
  const depth = ({ traversal }: Namespace) => traversalIds(traversal).length;
  const below = (await groupsBelow(tx, group.id)).map((child) => depth(child) - depth(group));
  if (isTooDeep(parent, Math.max(0, ...below))) throw refusal('Group has too deep level of nesting.');
}

/** Owners of the groups above have no say any more: whoever moved it must. */
async function makeOwner(core: Core, tx: Tx, groupId: number, actor: Actor): Promise<void> {
  const columns = { project_id: null, namespace_id: groupId };
  const values = { access_level: Level.owner, expires_at: null, requested_at: null };
  const existing = await findMemberRow(tx, { columns }, actor.user.id);
  if (existing) await updateMember(tx, existing.id, values);
  else {
    await insertMember(tx, {
      ...columns,
      ...values,
      user_id: actor.user.id,
      created_by_id: actor.user.id,
      created_at: core.clock.now(),
    });
  }
}

/** Nothing inside stays open to more people than the new parent. */
async function narrowTo(
  core: Core,
  tx: Tx,
  groupId: number,
  visibility: Visibility,
  actor: Actor,
): Promise<void> {
  const all = [(await findNamespaceById(tx, groupId))!, ...(await groupsBelow(tx, groupId))];
  for (const group of all) {
    if (isWider(group.visibility, visibility)) await updateGroupRow(tx, group.id, { visibility });
  }
  const ids = all.map(({ id }) => id);
  for (const project of await projectsInNamespaces(tx, ids)) {
    if (isWider(project.visibility, visibility)) {
      await changeProject(core, tx, project, { visibility }, actor.user.id);
    }
  }
}
