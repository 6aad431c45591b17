import type { ProjectAccess } from '../access/access.ts';
import type { Visitor } from '../caller.ts';
import type { Core } from '../core.ts';
import { isoTime } from '../entities.ts';
import { presentNamespaceBasic } from '../namespaces/entities.ts';
import { findNamespacesByIds } from '../namespaces/store.ts';
import type { Namespace, Project as ProjectRow } from '../tables.ts';
import { type Contents, contentsOf } from './contents.ts';
import type { ProjectBasicEntity } from './entities.ts';
import type { ProjectWithNamespace } from './find.ts';
import { projectSettings } from './settings.ts';
import { countForks } from './store.ts';

/** The short form, for lists with `simple`, for search results and for the origin of a fork. */
export async function presentBasicProjects(
  core: Core,
  caller: Visitor,
  projects: ProjectWithNamespace[],
): Promise<ProjectBasicEntity[]> {
  const basics = await loadBasics(core, caller, projects);
  return projects.map((project) => presentBasic(core.baseUrl(), project, basics));
}

/** What lies outside the rows of a page of projects and is shown with them, fetched for the whole page at once. */
export interface ProjectBasics {
  access: Map<number, ProjectAccess>;
  namespaces: Map<number, Namespace>;
  forks: Map<number, number>;
  contents: Map<number, Contents>;
}

export async function loadBasics(
  core: Core,
  caller: Visitor,
  projects: ProjectWithNamespace[],
): Promise<ProjectBasics> {
  const namespaceIds = projects.map((project) => project.namespace_id);
  const ids = projects.map(({ id }) => id);
  const [access, namespaces, forks, contents] = await Promise.all([
    core.access.projects(caller, projects),
    findNamespacesByIds(core.db, namespaceIds),
    countForks(core.db, ids),
    Promise.all(projects.map(async (project) => [project.id, await contentsOf(core, project)] as const)),
  ]);
  return { access, namespaces, forks, contents: new Map(contents) };
}

export const projectUrl = ({ full_path: path }: Pick<ProjectRow, 'full_path'>, baseUrl: string): string =>
  `${baseUrl}/${path}`;

/** Git over SSH is not offered; clients want the address all the same, in git's own form. */
const sshUrl = (path: string, baseUrl: string): string => `git@${new URL(baseUrl).hostname}:${path}.git`;

export function presentBasic(
  baseUrl: string,
  project: ProjectWithNamespace,
  loaded: ProjectBasics,
): ProjectBasicEntity {
  const { topics } = projectSettings(project);
  const mayRead = loaded.access.get(project.id)!.can('read_code');
  const { readme } = loaded.contents.get(project.id)!;
  const web = projectUrl(project, baseUrl);
  return {
    id: project.id,
    description: project.description,
    name: project.name,
    name_with_namespace: project.name_with_namespace,
    path: project.path,
    path_with_namespace: project.full_path,
    created_at: isoTime(project.created_at),
    default_branch: mayRead ? project.default_branch : null,
    tag_list: topics,
    topics,
    ssh_url_to_repo: sshUrl(project.full_path, baseUrl),
    http_url_to_repo: `${web}.git`,
    web_url: web,
    readme_url: mayRead && readme ? `${web}/-/blob/${project.default_branch}/${readme}` : null,
    forks_count: loaded.forks.get(project.id) ?? 0,
    avatar_url: null,
    star_count: project.star_count,
    last_activity_at: isoTime(project.last_activity_at),
    namespace: presentNamespaceBasic(loaded.namespaces.get(project.namespace_id)!, baseUrl),
  };
}
