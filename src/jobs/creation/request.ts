import type { Actor } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import type { ProjectWithNamespace } from '../../core/projects/find.ts';
import type { Tx } from '../../platform/db/tables.ts';
import type { ConfigVariable } from '../config/plan.ts';
import type { ConfigPlace } from '../config/source.ts';
import type { YamlMap } from '../config/yaml/value.ts';
import type { YamlReader } from '../config/yaml/yaml.ts';
import type { JobPorts } from '../ports.ts';
import type { PipelineSource } from '../states.ts';
import type { PipelineRow } from '../tables.ts';

/** What beginning pipelines needs. */
export interface CreationDeps {
  core: Core;
  ports: JobPorts;
  yaml: YamlReader;
}

/** A commit of a project at which a pipeline is to run. */
export interface Target {
  project: ProjectWithNamespace;
  /** Branch or tag without `refs/…`; `refs/merge-requests/…/head` for those of a merge request. */
  ref: string;
  tag: boolean;
  sha: string;
}

export interface PipelineRequest extends Target {
  source: PipelineSource;
  /** For whom its jobs run. */
  actor: Actor;
  /** What a push replaced; null where there is nothing to compare with. */
  beforeSha?: string | null;
  mergeRequestId?: number | null;
  /** What whoever begins it gives along. */
  variables?: readonly ConfigVariable[];
  /** For the `spec:inputs` of its configuration. */
  inputs?: YamlMap;
  triggerId?: number | null;
  scheduleId?: number | null;
  /** The event that asks for it; it gets one pipeline, also when it is delivered again. */
  eventId?: number | null;
  /** Leaves a pipeline that is `skipped` and has no jobs. */
  skip?: boolean;
  /** A broken configuration leaves a pipeline that is `failed` and shows what is wrong. */
  keepBroken?: boolean;
  /** A child's configuration; that of others is a file of the commit. */
  config?: { content: string; place: ConfigPlace };
  /** Runs in the transaction that writes the pipeline, right after its row. What it throws undoes all of it. */
  within?: (tx: Tx, pipeline: PipelineRow) => Promise<void>;
}

/** Why there is no pipeline, or none that runs. */
export interface Refusal {
  refused:
    | 'disabled'
    | 'forbidden'
    | 'unknown ref'
    | 'no config'
    | 'broken'
    | 'workflow'
    | 'no jobs'
    | 'done already';
  /** In GitLab's words. */
  messages: string[];
  /** The failed pipeline that shows what is broken. */
  pipeline?: PipelineRow;
}

export const isRefused = (result: PipelineRow | Refusal): result is Refusal => 'refused' in result;
