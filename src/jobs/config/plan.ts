import type { PipelineSource } from '../states.ts';
import type { Elsewhere } from './config.ts';

/** What a `.gitlab-ci.yml` comes to for one pipeline: nothing in here is left to decide but when each job may run. */
export interface PipelinePlan {
  name: string | null;
  /** Every stage in order, `.pre` and `.post` only where a job is in them. */
  stages: string[];
  jobs: JobPlan[];
  autoCancel: AutoCancel;
}

/** `workflow:auto_cancel:on_new_commit`. */
export type AutoCancel = 'conservative' | 'interruptible' | 'none';

export type JobWhen = 'on_success' | 'on_failure' | 'always' | 'manual' | 'delayed';

export interface JobPlan {
  /** A bridge begins another pipeline instead of running a script. */
  kind: 'build' | 'bridge';
  /** With the ending of its copy: `test 1/3`, `test: [linux, 20]`. */
  name: string;
  stage: string;
  stageIdx: number;
  when: JobWhen;
  /** Seconds; of delayed jobs. */
  startIn: number | null;
  allowFailure: boolean;
  /** Whether `needs` was given, also an empty one: then stages do not matter. */
  scheduling: 'stage' | 'dag';
  /** Jobs of this pipeline by their full names; optional ones that are not there are left out. */
  needs: { name: string; artifacts: boolean }[];
  tags: string[];
  interruptible: boolean;
  /** Variables in them are not expanded yet. */
  resourceGroup: string | null;
  environment: EnvironmentPlan | null;
  /** Global, job's and rules' variables, later ones winning; those of a parallel copy among them. */
  variables: ConfigVariable[];
  definition: JobDefinition;
}

export interface ConfigVariable {
  key: string;
  value: string;
  /** Whether `$OTHER` in it stays as it is. */
  raw: boolean;
  /** Only of played jobs and of `variables` kept in settings. */
  type?: 'env_var' | 'file';
  masked?: boolean;
}

export interface EnvironmentPlan {
  name: string;
  url: string | null;
  action: string;
  onStop: string | null;
  autoStopIn: string | null;
  deploymentTier: string | null;
}

/** What the runner is told, kept as JSON in `job_definitions`. Lists of commands are flat. */
export interface JobDefinition {
  /** `before_script` and `script`. Empty for bridges. */
  script: string[];
  afterScript: string[];
  hooks: { preGetSources: string[] };
  image: ImagePlan | null;
  services: ImagePlan[];
  cache: CachePlan[];
  artifacts: ArtifactsPlan | null;
  /** Names of the jobs whose artifacts are fetched; null: all of the earlier stages, or of `needs`. */
  dependencies: string[] | null;
  /** Artifacts of other pipelines: `needs:project` and `needs:pipeline`. */
  crossNeeds: CrossNeed[];
  retry: { max: number; when: string[]; exitCodes: number[] };
  /** Seconds. */
  timeout: number | null;
  /** Without the slashes around it. */
  coverage: string | null;
  allowFailureExitCodes: number[];
  release: ReleasePlan | null;
  trigger: TriggerPlan | null;
  /** Of `parallel`: counted from 1. */
  node: { index: number; total: number } | null;
  manualConfirmation: string | null;
}

export interface CrossNeed {
  job: string;
  /** null: `pipeline` names it. */
  project: string | null;
  ref: string | null;
  pipeline: string | null;
  artifacts: boolean;
}

export interface ImagePlan {
  name: string;
  alias: string | null;
  entrypoint: string[] | null;
  command: string[] | null;
  pullPolicy: string[] | null;
  variables: ConfigVariable[];
  docker: { platform?: string; user?: string } | null;
}

export interface CachePlan {
  /** Files whose last commits make the key. */
  key: string | { files: string[]; prefix: string | null };
  paths: string[];
  untracked: boolean;
  policy: string;
  when: string;
  fallbackKeys: string[];
  unprotect: boolean;
}

export interface ArtifactsPlan {
  name: string | null;
  paths: string[];
  exclude: string[];
  untracked: boolean;
  when: 'on_success' | 'on_failure' | 'always';
  expireIn: string | null;
  access: 'all' | 'developer' | 'maintainer' | 'none';
  exposeAs: string | null;
  /** By GitLab's names of reports; `coverage_report` is under its format. */
  reports: { type: string; paths: string[] }[];
}

export interface ReleasePlan {
  tagName: string;
  description: string;
  name: string | null;
  ref: string | null;
}

export interface TriggerPlan {
  /** null: a child pipeline, from `include`. */
  project: string | null;
  /** For the file of the other project, as JSON has them. */
  inputs?: Record<string, unknown>;
  branch: string | null;
  strategy: 'depend' | 'mirror' | null;
  /** Where the child's configuration is. */
  include: ({ inputs?: Record<string, unknown> } & (
    | { local: string }
    | { artifact: string; job: string }
    | { project: string; ref: string | null; file: string }
  ))[];
  forward: { yamlVariables: boolean; pipelineVariables: boolean };
}

/** What the rules of a file may ask of the pipeline that is to be. */
export interface PlanContext {
  source: PipelineSource;
  ref: string;
  tag: boolean;
  /** Whether it is the pipeline of a merge request. */
  mergeRequest: boolean;
  /** Of the pipeline's place and of whoever began it, without those of the file: predefined, instance, group, project, pipeline. */
  variables: ReadonlyMap<string, string>;
  /** The same as they were set, names in them not replaced; the values of those that are masked nobody may see. */
  written?: ReadonlyMap<string, { value: string; masked: boolean }>;
  /** Paths that changed between the commit and what it is compared with; null where nothing can be compared, and every rule matches. */
  changedPaths(compareTo: string | null): Promise<string[] | null>;
  /** Whether any file of the commit, or of another project, matches one of the globs. Throws ConfigError where that is not to be read. */
  exists(globs: readonly string[], elsewhere: Elsewhere | null): Promise<boolean>;
}
