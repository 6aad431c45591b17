import type { Visitor } from '../caller.ts';
import type { Core } from '../core.ts';
import { sharesOf } from '../groups/shares-store.ts';
import type { User } from '../tables.ts';
import { findUsersByIds } from '../users/store.ts';
import type { MemberAccessEntity, ProjectBasicEntity, ProjectEntity } from './entities.ts';
import { GLOBAL_NOTIFICATIONS } from './figures.ts';
import type { ProjectWithNamespace } from './find.ts';
import { type ProjectBasics, presentBasicProjects } from './present-basic.ts';
import { findProjectsByIds } from './store.ts';

/** What the whole form of a page of projects shows beside the short one. */
export interface ProjectDetails {
  isAdmin: boolean;
  owners: Map<number, User>;
  origins: Map<number, ProjectBasicEntity>;
  openIssues: Map<number, number>;
  shares: Map<number, ProjectEntity['shared_with_groups']>;
  permissions: Map<number, ProjectEntity['permissions']>;
}

export async function loadDetails(
  core: Core,
  caller: Visitor,
  projects: ProjectWithNamespace[],
  { namespaces, access }: ProjectBasics,
): Promise<ProjectDetails> {
  const ids = projects.map(({ id }) => id);
  const ownerIds = [...namespaces.values()].flatMap(({ owner_id: owner }) => owner ?? []);
  const [owners, origins, openIssues, shares, permissions] = await Promise.all([
    findUsersByIds(core.db, ownerIds),
    loadOrigins(core, caller, projects),
    core.projectFigures.openIssues(
      ids.map((id) => ({ id, all: access.get(id)!.can('read_confidential_issue') })),
    ),
    sharesOf(core.db, 'project', ids, core.access.viewer(caller)),
    loadPermissions(core, caller, projects),
  ]);
  return { isAdmin: caller?.admin ?? false, owners, origins, openIssues, shares, permissions };
}

/** The projects that these were forked from, as far as the caller may know of them. */
async function loadOrigins(
  core: Core,
  caller: Visitor,
  projects: ProjectWithNamespace[],
): Promise<Map<number, ProjectBasicEntity>> {
  const ids = [...new Set(projects.flatMap((project) => project.forked_from_id ?? []))];
  if (ids.length === 0) return new Map();
  const found = await findProjectsByIds(core.db, ids);
  const access = await core.access.projects(caller, found);
  const visible = found.filter(({ id }) => access.get(id)?.visible);
  const shown = await presentBasicProjects(core, caller, visible);
  return new Map(shown.map((entity) => [entity.id, entity]));
}

/** The caller's own memberships: in the project itself, and the highest in the groups above. */
async function loadPermissions(
  core: Core,
  caller: Visitor,
  projects: ProjectWithNamespace[],
): Promise<ProjectDetails['permissions']> {
  const levels = await core.access.levels(caller, projects);
  const notified = new Set<number>();
  for (const [id, { direct }] of levels) if (direct !== null) notified.add(id);
  const groupIds = projects.map((project) => project.namespace_id);
  const userId = caller?.user.id ?? 0;
  const [byProject, byGroup] = await Promise.all([
    core.projectFigures.notificationLevels(userId, { projectIds: [...notified] }),
    core.projectFigures.notificationLevels(userId, { groupIds }),
  ]);
  const shown = (level: number | null, notification: number | undefined): MemberAccessEntity =>
    level === null ? null : { access_level: level, notification_level: notification ?? GLOBAL_NOTIFICATIONS };
  return new Map(
    projects.map(({ id, namespace_id: groupId }) => {
      const own = levels.get(id)!;
      return [
        id,
        {
          project_access: shown(own.direct, byProject.get(id)),
          group_access: shown(own.inherited, byGroup.get(groupId)),
        },
      ];
    }),
  );
}
