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

/** What people of one standing may do in one project: ten thousand people share a handful of these. */
class Rights {
  readonly level: number;
  readonly visible: boolean;
  readonly #standing: Standing;
  readonly #facts: ProjectFacts;
  readonly #known = new Map<ProjectAbility, boolean>();

  constructor(standing: Standing, facts: ProjectFacts) {
    this.level = standing.level;
    this.visible = maySee(standing);
    this.#standing = standing;
    this.#facts = facts;
  }

  can(ability: ProjectAbility): boolean {
    let allowed = this.#known.get(ability);
    if (allowed === undefined) {
      allowed = mayInProject(ability, this.#standing, this.#facts);
      this.#known.set(ability, allowed);
    }
    return allowed;
  }
}

/** One of many people to whom something of a project may be told: what `Access` says of a caller, without a call. */
export class Reader {
  readonly user: Person;
  readonly #rights: Rights;

  constructor(user: Person, rights: Rights) {
    this.user = user;
    this.#rights = rights;
  }

  get level(): number {
    return this.#rights.level;
  }

  get visible(): boolean {
    return this.#rights.visible;
  }

  can(ability: ProjectAbility): boolean {
    return this.#rights.can(ability);
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
  const rights = rightsIn(project);
  const readers = new Map<number, Reader>();
  for (const user of people)
    readers.set(user.id, new Reader(user, rights(levelOf(user, project, levels), user.external === 1)));
  return readers;
}

/** The same object for the same standing. */
function rightsIn(project: ProjectWithNamespace): (level: number, external: boolean) => Rights {
  const facts = projectFacts(project);
  const { visibility } = project;
  const insiders = new Map<number, Rights>();
  const externals = new Map<number, Rights>();
  return (level, external) => {
    const known = external ? externals : insiders;
    let rights = known.get(level);
    if (rights === undefined) {
      rights = new Rights({ level, visibility, external, signedIn: true }, facts);
      known.set(level, rights);
    }
    return rights;
  };
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

function levelOf(user: Person, project: ProjectWithNamespace, levels: ReadonlyMap<number, number>): number {
  if (user.is_admin === 1) return Level.admin;
  return project.namespace_owner_id === user.id ? Level.owner : (levels.get(user.id) ?? Level.none);
}
