import { isoTime } from '../../core/entities.ts';
import { GITLAB_VERSION, ingotVersion } from '../../core/meta/version.ts';
import type { ProjectWithNamespace } from '../../core/projects/find.ts';
import { projectSettings } from '../../core/projects/settings.ts';
import type { User } from '../../core/tables.ts';
import { commitTitle } from '../../git/message.ts';
import type { Commit } from '../../git/objects.ts';
import type { PipelineSource } from '../states.ts';
import { type MergeRequestSide, mergeRequestVariables } from './merge-request-variables.ts';
import { slugOf } from './slug.ts';
import { type JobVariable, openVariables } from './variable.ts';

/** What is known of a pipeline before it is written; what only its row has is null then. */
export interface PipelineFacts {
  /** The address that clients reach us by. */
  baseUrl: string;
  project: ProjectWithNamespace;
  source: PipelineSource;
  /** Branch or tag; of a merge request `refs/merge-requests/…/head`. */
  ref: string;
  tag: boolean;
  sha: string;
  beforeSha: string | null;
  isProtected: boolean;
  createdAt: number;
  commit: Commit | null;
  /** Of an annotated tag. */
  tagMessage: string | null;
  user: Pick<User, 'id' | 'username' | 'name' | 'email'> | null;
  mergeRequest: MergeRequestSide | null;
  /** References of open merge requests from this branch. */
  openMergeRequests: string[];
  /** First letters of the trigger token that began it. */
  triggerShortToken: string | null;
  scheduleDescription: string | null;
  row: { id: number; iid: number; name: string | null } | null;
}

const NO_COMMIT = '0'.repeat(40);
/** The longest text that a process takes for one variable is 128 KiB. */
const MAX_MESSAGE = 100_000;

/** What GitLab tells every job of a pipeline, and its rules, without being asked; later ones win. */
export function pipelineVariables(facts: PipelineFacts): JobVariable[] {
  return [
    ...openVariables({ CI: 'true', GITLAB_CI: 'true' }),
    ...serverVariables(facts.baseUrl),
    ...projectVariables(facts),
    ...originVariables(facts),
    ...commitVariables(facts),
    ...userVariables(facts.user),
    ...(facts.mergeRequest ? mergeRequestVariables(facts.mergeRequest, facts.baseUrl) : []),
  ];
}

function serverVariables(baseUrl: string): JobVariable[] {
  const url = new URL(baseUrl);
  const [major, minor, patch] = GITLAB_VERSION.split(/[.-]/);
  const protocol = url.protocol.replace(':', '');
  const port = url.port || (protocol === 'https' ? '443' : '80');
  return openVariables({
    CI_SERVER_URL: baseUrl,
    CI_SERVER_HOST: url.hostname,
    CI_SERVER_PORT: port,
    CI_SERVER_PROTOCOL: protocol,
    CI_SERVER_FQDN: url.host,
    CI_SERVER_SHELL_SSH_HOST: url.hostname,
    CI_SERVER_SHELL_SSH_PORT: '22',
    CI_SERVER_NAME: 'GitLab',
    CI_SERVER_VERSION: GITLAB_VERSION,
    CI_SERVER_VERSION_MAJOR: major,
    CI_SERVER_VERSION_MINOR: minor,
    CI_SERVER_VERSION_PATCH: patch,
    CI_SERVER_REVISION: ingotVersion,
    CI_API_V4_URL: `${baseUrl}/api/v4`,
    CI_API_GRAPHQL_URL: `${baseUrl}/api/graphql`,
    GITLAB_FEATURES: '',
  });
}

function projectVariables({ project, baseUrl }: PipelineFacts): JobVariable[] {
  const namespace = project.full_path.slice(0, -project.path.length - 1);
  return openVariables({
    CI_PROJECT_ID: project.id,
    CI_PROJECT_NAME: project.path,
    CI_PROJECT_TITLE: project.name,
    CI_PROJECT_DESCRIPTION: project.description ?? '',
    CI_PROJECT_PATH: project.full_path,
    CI_PROJECT_PATH_SLUG: slugOf(project.full_path),
    CI_PROJECT_NAMESPACE: namespace,
    CI_PROJECT_NAMESPACE_ID: project.namespace_id,
    CI_PROJECT_NAMESPACE_SLUG: slugOf(namespace),
    CI_PROJECT_ROOT_NAMESPACE: namespace.split('/')[0],
    CI_PROJECT_URL: `${baseUrl}/${project.full_path}`,
    CI_PROJECT_VISIBILITY: project.visibility,
    CI_DEFAULT_BRANCH: project.default_branch ?? '',
    CI_CONFIG_PATH: projectSettings(project).ci_config_path || '.gitlab-ci.yml',
  });
}

function originVariables(facts: PipelineFacts): JobVariable[] {
  const { row, project, baseUrl } = facts;
  return openVariables({
    CI_PIPELINE_ID: row?.id,
    CI_PIPELINE_URL: row && `${baseUrl}/${project.full_path}/-/pipelines/${row.id}`,
    CI_PIPELINE_IID: row?.iid,
    CI_PIPELINE_NAME: row?.name,
    CI_PIPELINE_SOURCE: facts.source,
    CI_PIPELINE_CREATED_AT: isoTime(facts.createdAt),
    CI_PIPELINE_TRIGGERED: facts.source === 'trigger' ? 'true' : null,
    CI_TRIGGER_SHORT_TOKEN: facts.triggerShortToken,
    CI_PIPELINE_SCHEDULE_DESCRIPTION: facts.scheduleDescription,
    CI_OPEN_MERGE_REQUESTS: facts.openMergeRequests.join(',') || null,
  });
}

function commitVariables(facts: PipelineFacts): JobVariable[] {
  const { sha, tag, mergeRequest, commit } = facts;
  const name = mergeRequest?.facts.sourceBranch ?? facts.ref;
  return openVariables({
    CI_COMMIT_SHA: sha,
    CI_COMMIT_SHORT_SHA: sha.slice(0, 8),
    CI_COMMIT_BEFORE_SHA: facts.beforeSha ?? NO_COMMIT,
    CI_COMMIT_REF_NAME: name,
    CI_COMMIT_REF_SLUG: slugOf(name),
    CI_COMMIT_REF_PROTECTED: String(facts.isProtected),
    CI_COMMIT_BRANCH: tag || mergeRequest ? null : name,
    CI_COMMIT_TAG: tag ? name : null,
    CI_COMMIT_TAG_MESSAGE: tag ? (facts.tagMessage ?? '').slice(0, MAX_MESSAGE) : null,
    ...(commit && textsOf(commit)),
  });
}

function textsOf({ message, author, committer }: Commit): Record<string, string> {
  const title = commitTitle(message);
  const rest = message.slice(message.indexOf(title) + title.length).trim();
  return {
    CI_COMMIT_MESSAGE: message.slice(0, MAX_MESSAGE),
    CI_COMMIT_TITLE: title.slice(0, MAX_MESSAGE),
    CI_COMMIT_DESCRIPTION: rest.slice(0, MAX_MESSAGE),
    CI_COMMIT_AUTHOR: `${author.name} <${author.email}>`,
    CI_COMMIT_TIMESTAMP: isoTime(committer.date),
  };
}

/** For whom the pipeline, or one job of it, runs. */
export const userVariables = (user: PipelineFacts['user']): JobVariable[] =>
  openVariables({
    GITLAB_USER_ID: user?.id,
    GITLAB_USER_LOGIN: user?.username,
    GITLAB_USER_NAME: user?.name,
    GITLAB_USER_EMAIL: user?.email,
  });
