import { nullable, timestamp } from '../../platform/http/params.ts';
import { type Static, Type } from '../../platform/http/schema.ts';
import { UserBasic } from '../entities.ts';
import { NamespaceBasic } from '../namespaces/entities.ts';
import { jobLimitFields } from '../settings/job-limits.ts';

/** What leaves the service of a project: the short form of lists and search, and the whole. */

const basicFields = {
  id: Type.Integer(),
  description: nullable(Type.String()),
  name: Type.String(),
  name_with_namespace: Type.String(),
  path: Type.String(),
  path_with_namespace: Type.String(),
  created_at: timestamp(),
  default_branch: nullable(Type.String()),
  tag_list: Type.Array(Type.String()),
  topics: Type.Array(Type.String()),
  ssh_url_to_repo: Type.String(),
  http_url_to_repo: Type.String(),
  web_url: Type.String(),
  readme_url: nullable(Type.String()),
  forks_count: Type.Integer(),
  avatar_url: nullable(Type.String()),
  star_count: Type.Integer(),
  last_activity_at: timestamp(),
  namespace: NamespaceBasic,
};

export const ProjectBasic = Type.Object(basicFields, { $id: 'ProjectBasic' });

const MemberAccess = nullable(
  Type.Object({ access_level: Type.Integer(), notification_level: Type.Integer() }),
);

const SharedGroup = Type.Object({
  group_id: Type.Integer(),
  group_name: Type.String(),
  group_full_path: Type.String(),
  group_access_level: Type.Integer(),
  expires_at: nullable(Type.String({ format: 'date' })),
});

export const SharedGroups = Type.Array(SharedGroup);

export const ProjectStatistics = Type.Object(
  {
    commit_count: Type.Integer(),
    storage_size: Type.Integer(),
    repository_size: Type.Integer(),
    wiki_size: Type.Integer(),
    lfs_objects_size: Type.Integer(),
    job_artifacts_size: Type.Integer(),
    pipeline_artifacts_size: Type.Integer(),
    packages_size: Type.Integer(),
    snippets_size: Type.Integer(),
    uploads_size: Type.Integer(),
    container_registry_size: Type.Integer(),
  },
  { $id: 'ProjectStatistics' },
);

const links = Type.Object({
  self: Type.String(),
  issues: Type.Optional(Type.String()),
  merge_requests: Type.Optional(Type.String()),
  repo_branches: Type.Optional(Type.String()),
  labels: Type.String(),
  events: Type.String(),
  members: Type.String(),
});

const featureAccess = Type.Union([
  Type.Literal('disabled'),
  Type.Literal('private'),
  Type.Literal('enabled'),
  Type.Literal('public'),
]);

const features = {
  issues_access_level: featureAccess,
  repository_access_level: featureAccess,
  merge_requests_access_level: featureAccess,
  forking_access_level: featureAccess,
  wiki_access_level: featureAccess,
  builds_access_level: featureAccess,
  snippets_access_level: featureAccess,
  pages_access_level: featureAccess,
  analytics_access_level: featureAccess,
  container_registry_access_level: featureAccess,
  security_and_compliance_access_level: featureAccess,
  releases_access_level: featureAccess,
  environments_access_level: featureAccess,
  feature_flags_access_level: featureAccess,
  infrastructure_access_level: featureAccess,
  monitor_access_level: featureAccess,
  model_experiments_access_level: featureAccess,
  model_registry_access_level: featureAccess,
  requirements_access_level: featureAccess,
  issues_enabled: Type.Boolean(),
  merge_requests_enabled: Type.Boolean(),
  wiki_enabled: Type.Boolean(),
  jobs_enabled: Type.Boolean(),
  snippets_enabled: Type.Boolean(),
  packages_enabled: Type.Boolean(),
  container_registry_enabled: Type.Boolean(),
  service_desk_enabled: Type.Boolean(),
  security_and_compliance_enabled: Type.Boolean(),
  requirements_enabled: Type.Boolean(),
  lfs_enabled: Type.Boolean(),
};

const mergeSettings = {
  only_allow_merge_if_pipeline_succeeds: Type.Boolean(),
  allow_merge_on_skipped_pipeline: Type.Boolean(),
  only_allow_merge_if_all_discussions_are_resolved: Type.Boolean(),
  remove_source_branch_after_merge: Type.Boolean(),
  printing_merge_request_link_enabled: Type.Boolean(),
  merge_method: Type.String(),
  squash_option: Type.String(),
  suggestion_commit_message: nullable(Type.String()),
  merge_commit_template: nullable(Type.String()),
  squash_commit_template: nullable(Type.String()),
  autoclose_referenced_issues: Type.Boolean(),
  resolve_outdated_diff_discussions: Type.Boolean(),
};

const ciSettings = {
  shared_runners_enabled: Type.Boolean(),
  group_runners_enabled: Type.Boolean(),
  public_jobs: Type.Boolean(),
  public_builds: Type.Boolean(),
  build_timeout: Type.Integer(),
  build_git_strategy: Type.String(),
  auto_cancel_pending_pipelines: Type.String(),
  auto_devops_enabled: Type.Boolean(),
  ci_config_path: nullable(Type.String()),
  ci_default_git_depth: Type.Integer(),
  ci_job_token_scope_enabled: Type.Boolean(),
  ci_push_repository_for_job_token_allowed: Type.Boolean(),
  keep_latest_artifact: Type.Boolean(),
  runners_token: Type.Optional(nullable(Type.String())),
  ...jobLimitFields,
};

export const Project = Type.Object(
  {
    ...basicFields,
    ...features,
    ...mergeSettings,
    ...ciSettings,
    _links: links,
    visibility: Type.String(),
    archived: Type.Boolean(),
    empty_repo: Type.Boolean(),
    owner: Type.Optional(UserBasic),
    creator_id: nullable(Type.Integer()),
    updated_at: timestamp(),
    open_issues_count: Type.Optional(Type.Integer()),
    forked_from_project: Type.Optional(ProjectBasic),
    mr_default_target_self: Type.Optional(Type.Boolean()),
    import_status: Type.String(),
    import_type: nullable(Type.String()),
    import_url: nullable(Type.String()),
    import_error: nullable(Type.String()),
    mirror: Type.Boolean(),
    can_create_merge_request_in: Type.Boolean(),
    request_access_enabled: Type.Boolean(),
    emails_enabled: Type.Boolean(),
    emails_disabled: Type.Boolean(),
    shared_with_groups: SharedGroups,
    repository_storage: Type.Optional(Type.String()),
    marked_for_deletion_at: Type.Null(),
    marked_for_deletion_on: Type.Null(),
    permissions: Type.Object({ project_access: MemberAccess, group_access: MemberAccess }),
    statistics: Type.Optional(ProjectStatistics),
  },
  { $id: 'Project' },
);

export type ProjectBasicEntity = Static<typeof ProjectBasic>;
export type ProjectEntity = Static<typeof Project>;
export type MemberAccessEntity = Static<typeof MemberAccess>;
export type StatisticsEntity = Static<typeof ProjectStatistics>;
