import { optional, param } from '../../platform/http/params.ts';
import type { Static } from '../../platform/http/schema.ts';
import type { Project } from '../tables.ts';
import { type ProjectSettings, projectSettings } from './settings.ts';

/** What may be said of a project when it is made and when it is changed. */

export const VISIBILITIES = ['private', 'internal', 'public'] as const;

const featureLevel = () => optional(param.oneOf(['disabled', 'private', 'enabled']));

const features = {
  repository_access_level: featureLevel(),
  issues_access_level: featureLevel(),
  merge_requests_access_level: featureLevel(),
  builds_access_level: featureLevel(),
  wiki_access_level: featureLevel(),
  snippets_access_level: featureLevel(),
  forking_access_level: featureLevel(),
};

/** The switches that GitLab had before features could be for members only. */
const switches = {
  issues_enabled: optional(param.boolean()),
  merge_requests_enabled: optional(param.boolean()),
  jobs_enabled: optional(param.boolean()),
  wiki_enabled: optional(param.boolean()),
  snippets_enabled: optional(param.boolean()),
};

const FEATURE_OF_SWITCH = {
  issues_enabled: 'issues_access_level',
  merge_requests_enabled: 'merge_requests_access_level',
  jobs_enabled: 'builds_access_level',
  wiki_enabled: 'wiki_access_level',
  snippets_enabled: 'snippets_access_level',
} as const;

const plain = {
  request_access_enabled: optional(param.boolean()),
  shared_runners_enabled: optional(param.boolean()),
  group_runners_enabled: optional(param.boolean()),
  lfs_enabled: optional(param.boolean()),
  emails_enabled: optional(param.boolean()),
  only_allow_merge_if_pipeline_succeeds: optional(param.boolean()),
  allow_merge_on_skipped_pipeline: optional(param.boolean()),
  only_allow_merge_if_all_discussions_are_resolved: optional(param.boolean()),
  remove_source_branch_after_merge: optional(param.boolean()),
  printing_merge_request_link_enabled: optional(param.boolean()),
  autoclose_referenced_issues: optional(param.boolean()),
  resolve_outdated_diff_discussions: optional(param.boolean()),
  merge_method: optional(param.oneOf(['merge', 'rebase_merge', 'ff'])),
  squash_option: optional(param.oneOf(['never', 'always', 'default_on', 'default_off'])),
  build_timeout: optional(param.integer({ minimum: 600, maximum: 2_592_000 })),
  ci_default_git_depth: optional(param.integer({ minimum: 0, maximum: 1000 })),
  auto_cancel_pending_pipelines: optional(param.oneOf(['enabled', 'disabled'])),
  build_git_strategy: optional(param.oneOf(['fetch', 'clone'])),
  keep_latest_artifact: optional(param.boolean()),
  ci_job_token_scope_enabled: optional(param.boolean()),
  ci_push_repository_for_job_token_allowed: optional(
    param.boolean({ description: 'Lets jobs of this project push to it with their token.' }),
  ),
  mr_default_target_self: optional(param.boolean()),
};

/** Text that may be taken away again, by null or "". */
const texts = {
  ci_config_path: optional(param.string({ maxLength: 255 })),
  merge_commit_template: optional(param.string({ maxLength: 500 })),
  squash_commit_template: optional(param.string({ maxLength: 500 })),
  suggestion_commit_message: optional(param.string({ maxLength: 255 })),
};

export const projectSettingParams = {
  ...features,
  ...switches,
  ...plain,
  ...texts,
  public_jobs: optional(param.boolean()),
  public_builds: optional(param.boolean({ description: 'Former name of `public_jobs`.' })),
  emails_disabled: optional(param.boolean({ description: 'The opposite of `emails_enabled`.' })),
  topics: optional(param.csv()),
  tag_list: optional(param.csv({ description: 'Former name of `topics`.' })),
};

type Given = {
  [K in keyof typeof projectSettingParams]?: Static<(typeof projectSettingParams)[K]> | undefined;
};

const MAX_TOPICS = 100;

/** The settings that a call chooses; those it leaves out are absent. A new name wins over the old one. */
export function chosenSettings(params: Given): Partial<ProjectSettings> {
  const chosen: Record<string, unknown> = {};
  for (const [name, feature] of Object.entries(FEATURE_OF_SWITCH)) {
    const on = params[name as keyof typeof switches];
    if (on !== undefined && on !== null) chosen[feature] = on ? 'enabled' : 'disabled';
  }
  for (const name of Object.keys({ ...features, ...plain })) {
    const value = params[name as keyof Given];
    if (value !== undefined && value !== null) chosen[name] = value;
  }
  for (const name of Object.keys(texts)) {
    const value = params[name as keyof Given];
    if (value !== undefined) chosen[name] = value === '' ? null : value;
  }
  return { ...chosen, ...renamed(params) };
}

function renamed(params: Given): Partial<ProjectSettings> {
  const publicJobs = params.public_jobs ?? params.public_builds;
  const topics = params.topics ?? params.tag_list;
  const silent = params.emails_disabled;
  return {
    ...(publicJobs !== undefined && publicJobs !== null && { public_jobs: publicJobs }),
    ...(topics && { topics: [...new Set(topics)].slice(0, MAX_TOPICS) }),
    ...(silent !== undefined &&
      silent !== null &&
      params.emails_enabled == null && { emails_enabled: !silent }),
  };
}

/** The settings of a project with some of them chosen anew. */
export const mergedSettings = (
  project: Pick<Project, 'settings'>,
  chosen: Partial<ProjectSettings>,
): ProjectSettings => ({ ...projectSettings(project), ...chosen });
