import type { Tx } from '../../platform/db/tables.ts';
import { fail } from '../../platform/errors.ts';
import { Level, MEMBER_LEVELS } from '../access/levels.ts';
import type { Actor } from '../caller.ts';
import type { Core } from '../core.ts';
import { groupStream, projectStream } from '../events.ts';
import type { Member } from '../tables.ts';
import type { MemberSource } from './source.ts';
import {
  deleteMember,
  findMemberRow,
  hasOtherOwner,
  inheritedLevel,
  insertMember,
  membershipsBelow,
  updateMember,
} from './store.ts';

/** Who comes, goes or changes his level, and the rules that keep people from raising themselves. */

export interface Membership {
  accessLevel: number;
  expiresAt?: string | null | undefined;
}

/** Throws 409 when he is a member already; somebody who had asked for access gets it. */
export async function addMember(
  core: Core,
  actor: Actor,
  source: MemberSource,
  userId: number,
  wanted: Membership,
): Promise<Member> {
  demandMayGrant(source, wanted.accessLevel);
  const today = core.access.today();
  return core.database.transaction(async (tx) => {
    const existing = await findMemberRow(tx, source, userId);
    if (existing && existing.requested_at === null && !hasEnded(existing, today)) {
      throw fail.conflict('Member already exists');
    }
    await refuseMembership(tx, source, userId, wanted, today);
    const values = {
      access_level: wanted.accessLevel,
      expires_at: wanted.expiresAt ?? null,
      requested_at: null,
      created_by_id: actor.user.id,
      created_at: core.clock.now(),
    };
    const member = existing
      ? await updateMember(tx, existing.id, values)
      : await insertMember(tx, { ...source.columns, user_id: userId, ...values });
    await announce(core, tx, member, actor, member.access_level);
    return member;
  });
}

/** An end date that is left out stays as it is; null takes it away. */
export async function changeMember(
  core: Core,
  actor: Actor,
  source: MemberSource,
  userId: number,
  wanted: Membership,
): Promise<Member> {
  demandMayGrant(source, wanted.accessLevel);
  const today = core.access.today();
  return core.database.transaction(async (tx) => {
    const existing = await demandMember(tx, source, userId, today);
    await demandMayTouch(tx, source, existing, today, wanted);
    await refuseMembership(tx, source, userId, wanted, today);
    const member = await updateMember(tx, existing.id, {
      access_level: wanted.accessLevel,
      ...(wanted.expiresAt !== undefined && { expires_at: wanted.expiresAt }),
    });
    await announce(core, tx, member, actor, member.access_level);
    return member;
  });
}

/** Leaving is everybody's right, but for a group's last owner; taking somebody out is for those who manage members. */
export async function removeMember(
  core: Core,
  actor: Actor,
  source: MemberSource,
  userId: number,
  { alsoBelow }: { alsoBelow: boolean },
): Promise<void> {
  const today = core.access.today();
  await core.database.transaction(async (tx) => {
    const existing = await demandMember(tx, source, userId, today);
    if (userId !== actor.user.id && !source.canAdmin) throw fail.forbidden();
    await demandMayTouch(tx, source, existing, today, null, userId === actor.user.id);
    const below = alsoBelow && source.kind === 'group' ? await membershipsBelow(tx, source.id, userId) : [];
    for (const member of [existing, ...below]) {
      await deleteMember(tx, member.id);
      await announce(core, tx, member, actor, null);
    }
  });
}

async function demandMember(tx: Tx, source: MemberSource, userId: number, today: string): Promise<Member> {
  const member = await findMemberRow(tx, source, userId);
  if (!member || member.requested_at !== null || hasEnded(member, today)) throw fail.recordNotFound();
  return member;
}

const hasEnded = ({ expires_at: end }: Member, today: string): boolean => end !== null && end <= today;

/** Nobody gives more than he has himself. */
export function demandMayGrant(source: MemberSource, level: number): void {
  if (!MEMBER_LEVELS.includes(level)) throw fail.invalid({ access_level: ['is not included in the list'] });
  if (level > source.level) throw fail.forbidden();
}

async function demandMayTouch(
  tx: Tx,
  source: MemberSource,
  member: Member,
  today: string,
  wanted: Membership | null,
  isSelf = false,
): Promise<void> {
  if (member.user_id === source.holderId) throw fail.forbidden();
  if (!isSelf && member.access_level > source.level) throw fail.forbidden();
  const losesOwner = member.access_level === Level.owner && (wanted?.accessLevel ?? 0) < Level.owner;
  if (source.kind !== 'group' || !losesOwner) return;
  if (!(await hasOtherOwner(tx, source, member.user_id, today)) && isTop(source)) throw fail.forbidden();
}

/** A subgroup has the owners of the groups above; only at the top could nobody be left. */
const isTop = ({ ancestorIds }: MemberSource): boolean => ancestorIds.length === 0;

const NAMES: Record<number, string> = {
  10: 'Guest',
  15: 'Planner',
  20: 'Reporter',
  30: 'Developer',
  40: 'Maintainer',
  50: 'Owner',
};

async function refuseMembership(
  tx: Tx,
  source: MemberSource,
  userId: number,
  { accessLevel, expiresAt }: Membership,
  today: string,
): Promise<void> {
  if (expiresAt && expiresAt < today) {
    throw fail.invalid({ expires_at: ['cannot be a date in the past'] });
  }
  const inherited = await inheritedLevel(tx, source, userId, today);
  if (inherited === null || accessLevel >= inherited.level) return;
  const text = `should be greater than or equal to ${NAMES[inherited.level]} inherited membership from group ${inherited.groupName}`;
  throw fail.invalid({ access_level: [text] });
}

export async function announce(
  core: Core,
  tx: Tx,
  member: Member,
  actor: Actor,
  accessLevel: number | null,
): Promise<void> {
  const { user_id: userId, namespace_id: groupId, project_id: projectId } = member;
  await core.events.publish(tx, {
    type: 'member.changed',
    stream: projectId === null ? groupStream(groupId!) : projectStream(projectId),
    payload: { userId, groupId, projectId, accessLevel, byUserId: actor.user.id },
  });
}
