import type { CiConfig } from './config.ts';
import type { PathPattern } from './glob.ts';
import type { PlanContext } from './plan.ts';
import type { YamlMap } from './yaml/value.ts';

/** A `.gitlab-ci.yml` with all that is needed to read it. */
export interface ConfigSource {
  content: string;
  /** Where the file is, and with that what its `include` may name. */
  place: ConfigPlace;
  /** What `include:rules` and variables in the paths of includes ask of the pipeline that is to be. */
  context: Pick<PlanContext, 'variables' | 'written' | 'changedPaths' | 'exists'>;
  /** What whoever begins the pipeline gives for the inputs of the file. */
  inputs?: YamlMap | undefined;
}

/** A commit of a project whose files a configuration may include, seen by the user for whom it is read. */
export interface ConfigPlace {
  /** Full path of the project. */
  readonly project: string;
  readonly sha: string;
  /** The file's text, by a path without a slash before it; null where there is none. */
  read(path: string): Promise<string | null>;
  /** The paths that match, in order. */
  match(pattern: PathPattern): Promise<string[]>;
  /** The same of another project, at a branch, tag or commit (null: its default branch), if the user may read its code. */
  other(project: string, ref: string | null): Promise<ConfigPlace | 'unknown project' | 'unknown ref'>;
  /** The text at an address; `written` is shown for it. Throws ConfigError where it cannot be fetched, or may not be. */
  remote(url: string, written: string): Promise<string>;
}

/** A file that was included, as `ci/lint` shows it. */
export interface IncludedFile {
  type: 'local' | 'file' | 'remote' | 'template';
  /** Its path, or address. */
  location: string;
  /** Project and commit that the file is of. */
  project: string;
  sha: string;
  /** Project and commit of the file that asked for it. */
  contextProject: string;
  contextSha: string;
  extra: { project?: string; ref?: string };
}

export interface ConfigResult {
  /** null where there are errors. */
  config: CiConfig | null;
  /** In GitLab's words. */
  errors: string[];
  warnings: string[];
  includes: IncludedFile[];
  /** The whole configuration after `include`, `extends` and `!reference`; null where it did not come so far. */
  mergedYaml(): Promise<string | null>;
}

/** Why there is no pipeline: broken for these jobs, kept out by `workflow:rules`, or nothing to do. */
export interface PlanRefusal {
  refused: 'broken' | 'workflow' | 'no jobs';
  /** In GitLab's words. */
  message: string;
}
