import { fail } from '../../platform/errors.ts';
import { Level } from '../access/levels.ts';
import type { Actor } from '../caller.ts';
import type { Core } from '../core.ts';
import type { Member } from '../tables.ts';
import { addMember } from './change.ts';
import type { MemberSource } from './source.ts';
import { deleteMember, findMemberRow, insertMember } from './store.ts';

/** Asks to become a member. Throws 403 for members and where requests are off, 400 for a second request. */
export async function requestAccess(core: Core, actor: Actor, source: MemberSource): Promise<Member> {
  if (!source.requestsEnabled || source.level >= Level.guest) throw fail.forbidden();
  return core.database.transaction(async (tx) => {
    const existing = await findMemberRow(tx, source, actor.user.id);
    if (existing && existing.requested_at !== null) {
      throw fail.invalid({ user_id: ['already exists in source'] });
    }
    // A membership that has ended makes room: its row would stand in the way of the request.
    if (existing) await deleteMember(tx, existing.id);
    const now = core.clock.now();
    return insertMember(tx, {
      ...source.columns,
      user_id: actor.user.id,
      access_level: Level.developer,
      expires_at: null,
      requested_at: now,
      created_by_id: null,
      created_at: now,
    });
  });
}

/** Throws 404 without a request of that user. */
export async function approveRequest(
  core: Core,
  actor: Actor,
  source: MemberSource,
  userId: number,
  accessLevel: number,
): Promise<Member> {
  await demandRequest(core, source, userId);
  return addMember(core, actor, source, userId, { accessLevel });
}

/** For those who manage members, and for the one who asked. */
export async function denyRequest(
  core: Core,
  actor: Actor,
  source: MemberSource,
  userId: number,
): Promise<void> {
  const request = await demandRequest(core, source, userId);
  if (!source.canAdmin && userId !== actor.user.id) throw fail.forbidden();
  await core.database.transaction((tx) => deleteMember(tx, request.id));
}

async function demandRequest(core: Core, source: MemberSource, userId: number): Promise<Member> {
  const row = await findMemberRow(core.db, source, userId);
  if (!row || row.requested_at === null) throw fail.recordNotFound();
  return row;
}
