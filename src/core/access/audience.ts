import type { Queryable } from '../../platform/db/tables.ts';
import type { ProjectWithNamespace } from '../projects/find.ts';
import { projectFacts } from '../projects/settings.ts';
import { mayInProject, maySee, type ProjectAbility, type ProjectFacts, type Standing } from './abilities.ts';
import { levelsAt, MAX_NAMED, type PersonRow, peopleAt, peopleNamed } from './audience-store.ts';
import { Level } from './levels.ts';
import { traversalIds } from './store.ts';

/** One of many people to whom something of a project may be told: what `Access` says of a caller, without a call. */
export class Reader {
  readonly user: PersonRow;
  readonly level: number;
  readonly #standing: Standing;
  readonly #facts: ProjectFacts;

  constructor(user: PersonRow, { standing, facts }: { standing: Standing; facts: ProjectFacts }) {
    this.user = user;
    this.level = standing.level;
    this.#standing = standing;
    this.#facts = facts;
  }

  get visible(): boolean {
    return maySee(this.#standing);
  }

  can(ability: ProjectAbility): boolean {
    return mayInProject(ability, this.#standing, this.#facts);
  }
}

/**
 * What each of these users may do in one project: three queries, however many members it has; some more where hundreds come
 * together who are none. Users who are gone are left out. `today` is the day memberships must count on.
 */
export async function readersOf(
  db: Queryable,
  project: ProjectWithNamespace,
  { userIds, today }: { userIds: readonly number[]; today: string },
): Promise<Map<number, Reader>> {
  if (userIds.length === 0) return new Map();
  const place = { projectId: project.id, namespaceIds: traversalIds(project.traversal) };
  const few = userIds.length <= MAX_NAMED;
  const levels = await levelsAt(db, place, { userIds: few ? userIds : null, today });
  const people = few ? await peopleNamed(db, userIds) : await manyPeople(db, place, userIds);
  const facts = projectFacts(project);
  return new Map(
    people.map((user) => [user.id, new Reader(user, { standing: standingOf(user, project, levels), facts })]),
  );
}

/** Everybody who belongs to the project, with his level; two queries. For `@all`. */
export async function membersOf(
  db: Queryable,
  project: ProjectWithNamespace,
  today: string,
): Promise<Map<number, number>> {
  const place = { projectId: project.id, namespaceIds: traversalIds(project.traversal) };
  const levels = await levelsAt(db, place, { userIds: null, today });
  if (project.namespace_owner_id !== null) levels.set(project.namespace_owner_id, Level.owner);
  return levels;
}

/** Members by one query that names none of them; only the others are named. */
async function manyPeople(
  db: Queryable,
  place: { projectId: number; namespaceIds: readonly number[] },
  userIds: readonly number[],
): Promise<PersonRow[]> {
  const missing = new Set(userIds);
  const found = (await peopleAt(db, place)).filter(({ id }) => missing.delete(id));
  const others = [...missing];
  for (let at = 0; at < others.length; at += MAX_NAMED) {
    found.push(...(await peopleNamed(db, others.slice(at, at + MAX_NAMED))));
  }
  return found;
}

function standingOf(
  user: PersonRow,
  project: ProjectWithNamespace,
  levels: ReadonlyMap<number, number>,
): Standing {
  return {
    level: levelOf(user, project, levels),
    visibility: project.visibility,
    external: user.external === 1,
    signedIn: true,
  };
}

function levelOf(
  user: PersonRow,
  project: ProjectWithNamespace,
  levels: ReadonlyMap<number, number>,
): number {
  if (user.is_admin === 1) return Level.admin;
  return project.namespace_owner_id === user.id ? Level.owner : (levels.get(user.id) ?? Level.none);
}
