import type { ProjectAccess } from '../../core/access/access.ts';
import { Level } from '../../core/access/levels.ts';
import type { Caller } from '../../core/caller.ts';
import { fail } from '../../platform/errors.ts';
import type { NoteRow } from '../tables.ts';
import type { NoteFilter } from './store.ts';
import type { Target } from './targets.ts';

/** Who may say what. Each `demand` throws 403. */

export const readableNotes = (access: ProjectAccess): NoteFilter => ({
  internal: access.can('read_internal_note'),
});

/** Where a discussion is locked, only members go on talking. */
export const mayTalk = ({ access, locked }: Target, ability: 'create_note' | 'award_emoji'): boolean =>
  access.can(ability) && (!locked || access.level >= Level.guest);

export function demandMayTalk(target: Target): void {
  if (!mayTalk(target, 'create_note')) throw fail.forbidden();
}

/** A note is its author's, and the maintainers'; what the service wrote itself is nobody's. */
export function demandOwn(
  note: NoteRow,
  { caller, access }: { caller: Caller; access: ProjectAccess },
): void {
  const own = note.author_id === caller.user.id && access.can('create_note');
  if (note.system === 1 || !(own || access.can('admin_note'))) throw fail.forbidden();
}

/** Developers resolve threads, and so does whoever opened the merge request. */
export const mayResolve = (target: Target, { user }: Caller): boolean =>
  target.access.can('resolve_note') || (target.authorId === user.id && mayTalk(target, 'create_note'));

export function demandMayResolve(target: Target, caller: Caller): void {
  if (!mayResolve(target, caller)) throw fail.forbidden();
}

/**
 * The time that a note is said to be of: owners may set it, for others it is left as it is, without a word, as on GitLab.
 * Throws 400 for one before 1970.
 */
export function saidToBeOf(access: ProjectAccess, createdAt: number | null | undefined): number | null {
  if (createdAt == null || access.level < Level.owner) return null;
  if (createdAt < 0) throw fail.params('created_at is invalid');
  return createdAt;
}
