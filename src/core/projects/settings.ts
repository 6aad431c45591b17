import type { Feature, FeatureAccess, ProjectFacts } from '../access/abilities.ts';
import { type JobLimits, noJobLimits } from '../settings/job-limits.ts';
import type { Project } from '../tables.ts';

/** What an owner can set beside the columns of `projects`; GitLab's names and GitLab's defaults. */
export interface ProjectSettings extends JobLimits {
  repository_access_level: FeatureAccess;
  issues_access_level: FeatureAccess;
  merge_requests_access_level: FeatureAccess;
  builds_access_level: FeatureAccess;
  wiki_access_level: FeatureAccess;
  snippets_access_level: FeatureAccess;
  forking_access_level: FeatureAccess;
  public_jobs: boolean;
  request_access_enabled: boolean;
  shared_runners_enabled: boolean;
  group_runners_enabled: boolean;
  lfs_enabled: boolean;
  emails_enabled: boolean;
  only_allow_merge_if_pipeline_succeeds: boolean;
  allow_merge_on_skipped_pipeline: boolean;
  only_allow_merge_if_all_discussions_are_resolved: boolean;
  remove_source_branch_after_merge: boolean;
  printing_merge_request_link_enabled: boolean;
  autoclose_referenced_issues: boolean;
  resolve_outdated_diff_discussions: boolean;
  merge_method: 'merge' | 'rebase_merge' | 'ff';
  squash_option: 'never' | 'always' | 'default_on' | 'default_off';
  build_timeout: number;
  ci_config_path: string | null;
  ci_default_git_depth: number;
  auto_cancel_pending_pipelines: 'enabled' | 'disabled';
  build_git_strategy: 'fetch' | 'clone';
  keep_latest_artifact: boolean;
  /** Whether jobs of this project reach no other with their tokens. */
  ci_job_token_scope_enabled: boolean;
  /** Whether jobs of other projects are kept out, but those of the allow list. */
  ci_inbound_job_token_scope_enabled: boolean;
  /** Jobs of this project may push to it with their token, as far as their user may. */
  ci_push_repository_for_job_token_allowed: boolean;
  merge_commit_template: string | null;
  squash_commit_template: string | null;
  suggestion_commit_message: string | null;
  /** Of a fork: merge requests go to itself by default, not to where it came from. */
  mr_default_target_self: boolean;
  topics: string[];
}

export const defaultProjectSettings: ProjectSettings = {
  repository_access_level: 'enabled',
  issues_access_level: 'enabled',
  merge_requests_access_level: 'enabled',
  builds_access_level: 'enabled',
  wiki_access_level: 'enabled',
  snippets_access_level: 'enabled',
  forking_access_level: 'enabled',
  public_jobs: true,
  request_access_enabled: true,
  shared_runners_enabled: true,
  group_runners_enabled: true,
  lfs_enabled: false,
  emails_enabled: true,
  only_allow_merge_if_pipeline_succeeds: false,
  allow_merge_on_skipped_pipeline: false,
  only_allow_merge_if_all_discussions_are_resolved: false,
  remove_source_branch_after_merge: true,
  printing_merge_request_link_enabled: true,
  autoclose_referenced_issues: true,
  resolve_outdated_diff_discussions: false,
  merge_method: 'merge',
  squash_option: 'default_off',
  build_timeout: 3600,
  ci_config_path: null,
  ci_default_git_depth: 20,
  auto_cancel_pending_pipelines: 'enabled',
  build_git_strategy: 'fetch',
  keep_latest_artifact: true,
  ci_job_token_scope_enabled: false,
  ci_inbound_job_token_scope_enabled: true,
  ci_push_repository_for_job_token_allowed: false,
  merge_commit_template: null,
  squash_commit_template: null,
  suggestion_commit_message: null,
  mr_default_target_self: false,
  ...noJobLimits,
  topics: [],
};

/** The stored differences laid over the defaults. */
export function projectSettings(project: Pick<Project, 'settings'>): ProjectSettings {
  if (project.settings === '{}') return defaultProjectSettings;
  return { ...defaultProjectSettings, ...(JSON.parse(project.settings) as Partial<ProjectSettings>) };
}

/** What the access rules need to know of a project. */
export function projectFacts(project: Pick<Project, 'settings' | 'archived'>): ProjectFacts {
  const settings = projectSettings(project);
  return {
    archived: project.archived === 1,
    featureAccess: (feature: Feature) => settings[`${feature}_access_level`],
    publicJobs: settings.public_jobs,
  };
}

/**
 * What is stored: only what differs from the defaults, so that a new default reaches everybody who did not choose. Always in
 * the order of the defaults, topics last: lists look into this text.
 */
export function settingsText(settings: Partial<ProjectSettings>): string {
  const names = Object.keys(defaultProjectSettings) as (keyof ProjectSettings)[];
  const differing = names.filter(
    (name) =>
      settings[name] !== undefined &&
      JSON.stringify(settings[name]) !== JSON.stringify(defaultProjectSettings[name]),
  );
  return JSON.stringify(Object.fromEntries(differing.map((name) => [name, settings[name]])));
}
