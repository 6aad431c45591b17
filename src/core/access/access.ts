import type { Clock } from '../../platform/clock.ts';
import type { Db } from '../../platform/db/tables.ts';
import { fail } from '../../platform/errors.ts';
import type { Visitor } from '../caller.ts';
import type { ProjectWithNamespace } from '../projects/find.ts';
import { projectFacts } from '../projects/settings.ts';
import type { Namespace } from '../tables.ts';
import { DayText } from '../tokens/expiry.ts';
import {
  type GroupAbility,
  mayInGroup,
  mayInProject,
  maySee,
  type ProjectAbility,
  type Standing,
} from './abilities.ts';
import { Level } from './levels.ts';
import {
  type Belonging,
  BelongingLookup,
  belongings,
  isMemberBelow,
  traversalIds,
  type Viewer,
} from './store.ts';

/** The one place that answers "may this caller do that here". Every route and every ref update asks it. */
export class Access {
  readonly #db: Db;
  readonly #lookup: BelongingLookup;
  readonly #clock: Clock;
  readonly #day = new DayText();

  constructor({ db, clock }: { db: Db; clock: Clock }) {
    this.#db = db;
    this.#lookup = new BelongingLookup(db);
    this.#clock = clock;
  }

  /** `YYYY-MM-DD` in UTC: memberships and tokens end at the beginning of their expiry day. */
  today(): string {
    return this.#day.of(this.#clock.now());
  }

  viewer(caller: Visitor): Viewer {
    return {
      userId: caller?.user.id ?? null,
      admin: caller?.admin ?? false,
      external: caller?.user.external === 1,
      today: this.today(),
    };
  }

  async project(caller: Visitor, project: ProjectWithNamespace): Promise<ProjectAccess> {
    const access = await this.projects(caller, [project]);
    return access.get(project.id)!;
  }

  /** For a page of projects at once, by id. */
  async projects(caller: Visitor, projects: ProjectWithNamespace[]): Promise<Map<number, ProjectAccess>> {
    const levels = caller?.admin ? null : await this.levels(caller, projects);
    return new Map(
      projects.map((project) => {
        const level = levels === null ? Level.admin : levels.get(project.id)!.effective;
        return [
          project.id,
          new ProjectAccess(caller, project, standingOf(caller, level, project.visibility)),
        ];
      }),
    );
  }

  /** The caller's levels by all ways that lead to each project; being an administrator is none of them. */
  async levels(caller: Visitor, projects: ProjectWithNamespace[]): Promise<Map<number, Levels>> {
    const found = caller === null ? [] : await this.#belongings(caller.user.id, projects);
    return new Map(projects.map((project) => [project.id, levelsIn(project, found, caller?.user.id)]));
  }

  async #belongings(userId: number, projects: ProjectWithNamespace[]): Promise<Belonging[]> {
    const [first] = projects;
    if (first === undefined) return [];
    const today = this.today();
    if (projects.length === 1) {
      return this.#lookup.at(first.id, traversalIds(first.traversal), { userId, today });
    }
    const places = {
      projectIds: projects.map(({ id }) => id),
      namespaceIds: [...new Set(projects.flatMap(({ traversal }) => traversalIds(traversal)))],
    };
    return belongings(this.#db, { userId, places, today });
  }

  /** What the caller might do if he were no member: what the project opens to everybody. */
  asStranger(caller: Visitor, project: ProjectWithNamespace): ProjectAccess {
    return new ProjectAccess(caller, project, standingOf(caller, Level.none, project.visibility));
  }

  async group(caller: Visitor, group: Namespace): Promise<GroupAccess> {
    if (caller?.admin) return new GroupAccess(group, standingOf(caller, Level.admin, group.visibility), true);
    const level = caller === null ? Level.none : await this.#levelInGroup(caller.user.id, group);
    const standing = standingOf(caller, level, group.visibility);
    const seen = maySee(standing) || (await isMemberBelow(this.#db, group.id, this.viewer(caller)));
    return new GroupAccess(group, standing, seen);
  }

  async #levelInGroup(userId: number, group: Namespace): Promise<number> {
    const today = this.today();
    const found = await this.#lookup.at(0, traversalIds(group.traversal), { userId, today });
    return highest(found) ?? Level.none;
  }
}

/** How a person stands in one project. */
export interface Levels {
  /** By a membership of the project itself; null without one. */
  direct: number | null;
  /** By the highest membership in the groups above. */
  inherited: number | null;
  /** The highest of all, shares and the ownership of a personal namespace included; `Level.none` for none. */
  effective: number;
}

function levelsIn(project: ProjectWithNamespace, found: Belonging[], userId: number | undefined): Levels {
  const above = new Set(traversalIds(project.traversal));
  const here = found.filter(
    ({ projectId, namespaceId }) =>
      projectId === project.id || (namespaceId !== null && above.has(namespaceId)),
  );
  const own = here.filter(({ shared }) => !shared);
  const isOwner = userId !== undefined && project.namespace_owner_id === userId;
  return {
    direct: highest(own.filter(({ projectId }) => projectId !== null)),
    inherited: highest(own.filter(({ namespaceId }) => namespaceId !== null)),
    effective: isOwner ? Level.owner : (highest(here) ?? Level.none),
  };
}

const highest = (found: Belonging[]): number | null =>
  found.length === 0 ? null : Math.max(...found.map(({ level }) => level));

function standingOf(caller: Visitor, level: number, visibility: Standing['visibility']): Standing {
  return { level, visibility, external: caller?.user.external === 1, signedIn: caller !== null };
}

/** What one caller may do in one project. */
export class ProjectAccess {
  readonly caller: Visitor;
  readonly level: number;
  readonly #project: ProjectWithNamespace;
  readonly #standing: Standing;

  constructor(caller: Visitor, project: ProjectWithNamespace, standing: Standing) {
    this.caller = caller;
    this.#project = project;
    this.#standing = standing;
    this.level = standing.level;
  }

  get visible(): boolean {
    return maySee(this.#standing);
  }

  can(ability: ProjectAbility): boolean {
    return mayInProject(ability, this.#standing, projectFacts(this.#project));
  }

  /** 404 for what the caller may not know of, 403 for what he may not do. */
  demand(ability: ProjectAbility, reason?: string): void {
    if (!this.visible) throw fail.notFound('Project');
    if (!this.can(ability)) throw fail.forbidden(reason);
  }
}

export class GroupAccess {
  readonly level: number;
  readonly visible: boolean;
  readonly #standing: Standing;
  readonly group: Namespace;

  constructor(group: Namespace, standing: Standing, visible: boolean) {
    this.group = group;
    this.#standing = standing;
    this.level = standing.level;
    this.visible = visible;
  }

  can(ability: GroupAbility): boolean {
    if (ability === 'read_group') return this.visible;
    return mayInGroup(ability, this.#standing);
  }

  demand(ability: GroupAbility, reason?: string): void {
    if (!this.visible) throw fail.notFound('Group');
    if (!this.can(ability)) throw fail.forbidden(reason);
  }
}
