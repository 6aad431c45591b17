import { findUsersByIds } from '../../core/users/store.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Tx } from '../../platform/db/tables.ts';
import { systemNote } from '../notes/system-note.ts';
import type { MergeRequestRow } from '../tables.ts';

/** What the comments of a merge request tell of what was done to it, in GitLab's words. */

/** In the transaction in which it was done. `userId` null is a push by nobody known. */
export async function noteDeeds(
  tx: Tx,
  deps: { clock: Clock },
  { id, iid, project_id: projectId }: Pick<MergeRequestRow, 'id' | 'iid' | 'project_id'>,
  { userId, bodies }: { userId: number | null; bodies: readonly string[] },
): Promise<void> {
  const noteable = { type: 'MergeRequest', projectId, id, iid } as const;
  for (const body of bodies) await systemNote(tx, deps, { noteable, authorId: userId, body });
}

type Described = Pick<
  MergeRequestRow,
  'title' | 'description' | 'target_branch' | 'draft' | 'discussion_locked'
>;

export function fieldDeeds(before: Described, after: Described): string[] {
  const differs = (field: keyof Described) => before[field] !== after[field];
  const locked = after.discussion_locked === 1 ? 'locked' : 'unlocked';
  return [
    ...(differs('title') ? [`changed title from **${before.title}** to **${after.title}**`] : []),
    ...(differs('draft')
      ? [`marked this merge request as **${after.draft === 1 ? 'draft' : 'ready'}**`]
      : []),
    ...(differs('description') ? ['changed the description'] : []),
    ...(differs('target_branch')
      ? [`changed target branch from \`${before.target_branch}\` to \`${after.target_branch}\``]
      : []),
    ...(differs('discussion_locked') ? [`${locked} the discussion in this merge request`] : []),
  ];
}

export interface PeopleChange {
  added: readonly number[];
  removed: readonly number[];
}

export async function peopleDeeds(
  tx: Tx,
  { assignees, reviewers }: { assignees?: PeopleChange; reviewers?: PeopleChange },
): Promise<string[]> {
  const ids = [assignees, reviewers].flatMap((change) => [
    ...(change?.added ?? []),
    ...(change?.removed ?? []),
  ]);
  const users = await findUsersByIds(tx, ids);
  const name = (verb: string, named: readonly number[] = []): string[] => {
    const people = named.flatMap((id) => users.get(id)?.username ?? []).map((username) => `@${username}`);
    return people.length > 0 ? [`${verb} ${enumerated(people)}`] : [];
  };
  return [
    ...name('assigned to', assignees?.added),
    ...name('unassigned', assignees?.removed),
    ...name('requested review from', reviewers?.added),
    ...name('removed review request for', reviewers?.removed),
  ];
}

/** `a`, `a and b`, `a, b, and c` */
function enumerated(words: readonly string[]): string {
  if (words.length < 3) return words.join(' and ');
  return `${words.slice(0, -1).join(', ')}, and ${words.at(-1)}`;
}

/** `commits` are new in it, newest first; of many not all are named. */
export function pushDeed(commits: readonly { id: string; title: string }[], count: number): string {
  const lines = [...commits].reverse().map(({ id, title }) => `* ${id.slice(0, 8)} - ${title}`);
  return `added ${count} commit${count === 1 ? '' : 's'}\n\n${lines.join('\n')}`;
}
