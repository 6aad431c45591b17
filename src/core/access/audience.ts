import type { Queryable } from '../../platform/db/tables.ts';
import type { ProjectWithNamespace } from '../projects/find.ts';
import { projectFacts } from '../projects/settings.ts';
import type { User } from '../tables.ts';
import { mayInProject, maySee, type ProjectAbility, type ProjectFacts, type Standing } from './abilities.ts';
import { levelsAt, MAX_NAMED } from './audience-store.ts';
import { Level } from './levels.ts';
import { traversalIds } from './store.ts';

/** As much of a user as his rights depend on. */
export type Person = Pick<User, 'id' | 'state' | 'is_admin' | 'external' | 'bot'>;

/** One of many people to whom something of a project may be told: what `Access` says of a caller, without a call. */
export class Reader {
  readonly user: Person;
  readonly level: number;
  readonly #standing: Standing;
  readonly #facts: ProjectFacts;

  constructor(user: Person, { standing, facts }: { standing: Standing; facts: ProjectFacts }) {
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

/** What each of these people may do in one project: two queries, however many they are. `today` is the day memberships must count on. */
export async function readersOf(
  db: Queryable,
  project: ProjectWithNamespace,
  { people, today }: { people: readonly Person[]; today: string },
): Promise<Map<number, Reader>> {
  if (people.length === 0) return new Map();
  const place = { projectId: project.id, namespaceIds: traversalIds(project.traversal) };
  const userIds = people.length <= MAX_NAMED ? people.map(({ id }) => id) : null;
  const levels = await levelsAt(db, place, { userIds, today });
  const facts = projectFacts(project);
  const readers = new Map<number, Reader>();
  for (const user of people)
    readers.set(user.id, new Reader(user, { standing: standingOf(user, project, levels), facts }));
  return readers;
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

function standingOf(
  user: Person,
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

function levelOf(user: Person, project: ProjectWithNamespace, levels: ReadonlyMap<number, number>): number {
  if (user.is_admin === 1) return Level.admin;
  return project.namespace_owner_id === user.id ? Level.owner : (levels.get(user.id) ?? Level.none);
}
