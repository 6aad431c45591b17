import { findProjectById } from '../../core/projects/store.ts';
import type { Tx } from '../../platform/db/tables.ts';
import type { ConfigVariable } from '../config/plan.ts';
import { actorOf } from '../creation/act-as.ts';
import { createPipelineFor } from '../creation/create.ts';
import { type CreationDeps, isRefused } from '../creation/request.ts';
import { insertPipelineSource } from '../creation/store.ts';
import { readDefinition } from '../creation/stored-definition.ts';
import { findPipeline } from '../pipelines/store.ts';
import { finishJob } from '../processing/finish-job.ts';
import { lockJob } from '../processing/locked-job.ts';
import { processPipeline } from '../processing/process-pipeline.ts';
import { findDefinition, findJobById } from '../processing/store.ts';
import { moveJob } from '../processing/transitions.ts';
import type { JobRow, PipelineRow } from '../tables.ts';
import { byKey } from '../variables/expand.ts';
import { variablesForJob } from '../variables/for-job.ts';
import type { ArtifactFiles } from './child-config.ts';
import { familyProblem } from './family.ts';
import { type Bridge, type BridgeFailure, orderOf } from './order.ts';
import { settleBridge } from './settle.ts';
import { downstreamOf } from './store.ts';

/** The bridge moved on while its pipeline was planned: somebody cancelled it. */
class BridgeMoved extends Error {
  override name = 'BridgeMoved';
}

/** Begins what a bridge asks for, now that it is its turn. Asked again it does nothing, or what was left to do. */
export async function beginDownstream(
  deps: CreationDeps,
  files: ArtifactFiles,
  jobId: number,
): Promise<void> {
  const { db } = deps.core;
  const job = await findJobById(db, jobId);
  if (job?.kind !== 'bridge' || job.status !== 'pending') return;
  const begun = await downstreamOf(db, job.id);
  if (begun) {
    const { status, yaml_errors: errors } = begun;
    return settleBridge(deps.core, job.id, { status, isBroken: errors !== null, reopened: false });
  }
  const bridge = await loadBridge(deps, job);
  if (typeof bridge === 'string') return fail(deps, job, bridge);
  const wanted = bridge.trigger.project === null ? 'child' : 'other project';
  const order = (await familyProblem(db, bridge.pipeline, wanted)) ?? (await orderOf(deps, files, bridge));
  if (typeof order === 'string') return fail(deps, job, order);
  const within = (tx: Tx, pipeline: PipelineRow) => connect(deps, tx, bridge, pipeline);
  try {
    const result = await createPipelineFor(deps, { ...order, within });
    if (isRefused(result)) await fail(deps, job, 'downstream_pipeline_creation_failed');
  } catch (error) {
    if (!(error instanceof BridgeMoved)) throw error;
  }
}

async function loadBridge(deps: CreationDeps, job: JobRow): Promise<Bridge | BridgeFailure> {
  const { core, ports } = deps;
  const [project, pipeline, orders, actor] = await Promise.all([
    findProjectById(core.db, job.project_id),
    findPipeline(core.db, job.project_id, job.pipeline_id),
    findDefinition(core.db, job.id),
    actorOf(core, job.user_id),
  ]);
  const definition = orders && readDefinition(orders);
  if (!project || !pipeline || !orders || !definition?.trigger) return 'invalid_bridge_trigger';
  if (!actor) return 'insufficient_bridge_permissions';
  const variables = JSON.parse(orders.variables) as ConfigVariable[];
  const run = { job, pipeline, project, definition, variables, token: null, runner: null };
  const known = byKey(await variablesForJob(core, ports, run));
  return { job, pipeline, project, trigger: definition.trigger, variables, known, actor };
}

/** Within the transaction that writes the new pipeline: the two know each other, and the bridge has done its part. */
async function connect({ core }: CreationDeps, tx: Tx, bridge: Bridge, pipeline: PipelineRow): Promise<void> {
  const job = await lockJob(tx, bridge.job.id);
  if (job?.status !== 'pending') throw new BridgeMoved();
  await insertPipelineSource(tx, {
    pipeline_id: pipeline.id,
    source_project_id: job.project_id,
    source_pipeline_id: job.pipeline_id,
    source_job_id: job.id,
  });
  // one that is broken from the start fails its bridge
  if (pipeline.status === 'failed') return;
  await moveJob(tx, core, job, bridge.trigger.strategy === null ? 'success' : 'running');
  await processPipeline(tx, core, job.pipeline_id);
}

async function fail({ core }: CreationDeps, job: JobRow, failureReason: BridgeFailure): Promise<void> {
  await core.database.transaction((tx) => finishJob(tx, core, job.id, { status: 'failed', failureReason }), {
    isolation: 'read committed',
  });
}
