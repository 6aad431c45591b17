import type { Visitor } from '../caller.ts';
import type { Core } from '../core.ts';
import { isoTime, presentUserBasic } from '../entities.ts';
import type { Project as ProjectRow } from '../tables.ts';
import { loadDetails, type ProjectDetails } from './details.ts';
import type { ProjectEntity } from './entities.ts';
import type { ProjectWithNamespace } from './find.ts';
import { loadBasics, type ProjectBasics, presentBasic } from './present-basic.ts';
import { type ProjectSettings, projectSettings } from './settings.ts';
import { projectStatistics } from './statistics.ts';

/** The whole, a page at a time: the number of queries does not depend on the number of projects. */
export async function presentProjects(
  core: Core,
  caller: Visitor,
  projects: ProjectWithNamespace[],
  { statistics = false }: { statistics?: boolean } = {},
): Promise<ProjectEntity[]> {
  const basics = await loadBasics(core, caller, projects);
  const details = await loadDetails(core, caller, projects, basics);
  const counted = statistics ? await projectStatistics(core, projects) : null;
  return projects.map((project) => {
    const entity = whole(core.baseUrl(), project, basics, details);
    const mayCount = counted && basics.access.get(project.id)?.can('push_code');
    return mayCount ? { ...entity, statistics: counted.get(project.id)! } : entity;
  });
}

export async function presentProject(
  core: Core,
  caller: Visitor,
  project: ProjectWithNamespace,
  options?: { statistics?: boolean },
): Promise<ProjectEntity> {
  const [entity] = await presentProjects(core, caller, [project], options);
  return entity!;
}

function whole(
  baseUrl: string,
  project: ProjectWithNamespace,
  loaded: ProjectBasics,
  details: ProjectDetails,
): ProjectEntity {
  const settings = projectSettings(project);
  const access = loaded.access.get(project.id)!;
  const owner = project.namespace_owner_id === null ? null : details.owners.get(project.namespace_owner_id);
  const origin = details.origins.get(project.forked_from_id ?? 0);
  const openIssues = access.can('read_issue') ? (details.openIssues.get(project.id) ?? 0) : undefined;
  return {
    ...presentBasic(baseUrl, project, loaded),
    ...presentSettings(settings),
    _links: linksOf(project, settings, baseUrl),
    visibility: project.visibility,
    archived: project.archived === 1,
    empty_repo: loaded.contents.get(project.id)!.empty,
    ...(owner && { owner: presentUserBasic(owner, baseUrl) }),
    creator_id: project.creator_id,
    updated_at: isoTime(project.updated_at),
    ...(openIssues !== undefined && { open_issues_count: openIssues }),
    ...(origin && {
      forked_from_project: origin,
      mr_default_target_self: settings.mr_default_target_self,
    }),
    import_status: project.forked_from_id === null ? 'none' : 'finished',
    import_type: null,
    import_url: null,
    import_error: null,
    mirror: false,
    can_create_merge_request_in: access.can('read_merge_request') && access.can('read_code'),
    shared_with_groups: details.shares.get(project.id) ?? [],
    ...(details.isAdmin && { repository_storage: 'default' }),
    marked_for_deletion_at: null,
    marked_for_deletion_on: null,
    permissions: details.permissions.get(project.id)!,
  };
}

/** Features that the service does not have, with the value that GitLab gives when they are off. */
const ABSENT = {
  pages_access_level: 'disabled',
  analytics_access_level: 'disabled',
  container_registry_access_level: 'disabled',
  security_and_compliance_access_level: 'disabled',
  environments_access_level: 'disabled',
  feature_flags_access_level: 'disabled',
  infrastructure_access_level: 'disabled',
  monitor_access_level: 'disabled',
  model_experiments_access_level: 'disabled',
  model_registry_access_level: 'disabled',
  requirements_access_level: 'disabled',
  packages_enabled: false,
  container_registry_enabled: false,
  service_desk_enabled: false,
  security_and_compliance_enabled: false,
  requirements_enabled: false,
  auto_devops_enabled: false,
} as const;

function presentSettings(settings: ProjectSettings) {
  const {
    topics: _shownElsewhere,
    mr_default_target_self: _ofForks,
    ci_inbound_job_token_scope_enabled: _ofItsOwnRoute,
    ...shown
  } = settings;
  return {
    ...ABSENT,
    ...shown,
    releases_access_level: shown.repository_access_level,
    issues_enabled: shown.issues_access_level !== 'disabled',
    merge_requests_enabled: shown.merge_requests_access_level !== 'disabled',
    wiki_enabled: shown.wiki_access_level !== 'disabled',
    jobs_enabled: shown.builds_access_level !== 'disabled',
    snippets_enabled: shown.snippets_access_level !== 'disabled',
    public_builds: shown.public_jobs,
    emails_disabled: !shown.emails_enabled,
  };
}

function linksOf({ id }: ProjectRow, settings: ProjectSettings, baseUrl: string): ProjectEntity['_links'] {
  const self = `${baseUrl}/api/v4/projects/${id}`;
  return {
    self,
    ...(settings.issues_access_level !== 'disabled' && { issues: `${self}/issues` }),
    ...(settings.merge_requests_access_level !== 'disabled' && {
      merge_requests: `${self}/merge_requests`,
    }),
    ...(settings.repository_access_level !== 'disabled' && {
      repo_branches: `${self}/repository/branches`,
    }),
    labels: `${self}/labels`,
    events: `${self}/events`,
    members: `${self}/members`,
  };
}
