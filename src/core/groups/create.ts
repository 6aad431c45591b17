import { UniqueViolation } from '../../platform/db/errors.ts';
import type { Tx } from '../../platform/db/tables.ts';
import { type FieldErrors, fail } from '../../platform/errors.ts';
import { Level } from '../access/levels.ts';
import { traversalIds } from '../access/store.ts';
import type { Actor } from '../caller.ts';
import type { Core } from '../core.ts';
import { insertMember } from '../members/store.ts';
import { asRubyHash, groupNamingProblems, TAKEN } from '../namespaces/naming.ts';
import { findNamespaceById, insertNamespace, isPathTaken, setTraversal } from '../namespaces/store.ts';
import { isWider, narrower } from '../namespaces/visibility.ts';
import { deleteRedirect } from '../projects/store.ts';
import type { Namespace, Visibility } from '../tables.ts';
import { mayCreateSubgroups } from './rights.ts';
import { type GroupSettings, groupSettingsText } from './settings.ts';
import { isGroupNameTaken } from './store.ts';

export interface NewGroup {
  name: string;
  path: string;
  parentId?: number | null | undefined;
  description?: string | null | undefined;
  visibility?: Visibility | null | undefined;
  settings?: Partial<GroupSettings>;
}

/** Makes a group whose owner is the creator. Throws 403, 404 for the parent, 400 in GitLab's words for the input. */
export async function createGroup(core: Core, actor: Actor, input: NewGroup): Promise<Namespace> {
  const parent = await parentOf(core, actor, input.parentId ?? null);
  const defaults = await core.settings.current();
  const visibility = input.visibility ?? defaultVisibility(parent, defaults.default_group_visibility);
  refuseGroup({
    ...groupNamingProblems(input, parent === null),
    ...groupVisibilityProblems(parent, visibility),
    ...groupDescriptionProblems(input.description),
    ...(isTooDeep(parent) && { parent_id: ['has too deep level of nesting'] }),
  });
  try {
    return await core.database.transaction((tx) =>
      insertGroup(core, tx, actor, { ...input, parent, visibility }),
    );
  } catch (error) {
    if (error instanceof UniqueViolation) refuseGroup({ path: [TAKEN] });
    throw error;
  }
}

/** GitLab answers for a new group with one text that holds the record's errors as Ruby prints them. */
const groupRefusal = (problems: FieldErrors): Error =>
  fail.refused(`Failed to save group ${asRubyHash(problems)}`);

function refuseGroup(problems: FieldErrors): void {
  if (Object.keys(problems).length > 0) throw groupRefusal(problems);
}

async function parentOf(core: Core, actor: Actor, parentId: number | null): Promise<Namespace | null> {
  if (parentId === null) {
    if (!actor.admin && actor.user.can_create_group === 0) throw fail.forbidden();
    return null;
  }
  const parent = await findNamespaceById(core.db, parentId);
  if (parent?.kind !== 'group') throw fail.notFound('Group');
  const access = await core.access.group(actor, parent);
  access.demand('read_group');
  if (!mayCreateSubgroups(access)) throw fail.forbidden();
  return parent;
}

/** GitLab's limit; it also bounds what access checks have to look at. */
const MAX_DEPTH = 20;

export const isTooDeep = (parent: Namespace | null, levelsBelow = 0): boolean =>
  parent !== null && traversalIds(parent.traversal).length + 1 + levelsBelow > MAX_DEPTH;

const defaultVisibility = (parent: Namespace | null, byDefault: Visibility): Visibility =>
  parent === null ? byDefault : narrower(byDefault, parent.visibility);

export function groupVisibilityProblems(parent: Namespace | null, visibility: Visibility): FieldErrors {
  if (parent === null || !isWider(visibility, parent.visibility)) return {};
  const text = `${visibility} is not allowed since the parent group has a ${parent.visibility} visibility.`;
  return { visibility_level: [text] };
}

export const groupDescriptionProblems = (description: string | null | undefined): FieldErrors =>
  (description ?? '').length > 500 ? { description: ['is too long (maximum is 500 characters)'] } : {};

async function insertGroup(
  core: Core,
  tx: Tx,
  actor: Actor,
  input: NewGroup & { parent: Namespace | null; visibility: Visibility },
): Promise<Namespace> {
  const { name, path, visibility } = input;
  const parent = input.parent === null ? null : await findNamespaceById(tx, input.parent.id);
  if (parent === undefined) throw fail.notFound('Group');
  const fullPath = parent === null ? path : `${parent.full_path}/${path}`;
  await refuseTakenGroup(tx, { name, fullPath, parent });
  const now = core.clock.now();
  const id = await insertNamespace(tx, {
    kind: 'group',
    parent_id: parent?.id ?? null,
    owner_id: null,
    name,
    path,
    full_path: fullPath,
    full_name: parent === null ? name : `${parent.full_name} / ${name}`,
    traversal: '',
    description: input.description ?? '',
    visibility,
    settings: groupSettingsText(input.settings ?? {}),
    created_at: now,
    updated_at: now,
  });
  await setTraversal(tx, id, `${parent?.traversal ?? '/'}${id}/`);
  await deleteRedirect(tx, fullPath);
  await insertOwner(tx, { groupId: id, userId: actor.user.id, now });
  return (await findNamespaceById(tx, id))!;
}

export async function refuseTakenGroup(
  tx: Tx,
  {
    name,
    fullPath,
    parent,
    exceptId,
  }: { name: string; fullPath: string; parent: Namespace | null; exceptId?: number },
  answer: (problems: FieldErrors) => Error = groupRefusal,
): Promise<void> {
  const problems: FieldErrors = {};
  const except = exceptId === undefined ? {} : { namespaceId: exceptId };
  if (parent !== null && (await isGroupNameTaken(tx, parent.id, name, exceptId))) problems['name'] = [TAKEN];
  if (await isPathTaken(tx, fullPath, except)) problems['path'] = [TAKEN];
  if (Object.keys(problems).length > 0) throw answer(problems);
}

async function insertOwner(
  tx: Tx,
  { groupId, userId, now }: { groupId: number; userId: number; now: number },
): Promise<void> {
  await insertMember(tx, {
    user_id: userId,
    namespace_id: groupId,
    project_id: null,
    access_level: Level.owner,
    expires_at: null,
    requested_at: null,
    created_by_id: userId,
    created_at: now,
  });
}
