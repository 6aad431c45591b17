import type { Database } from '../platform/db/database.ts';
import type { Db } from '../platform/db/tables.ts';
import { WhileUnchanged } from '../platform/db/unchanged.ts';
import { ApiError, fail } from '../platform/errors.ts';
import type { GuardCall } from '../platform/http/route.ts';
import type { GroupAbility, ProjectAbility } from './access/abilities.ts';
import type { Access, GroupAccess, ProjectAccess } from './access/access.ts';
import { asItsUser, type Caller } from './caller.ts';
import { findGroup } from './namespaces/find.ts';
import { findProjectBy, type ProjectWithNamespace } from './projects/find.ts';
import { ProjectLookup } from './projects/lookup-store.ts';
import { projectSettings } from './projects/settings.ts';
import type { Namespace } from './tables.ts';
import { notAllowedText, reachesAsUser } from './tokens/job-scope/scope.ts';

type Call = GuardCall<Caller>;

export interface InProject {
  project: ProjectWithNamespace;
  access: ProjectAccess;
}

interface FoundProject extends InProject {
  /** Found by a path that it had before. */
  moved: boolean;
}

export interface InGroup {
  group: Namespace;
  access: GroupAccess;
}

/** What routes say before their handler: whom they are for. Each finds the thing, or answers 404, and then the right, or answers 403. */
export class Guards {
  readonly #db: Db;
  readonly #projects: ProjectLookup;
  readonly #access: Access;
  readonly #found: WhileUnchanged<FoundProject>;

  constructor({ database, access }: { database: Database; access: Access }) {
    this.#db = database.db;
    this.#projects = new ProjectLookup(database.db);
    this.#access = access;
    this.#found = new WhileUnchanged(database);
  }

  /** The project of `:id`, with these rights. */
  readonly project =
    (...abilities: ProjectAbility[]) =>
    async (call: Call): Promise<InProject> => {
      const found = await this.#findProject(call);
      for (const ability of abilities) found.access.demand(ability);
      return found;
    };

  /** The project of `:id`, also by a path that it had before: for the few writes that GitLab lets through there. */
  readonly projectByAnyPath = async (call: Call): Promise<InProject> => {
    const { project, access } = await this.#findAnywhere(call);
    return { project, access };
  };

  /** The project of `:id` with its code readable: the order of refusals is that of GitLab's commit routes. */
  readonly repository =
    (...abilities: ProjectAbility[]) =>
    async (call: Call): Promise<InProject> => {
      const found = await this.#findProject(call);
      const { repository_access_level: feature } = projectSettings(found.project);
      const closed = feature === 'disabled' || (feature === 'private' && found.access.level === 0);
      if (closed) throw fail.notFound('Repository');
      for (const ability of ['read_code', ...abilities] as const) found.access.demand(ability);
      return found;
    };

  /** The group of `:id`, with these rights. */
  readonly group =
    (...abilities: GroupAbility[]) =>
    async (call: Call): Promise<InGroup> => {
      const group = await findGroup(this.#db, call.path['id'] ?? '');
      if (!group) throw fail.notFound('Group');
      const access = await this.#access.group(call.caller, group);
      access.demand('read_group');
      for (const ability of abilities) access.demand(ability);
      return { group, access };
    };

  readonly admin = ({ caller }: Call): void => {
    if (!caller.admin) throw fail.forbidden();
  };

  async #findProject(call: Call): Promise<InProject> {
    const { project, access, moved } = await this.#findAnywhere(call);
    if (moved) throw movedTo(call, project);
    return { project, access };
  }

  async #findAnywhere(call: Call): Promise<FoundProject> {
    const reference = call.path['id'] ?? '';
    const { user, admin, tokenId } = call.caller;
    // Memberships end by the day. A job's caller differs from its user's by the job alone.
    const key = `${this.#access.today()} ${user.id} ${admin} ${tokenId} ${call.caller.job?.id} ${reference}`;
    const found = await this.#found.get(key, () => this.#look(call.caller, reference));
    return found;
  }

  async #look(caller: Caller, reference: string): Promise<FoundProject> {
    const found = await findProjectBy(this.#projects, reference);
    if (!found) throw fail.notFound('Project');
    const { project, moved } = found;
    const own = await this.#access.project(asItsUser(caller), project);
    if (!own.visible) throw fail.notFound('Project');
    const access =
      caller.job === null ? own : await this.#ofJob(caller, caller.job.projectId, { project, own });
    // Handlers of several calls share it.
    return { project: Object.freeze(project), access, moved };
  }

  /** A job token is its user where the project lets it in, a stranger elsewhere. */
  async #ofJob(
    caller: Caller,
    jobProjectId: number,
    { project, own }: { project: ProjectWithNamespace; own: ProjectAccess },
  ): Promise<ProjectAccess> {
    if (await reachesAsUser(this.#db, project, jobProjectId)) return own;
    const open = this.#access.asStranger(caller, project);
    if (!open.visible) throw fail.forbidden(await notAllowedText(this.#db, project, jobProjectId));
    return open;
  }
}

/** Reads follow a renamed project by id, so that the new address stays good through further renames; writes are refused. */
function movedTo(call: Call, project: ProjectWithNamespace): ApiError {
  if (call.method !== 'GET' && call.method !== 'HEAD') {
    return new ApiError('method_not_allowed', { text: 'Non GET methods are not allowed for moved projects' });
  }
  const location = call.baseUrl + call.url.replace(/(\/projects\/)[^/?]+/, `$1${project.id}`);
  return new ApiError('moved', { url: location }, { headers: { location } });
}
