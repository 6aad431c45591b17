import type { Core } from '../../core/core.ts';
import { isoTime } from '../../core/entities.ts';
import type { ProjectWithNamespace } from '../../core/projects/find.ts';
import { findUser } from '../../core/users/store.ts';
import type { ConfigVariable } from '../config/plan.ts';
import type { StoredDefinition } from '../creation/stored-definition.ts';
import type { JobPorts } from '../ports.ts';
import type { JobRow, PipelineRow } from '../tables.ts';
import { environmentVariables } from './environment.ts';
import { byKey } from './expand.ts';
import { readPipelineFacts } from './facts.ts';
import { variablesOfPipeline } from './pipeline-variables-store.ts';
import { pipelineVariables, userVariables } from './predefined.ts';
import { settingVariables } from './settings.ts';
import { slugOf } from './slug.ts';
import { configuredVariable, type JobVariable, openVariables, secretVariable } from './variable.ts';

export interface JobToRun {
  job: JobRow;
  pipeline: PipelineRow;
  project: ProjectWithNamespace;
  definition: StoredDefinition;
  /** As `job_definitions` keeps them: the file's, then (with a type) those of whoever played the job. */
  variables: readonly ConfigVariable[];
  /** The job's own token; null for a bridge, which has none. */
  token: string | null;
  runner: { id: number; description: string | null; tags: readonly string[] } | null;
  /** What the dotenv reports of the jobs it depends on say. */
  inherited?: readonly JobVariable[];
}

/**
 * Every variable of a job in the order in which later ones win, one row a key: predefined, the file's, those inherited,
 * the service's, the groups', the project's, the pipeline's, and those it was played with.
 */
export async function variablesForJob(
  core: Pick<Core, 'db' | 'baseUrl' | 'repositoryOf'>,
  ports: JobPorts,
  run: JobToRun,
): Promise<JobVariable[]> {
  const { job, pipeline, project, variables } = run;
  const facts = await readPipelineFacts(core, ports, { pipeline, project });
  const user = facts.user?.id === job.user_id ? facts.user : await userOf(core, job);
  const played = variables.filter(({ type }) => type !== undefined);
  const all = [
    ...persistedVariables(run, facts.baseUrl),
    ...pipelineVariables(facts),
    ...jobVariables(run),
    ...userVariables(user),
    ...variables.filter(({ type }) => type === undefined).map(configuredVariable),
    ...(run.inherited ?? []),
    ...(await settingVariables(core.db, {
      project,
      isProtected: pipeline.protected === 1,
      environment: job.environment,
    })),
    ...(await variablesOfPipeline(core.db, pipeline.id)),
    ...played.map(configuredVariable),
  ];
  return [...byKey(all).values()];
}

/** Whoever retried or played it, where that is not whoever began the pipeline. */
const userOf = async ({ db }: Pick<Core, 'db'>, { user_id: id }: JobRow) =>
  id === null ? null : ((await findUser(db, id)) ?? null);

/** What is only known of a job that is there, its secrets among them. */
function persistedVariables({ job, project, token }: JobToRun, baseUrl: string): JobVariable[] {
  if (token === null) return [];
  const home = `${baseUrl}/${project.full_path}`;
  const repository = new URL(`${home}.git`);
  repository.username = 'gitlab-ci-token';
  repository.password = token;
  return [
    ...openVariables({
      CI_JOB_ID: job.id,
      CI_JOB_URL: `${home}/-/jobs/${job.id}`,
      CI_JOB_STARTED_AT: job.started_at === null ? null : isoTime(job.started_at),
    }),
    secretVariable('CI_JOB_TOKEN', token),
    ...openVariables({ CI_REGISTRY_USER: 'gitlab-ci-token' }),
    secretVariable('CI_REGISTRY_PASSWORD', token),
    secretVariable('CI_REPOSITORY_URL', repository.href, false),
  ];
}

/** What the copies of a job have in common. */
const groupName = (name: string): string => name.replace(/(?: \d+\/\d+|: \[.*\])$/s, '');

function jobVariables({ job, definition, runner }: JobToRun): JobVariable[] {
  const { node } = definition;
  return [
    ...openVariables({
      CI_JOB_NAME: job.name,
      CI_JOB_NAME_SLUG: slugOf(job.name),
      CI_JOB_GROUP_NAME: groupName(job.name),
      CI_JOB_STAGE: job.stage,
      CI_JOB_MANUAL: job.when === 'manual' ? 'true' : null,
      CI_NODE_INDEX: node?.index,
      CI_NODE_TOTAL: node?.total ?? 1,
      CI_RUNNER_ID: runner?.id,
      CI_RUNNER_DESCRIPTION: runner?.description,
      CI_RUNNER_TAGS: runner && JSON.stringify(runner.tags),
    }),
    ...(job.environment === null ? [] : environmentVariables(job.environment, definition.environment)),
  ];
}
