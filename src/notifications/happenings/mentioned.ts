import { membersOf } from '../../core/access/audience.ts';
import { traversalIds } from '../../core/access/store.ts';
import { groupSettings } from '../../core/groups/settings.ts';
import { ALL } from '../../core/mentions/names.ts';
import type { ProjectWithNamespace } from '../../core/projects/find.ts';
import { findUsersByIds } from '../../core/users/store.ts';
import type { Queryable } from '../../platform/db/tables.ts';
import type { Mentions } from './happening.ts';
import { groupMembers, type NamedNamespace, namespacesNamed } from './names-store.ts';

/** More names than this, of all texts together, are not looked up. */
const MAX_NAMES = 500;

/**
 * Whom names mean: users; the direct members of groups that the author of the text may see; with `all` everybody who belongs to
 * the project, if the author does. Answers text by text. At most five queries, however many texts and names there are.
 */
export async function usersMentioned(
  db: Queryable,
  project: ProjectWithNamespace,
  { texts, today }: { texts: readonly Mentions[]; today: string },
): Promise<Set<number>[]> {
  const names = [...new Set(texts.flatMap((text) => text.names))].slice(0, MAX_NAMES);
  const named = await namespacesNamed(
    db,
    names.filter((name) => name !== ALL),
  );
  const groups = named.filter(({ kind }) => kind === 'group');
  const [everybody, seen, members] = [
    names.includes(ALL) ? await membersOf(db, project, today) : new Map<number, number>(),
    await groupsSeen(db, groups, { authorIds: authorsOf(texts), today }),
    await groupMembers(db, { groupIds: groups.map(({ id }) => id), today }),
  ];
  const byPath = new Map(named.map((namespace) => [namespace.full_path.toLowerCase(), namespace]));
  const membersByGroup = Map.groupBy(members, (member) => member.namespace_id);
  const usersBehind = (name: string, authorId: number | null): Iterable<number> => {
    if (name === ALL) return authorId !== null && everybody.has(authorId) ? everybody.keys() : [];
    const namespace = byPath.get(name);
    if (namespace === undefined) return [];
    if (namespace.kind === 'user') return namespace.owner_id === null ? [] : [namespace.owner_id];
    if (!seen(namespace, authorId)) return [];
    return (membersByGroup.get(namespace.id) ?? []).map((member) => member.user_id);
  };
  return texts.map((text) => new Set(text.names.flatMap((name) => [...usersBehind(name, text.authorId)])));
}

const authorsOf = (texts: readonly Mentions[]): number[] => [
  ...new Set(texts.flatMap(({ authorId }) => authorId ?? [])),
];

/** Nobody reaches people through a group that he does not see, or that wants not to be mentioned. */
async function groupsSeen(
  db: Queryable,
  groups: readonly NamedNamespace[],
  { authorIds, today }: { authorIds: number[]; today: string },
): Promise<(group: NamedNamespace, authorId: number | null) => boolean> {
  if (groups.length === 0) return () => false;
  const authors = await findUsersByIds(db, authorIds);
  const above = [...new Set(groups.flatMap(({ traversal }) => traversalIds(traversal)))];
  const memberships = await groupMembers(db, { groupIds: above, userIds: authorIds, today });
  const belongs = new Set(memberships.map((row) => `${row.user_id} ${row.namespace_id}`));
  return (group, authorId) => {
    const author = authors.get(authorId ?? 0);
    if (!author || groupSettings(group).mentions_disabled) return false;
    if (author.is_admin === 1 || group.visibility === 'public') return true;
    if (group.visibility === 'internal' && author.external === 0) return true;
    return traversalIds(group.traversal).some((id) => belongs.has(`${author.id} ${id}`));
  };
}
