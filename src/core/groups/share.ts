import { UniqueViolation } from '../../platform/db/errors.ts';
import { fail } from '../../platform/errors.ts';
import type { Actor } from '../caller.ts';
import type { Core } from '../core.ts';
import { findNamespaceById } from '../namespaces/store.ts';
import { deleteShare, insertShare, type SharedThing, type ShareRow } from './shares-store.ts';

export interface NewShare {
  groupId: number;
  level: number;
  expiresAt: string | null;
}

/**
 * Gives the members of a group access to a project or another group, up to a level. Throws 404 for a group that the actor
 * may not see, 403 for a level above his own, 409 when it is shared with that group already.
 */
export async function share(
  core: Core,
  actor: Actor,
  shared: SharedThing & { ownLevel: number },
  { groupId, level, expiresAt }: NewShare,
): Promise<ShareRow> {
  const group = await findNamespaceById(core.db, groupId);
  if (group?.kind !== 'group') throw fail.notFound('Group');
  (await core.access.group(actor, group)).demand('read_group');
  if (level > shared.ownLevel) throw fail.forbidden();
  if ('groupId' in shared && shared.groupId === groupId) {
    throw fail.refused('Shared group A group cannot be shared with itself');
  }
  try {
    return await core.database.transaction((tx) =>
      insertShare(tx, {
        project_id: 'projectId' in shared ? shared.projectId : null,
        namespace_id: 'groupId' in shared ? shared.groupId : null,
        shared_with_id: groupId,
        access_level: level,
        expires_at: expiresAt,
        created_at: core.clock.now(),
      }),
    );
  } catch (error) {
    if (error instanceof UniqueViolation) throw fail.conflict('Group already shared with this group');
    throw error;
  }
}

export async function unshare(core: Core, shared: SharedThing, groupId: number): Promise<void> {
  const done = await core.database.transaction((tx) => deleteShare(tx, shared, groupId));
  if (!done) throw fail.notFound('Group Link');
}
