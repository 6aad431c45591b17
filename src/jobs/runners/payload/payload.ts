import { traversalIds } from '../../../core/access/store.ts';
import type { Core } from '../../../core/core.ts';
import type { ProjectWithNamespace } from '../../../core/projects/find.ts';
import { projectSettings } from '../../../core/projects/settings.ts';
import type { User } from '../../../core/tables.ts';
import { keepPipelineRef } from '../../../git/pipeline-refs.ts';
import type { ConfigVariable } from '../../config/plan.ts';
import type { StoredDefinition } from '../../creation/stored-definition.ts';
import type { JobPorts } from '../../ports.ts';
import type { JobRow, PipelineRow } from '../../tables.ts';
import { byKey, expandNested, expandText } from '../../variables/expand.ts';
import { variablesForJob } from '../../variables/for-job.ts';
import type { JobVariable } from '../../variables/variable.ts';
import { tagsOf } from '../fields.ts';
import type { RunnerRow } from '../tables.ts';
import { artifactsPayload } from './artifacts.ts';
import { cachePayloads } from './cache.ts';
import { crossDependencies, type Dependency, inheritedVariables } from './dependencies.ts';
import { FEATURES } from './features.ts';
import { depthOf, gitInfo } from './git-info.ts';
import { imagePayload } from './image.ts';
import { stepsOf } from './steps.ts';

type Deps = Pick<Core, 'db' | 'access' | 'baseUrl' | 'repositoryOf' | 'clock'>;

/** A job that a runner has just taken, with what it is made of. */
export interface TakenJob {
  job: JobRow;
  pipeline: PipelineRow;
  project: ProjectWithNamespace;
  user: User;
  definition: StoredDefinition;
  variables: readonly ConfigVariable[];
  runner: RunnerRow;
  /** Of its own pipeline. */
  dependencies: readonly Dependency[];
  token: string;
  /** Jobs of the project that instance runners have under way; null where that does not matter. */
  sharedRunning: number | null;
}

/**
 * What a runner is told to do, in the shape that it decodes. One value of a wrong type and it drops the whole job without a
 * word, so that null is only where the runner takes it. Throws MissingDependency.
 */
export async function jobPayload(deps: Deps, ports: JobPorts, taken: TakenJob) {
  const { job, pipeline, project, definition, token } = taken;
  const settings = projectSettings(project);
  const timeout = job.timeout ?? settings.build_timeout;
  const variables = await variablesOf(deps, ports, taken);
  const known = byKey(variables);
  const others = await crossDependencies(deps, definition.crossNeeds, {
    user: taken.user,
    pipeline,
    expand: (text) => expandText(text, known),
  });
  const repo = deps.repositoryOf(project);
  // dropped when the pipeline had ended, and not written where the service was killed in the middle
  await keepPipelineRef(repo, pipeline);
  const depth = depthOf(variables, settings.ci_default_git_depth);
  return {
    id: job.id,
    token,
    allow_git_fetch: settings.build_git_strategy === 'fetch',
    job_info: jobInfo(taken, deps.clock.now()),
    git_info: gitInfo(taken, { baseUrl: deps.baseUrl(), token, depth }),
    runner_info: { timeout, runner_session_url: null },
    variables: variables.map(variablePayload),
    steps: stepsOf(definition, timeout),
    image: definition.image && imagePayload(definition.image),
    services: definition.services.map(imagePayload),
    artifacts: artifactsPayload(definition.artifacts),
    cache: await cachePayloads(definition.cache, {
      repo,
      sha: pipeline.sha,
      isProtected: pipeline.protected === 1,
    }),
    credentials: [],
    dependencies: [...taken.dependencies, ...others].map((dependency) =>
      dependencyPayload(dependency, token),
    ),
    hooks: hooksOf(definition),
    features: FEATURES,
  };
}

export type JobPayload = Awaited<ReturnType<typeof jobPayload>>;

async function variablesOf(deps: Deps, ports: JobPorts, taken: TakenJob): Promise<JobVariable[]> {
  const { runner } = taken;
  const variables = await variablesForJob(deps, ports, {
    ...taken,
    runner: { id: runner.id, description: runner.description, tags: tagsOf(runner) },
    inherited: await inheritedVariables(deps.db, taken.dependencies),
  });
  return expandNested(variables);
}

function jobInfo({ job, pipeline, project, user, sharedRunning }: TakenJob, now: number) {
  const groups = traversalIds(project.traversal);
  return {
    id: job.id,
    name: job.name,
    stage: job.stage,
    pipeline_id: pipeline.id,
    project_id: project.id,
    project_name: project.name,
    project_full_path: project.full_path,
    namespace_id: project.namespace_id,
    root_namespace_id: groups[0] ?? project.namespace_id,
    user_id: user.id,
    time_in_queue_seconds: Math.max(0, Math.round((now - (job.queued_at ?? now)) / 1000)),
    // a text, and this one where nobody counts
    project_jobs_running_on_instance_runners_count: sharedRunning === null ? '+Inf' : String(sharedRunning),
  };
}

const variablePayload = ({ key, value, public: open, masked, file, raw }: JobVariable) => ({
  key,
  value,
  public: open,
  masked,
  ...(file && { file }),
  ...(raw && { raw }),
});

/** The job's own token opens the artifacts of those it depends on. */
const dependencyPayload = ({ id, name, archive }: Dependency, token: string) => ({
  id,
  name,
  token,
  ...(archive && { artifacts_file: archive }),
});

const hooksOf = ({ hooks }: StoredDefinition) =>
  hooks.preGetSources.length > 0 ? [{ name: 'pre_get_sources_script', script: hooks.preGetSources }] : [];
