import { UniqueViolation } from '../../platform/db/errors.ts';
import type { Tx } from '../../platform/db/tables.ts';
import { type FieldErrors, fail } from '../../platform/errors.ts';
import type { Actor } from '../caller.ts';
import type { Core } from '../core.ts';
import { moveNamespace } from '../namespaces/move.ts';
import { groupNamingProblems, TAKEN } from '../namespaces/naming.ts';
import { findNamespaceById } from '../namespaces/store.ts';
import { isWider, widerThan } from '../namespaces/visibility.ts';
import type { Namespace, Visibility } from '../tables.ts';
import { groupDescriptionProblems, groupVisibilityProblems, refuseTakenGroup } from './create.ts';
import { type GroupSettings, groupSettings, groupSettingsText } from './settings.ts';
import { anyWiderBelow, updateGroupRow } from './store.ts';

export interface GroupUpdate {
  name?: string | null | undefined;
  path?: string | null | undefined;
  description?: string | null | undefined;
  visibility?: Visibility | null | undefined;
  settings?: Partial<GroupSettings>;
}

/** Throws 400 in GitLab's words; a new name or path reaches everything below the group. */
export async function updateGroup(
  core: Core,
  actor: Actor,
  group: Namespace,
  wanted: GroupUpdate,
): Promise<Namespace> {
  try {
    return await core.database.transaction((tx) => applyUpdate(core, tx, actor, group.id, wanted));
  } catch (error) {
    if (error instanceof UniqueViolation) throw fail.invalid({ path: [TAKEN] });
    throw error;
  }
}

async function applyUpdate(
  core: Core,
  tx: Tx,
  actor: Actor,
  id: number,
  wanted: GroupUpdate,
): Promise<Namespace> {
  const group = await findNamespaceById(tx, id);
  if (!group) throw fail.notFound('Group');
  const parent = group.parent_id === null ? null : (await findNamespaceById(tx, group.parent_id))!;
  const name = wanted.name ?? group.name;
  const path = wanted.path ?? group.path;
  await refuseProblems(tx, group, parent, { ...wanted, name, path });
  const { description, visibility } = wanted;
  await updateGroupRow(tx, id, {
    ...(description !== undefined && { description: description ?? '' }),
    ...(visibility && { visibility }),
    settings: groupSettingsText({ ...groupSettings(group), ...wanted.settings }),
    updated_at: core.clock.now(),
  });
  if (name !== group.name || path !== group.path) {
    await moveNamespace(core, tx, group, { parent, name, path }, actor.user.id);
  }
  return (await findNamespaceById(tx, id))!;
}

async function refuseProblems(
  tx: Tx,
  group: Namespace,
  parent: Namespace | null,
  { name, path, description, visibility }: GroupUpdate & { name: string; path: string },
): Promise<void> {
  const problems: FieldErrors = {
    ...groupNamingProblems({ name, path }, parent === null),
    ...groupDescriptionProblems(description),
    ...(visibility ? await visibilityProblems(tx, group, parent, visibility) : {}),
  };
  if (name === group.name) delete problems['name'];
  if (path === group.path) delete problems['path'];
  if (Object.keys(problems).length > 0) throw fail.invalid(problems);
  if (name === group.name && path === group.path) return;
  const fullPath = parent === null ? path : `${parent.full_path}/${path}`;
  await refuseTakenGroup(tx, { name, fullPath, parent, exceptId: group.id }, fail.invalid);
}

/** Not above the parent's, and not below that of anything inside. */
async function visibilityProblems(
  tx: Tx,
  group: Namespace,
  parent: Namespace | null,
  visibility: Visibility,
): Promise<FieldErrors> {
  if (isWider(visibility, group.visibility)) return groupVisibilityProblems(parent, visibility);
  const wider = await anyWiderBelow(tx, group.id, widerThan(visibility));
  const texts = [
    ...(wider.projects
      ? [`${visibility} is not allowed since this group contains projects with higher visibility.`]
      : []),
    ...(wider.groups
      ? [`${visibility} is not allowed since there are sub-groups with higher visibility.`]
      : []),
  ];
  return texts.length > 0 ? { visibility_level: texts } : {};
}
