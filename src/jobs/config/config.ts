import type { Expression } from './expression/parse.ts';
import type {
  AutoCancel,
  ConfigVariable,
  EnvironmentPlan,
  JobDefinition,
  JobWhen,
  PipelinePlan,
} from './plan.ts';

/** A configuration that was found right, everything merged and defaults filled in; what depends on the pipeline is still open. */
export interface CiConfig {
  /** With `.pre` and `.post`. */
  stages: string[];
  variables: ConfigVariable[];
  workflow: Workflow;
  jobs: JobConfig[];
}

export interface Workflow {
  name: string | null;
  /** null: pipelines of every kind. */
  rules: Rule[] | null;
  autoCancel: AutoCancel;
}

export interface JobConfig {
  kind: 'build' | 'bridge';
  name: string;
  stage: string;
  /** null: not said, so it depends on what else is. */
  when: JobWhen | null;
  /** Seconds. */
  startIn: number | null;
  allowFailure: boolean | null;
  rules: Rule[] | null;
  only: Policy | null;
  except: Policy | null;
  needs: Need[] | null;
  parallel: number | MatrixRow[] | null;
  tags: string[];
  interruptible: boolean;
  resourceGroup: string | null;
  environment: EnvironmentPlan | null;
  /** The job's own, without the global ones. */
  variables: ConfigVariable[];
  /** Which global variables it takes. */
  inheritVariables: boolean | string[];
  definition: JobDefinition;
  /** How many lines of the definition's script are its `before_script`. */
  linesBefore: number;
}

/** A way through `parallel:matrix`: every combination of the values becomes a job. */
export type MatrixRow = [key: string, values: string[]][];

export interface Need {
  job: string;
  artifacts: boolean;
  optional: boolean;
  /** Only these copies of a job with a matrix. */
  matrix: MatrixRow[] | null;
}

/** Another project, at a branch, tag or commit (null: its default branch). */
export interface Elsewhere {
  project: string;
  ref: string | null;
}

export interface Rule {
  if: Expression | null;
  changes: { paths: string[]; compareTo: string | null } | null;
  exists: { globs: string[]; elsewhere: Elsewhere | null } | null;
  when: JobWhen | 'never' | null;
  startIn: number | null;
  allowFailure: boolean | null;
  variables: ConfigVariable[] | null;
  needs: Need[] | null;
  interruptible: boolean | null;
  autoCancel: PipelinePlan['autoCancel'] | null;
}

/** `only` or `except`. */
export interface Policy {
  refs: string[] | null;
  /** As written, and as it is read. */
  variables: { text: string; condition: Expression }[] | null;
  changes: string[] | null;
  /** `kubernetes: active`: never so here. */
  kubernetes: boolean;
}
