import type { Clock } from '../../platform/clock.ts';
import type { Queryable } from '../../platform/db/tables.ts';
import { fail } from '../../platform/errors.ts';
import type { Visitor } from '../caller.ts';
import type { ProjectWithNamespace } from '../projects/find.ts';
import { projectFacts } from '../projects/settings.ts';
import type { Namespace } from '../tables.ts';
import {
  type GroupAbility,
  mayInGroup,
  mayInProject,
  maySee,
  type ProjectAbility,
  type Standing,
} from './abilities.ts';
import { Level } from './levels.ts';
import { isMemberBelow, membershipLevels, traversalIds, type Viewer } from './store.ts';

/** The one place that answers "may this caller do that here". Every route and every ref update asks it. */
export class Access {
  readonly #db: Queryable;
  readonly #clock: Clock;

  constructor({ db, clock }: { db: Queryable; clock: Clock }) {
    this.#db = db;
    this.#clock = clock;
  }

  /** `YYYY-MM-DD` in UTC: memberships and tokens end at the beginning of their expiry day. */
  today(): string {
    return new Date(this.#clock.now()).toISOString().slice(0, 10);
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
    const level = await this.#projectLevel(caller, project);
    return new ProjectAccess(project, standingOf(caller, level, project.visibility));
  }

  /** Level of a user in a project by all ways that lead there; `Level.none` for none. */
  async #projectLevel(caller: Visitor, project: ProjectWithNamespace): Promise<number> {
    if (caller === null) return Level.none;
    if (caller.admin) return Level.admin;
    if (project.namespace_owner_id === caller.user.id) return Level.owner;
    return this.#highest(caller.user.id, project.id, project.traversal);
  }

  async group(caller: Visitor, group: Namespace): Promise<GroupAccess> {
    if (caller?.admin) return new GroupAccess(group, standingOf(caller, Level.admin, group.visibility), true);
    const level = caller === null ? Level.none : await this.#highest(caller.user.id, null, group.traversal);
    const standing = standingOf(caller, level, group.visibility);
    const seen = maySee(standing) || (await isMemberBelow(this.#db, group.id, this.viewer(caller)));
    return new GroupAccess(group, standing, seen);
  }

  async #highest(userId: number, projectId: number | null, traversal: string): Promise<number> {
    const place = { projectId, namespaceIds: traversalIds(traversal) };
    const levels = await membershipLevels(this.#db, { userId, place, today: this.today() });
    return Math.max(Level.none, ...levels);
  }
}

function standingOf(caller: Visitor, level: number, visibility: Standing['visibility']): Standing {
  return { level, visibility, external: caller?.user.external === 1, signedIn: caller !== null };
}

/** What one caller may do in one project. */
export class ProjectAccess {
  readonly level: number;
  readonly #project: ProjectWithNamespace;
  readonly #standing: Standing;

  constructor(project: ProjectWithNamespace, standing: Standing) {
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
