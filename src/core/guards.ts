import type { Database } from '../platform/db/database.ts';
import type { Db } from '../platform/db/tables.ts';
import { WhileUnchanged } from '../platform/db/unchanged.ts';
import { ApiError, fail } from '../platform/errors.ts';
import type { GuardCall } from '../platform/http/route.ts';
import type { GroupAbility, ProjectAbility } from './access/abilities.ts';
import type { Access, GroupAccess, ProjectAccess } from './access/access.ts';
import type { Caller } from './caller.ts';
import { findGroup } from './namespaces/find.ts';
import { findProjectBy, type ProjectWithNamespace } from './projects/find.ts';
import { ProjectLookup } from './projects/lookup-store.ts';
import { projectSettings } from './projects/settings.ts';
import type { Namespace } from './tables.ts';

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
    const reference = call.path['id'] ?? '';
    const { user, admin, tokenId } = call.caller;
    // Memberships end by the day. A job's caller differs from its user's by the job alone.
    const key = `${this.#access.today()} ${user.id} ${admin} ${tokenId} ${call.caller.job?.id} ${reference}`;
    const { project, access, moved } = await this.#found.get(key, () => this.#look(call.caller, reference));
    refuseForeignJob(call.caller, project);
    if (moved) throw movedTo(call, project);
    return { project, access };
  }

  async #look(caller: Caller, reference: string): Promise<FoundProject> {
    const found = await findProjectBy(this.#projects, reference);
    if (!found) throw fail.notFound('Project');
    const { project, moved } = found;
    const access = await this.#access.project(caller, project);
    if (!access.visible) throw fail.notFound('Project');
    // Handlers of several calls share it.
    return { project: Object.freeze(project), access, moved };
  }
}

/** A job token reaches its own project, and others only where their allow list says so. */
function refuseForeignJob(caller: Caller, project: ProjectWithNamespace): void {
  if (caller.job === null || caller.job.projectId === project.id) return;
  if (!projectSettings(project).ci_job_token_scope_enabled) return;
  throw fail.forbidden('Authentication by CI/CD job token not allowed for this project.');
}

/** Reads follow a renamed project by id, so that the new address stays good through further renames; writes are refused. */
function movedTo(call: Call, project: ProjectWithNamespace): ApiError {
  if (call.method !== 'GET' && call.method !== 'HEAD') {
    return new ApiError('method_not_allowed', { text: 'Non GET methods are not allowed for moved projects' });
  }
  const location = call.baseUrl + call.url.replace(/(\/projects\/)[^/?]+/, `$1${project.id}`);
  return new ApiError('moved', { url: location }, { headers: { location } });
}
