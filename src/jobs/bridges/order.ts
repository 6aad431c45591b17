import type { Caller } from '../../core/caller.ts';
import type { ProjectWithNamespace } from '../../core/projects/find.ts';
import { findProject } from '../../core/projects/find.ts';
import type { ConfigVariable, TriggerPlan } from '../config/plan.ts';
import { findTarget } from '../creation/find-target.ts';
import { inputsOf } from '../creation/inputs.ts';
import type { CreationDeps, PipelineRequest } from '../creation/request.ts';
import { refusalOfRef } from '../creation/rights.ts';
import type { JobRow, PipelineRow } from '../tables.ts';
import { expandKnown, expandText } from '../variables/expand.ts';
import { pipelineVariableRows } from '../variables/pipeline-variables-store.ts';
import type { JobVariable } from '../variables/variable.ts';
import { type ArtifactFiles, childConfig } from './child-config.ts';

/** A bridge with all that says what it begins. */
export interface Bridge {
  job: JobRow;
  pipeline: PipelineRow;
  project: ProjectWithNamespace;
  trigger: TriggerPlan;
  /** The configuration's, without those that it was played with. */
  variables: readonly ConfigVariable[];
  /** By key: what texts of the trigger are expanded with. */
  known: ReadonlyMap<string, JobVariable>;
  actor: Caller;
}

/** GitLab's reasons for a bridge that begins nothing. */
export type BridgeFailure =
  | 'downstream_bridge_project_not_found'
  | 'insufficient_bridge_permissions'
  | 'downstream_pipeline_creation_failed'
  | 'invalid_bridge_trigger'
  | 'pipeline_loop_detected'
  | 'reached_max_descendant_pipelines_depth'
  | 'reached_max_pipeline_hierarchy_size';

export type Order = Omit<PipelineRequest, 'within'>;

/** The pipeline that a bridge asks for, or why it may not have it. */
export async function orderOf(
  deps: CreationDeps,
  files: ArtifactFiles,
  bridge: Bridge,
): Promise<Order | BridgeFailure> {
  const target = bridge.trigger.project === null ? child(bridge) : await otherProject(deps, bridge);
  if (typeof target === 'string') return target;
  const variables = await forwarded(deps, bridge);
  const { inputs } = bridge.trigger;
  const given = inputs ? { inputs: inputsOf(inputs) } : {};
  if (bridge.trigger.project !== null) return { ...target, variables, ...given };
  const config = await childConfig(deps.core, files, bridge);
  return config === null ? 'downstream_pipeline_creation_failed' : { ...target, variables, config };
}

/** In the same project, for the same commit. */
const child = ({ project, pipeline, actor }: Bridge): Order => ({
  project,
  ref: pipeline.ref,
  tag: pipeline.tag === 1,
  sha: pipeline.sha,
  beforeSha: pipeline.before_sha,
  mergeRequestId: pipeline.merge_request_id,
  source: 'parent_pipeline',
  actor,
  keepBroken: true,
});

async function otherProject(
  { core }: CreationDeps,
  { trigger, known, actor }: Bridge,
): Promise<Order | BridgeFailure> {
  const found = await findProject(core.db, expandText(trigger.project ?? '', known));
  const project = found?.project;
  if (!project || !(await core.access.project(actor, project)).visible) {
    return 'downstream_bridge_project_not_found';
  }
  const branch = trigger.branch === null ? project.default_branch : expandText(trigger.branch, known);
  const target = branch === null ? null : await findTarget(core, project, branch);
  if (target === null || 'refused' in target) return 'downstream_pipeline_creation_failed';
  if ((await refusalOfRef(core, target, actor)) !== null) return 'insufficient_bridge_permissions';
  return { ...target, source: 'pipeline', actor, keepBroken: true };
}

/** What the other pipeline is begun with. Names that are not known here may be known there. */
async function forwarded({ core }: CreationDeps, bridge: Bridge): Promise<ConfigVariable[]> {
  const { trigger, variables, known, pipeline } = bridge;
  const own = variables.map((variable) => ({
    ...variable,
    value: variable.raw ? variable.value : expandKnown(variable.value, known),
  }));
  const rows = trigger.forward.pipelineVariables ? await pipelineVariableRows(core.db, pipeline.id) : [];
  const passed = rows.map(({ key, value, raw, variable_type: type }) => ({
    key,
    value,
    raw: raw === 1,
    type,
  }));
  return [...(trigger.forward.yamlVariables ? own : []), ...passed];
}
