import type { Insertable } from 'kysely';
import type { Tx } from '../../platform/db/tables.ts';
import type { ConfigVariable, JobDefinition } from '../config/plan.ts';
import { markOthersRetried } from '../statuses/store.ts';
import type { JobRow, JobsTable } from '../tables.ts';
import { copyNeeds, findDefinition, insertDefinition, insertJob } from './store.ts';
import { announceJob, type JobDeps } from './transitions.ts';

export interface CloneOptions {
  /** For whom the new job runs. */
  userId: number | null;
  /** Given by whoever begins it again; they win over those of the first run. */
  variables?: readonly ConfigVariable[] | undefined;
}

/** A fresh `created` job of the same name and orders, which from now on stands for `job`. That one stays readable as it is. */
export async function cloneJob(
  tx: Tx,
  deps: JobDeps,
  job: JobRow,
  { userId, variables = [] }: CloneOptions,
): Promise<JobRow> {
  const orders = await findDefinition(tx, job.id);
  const definition = orders ? (JSON.parse(orders.definition) as JobDefinition) : null;
  const now = deps.clock.now();
  const clone = await insertJob(tx, {
    ...repeated(job, definition),
    user_id: userId,
    created_at: now,
    updated_at: now,
  });
  if (orders) {
    await insertDefinition(tx, {
      job_id: clone.id,
      definition: orders.definition,
      variables: withVariables(orders.variables, variables),
    });
  }
  await copyNeeds(tx, job.id, clone.id);
  await markOthersRetried(tx, clone);
  await announceJob(tx, deps, clone, null);
  return clone;
}

/** What a job was told, without what became of it. */
function repeated(job: JobRow, definition: JobDefinition | null) {
  // a failure that its exit code excused says nothing about the next run
  const excused = (definition?.allowFailureExitCodes.length ?? 0) > 0;
  const { kind, project_id, pipeline_id, name, stage, stage_idx, ref, tag, description, target_url } = job;
  const { when, start_in, scheduling, interruptible, resource_group, environment, tags } = job;
  return {
    kind,
    project_id,
    pipeline_id,
    name,
    stage,
    stage_idx,
    ref,
    tag,
    description,
    target_url,
    allow_failure: excused ? 0 : job.allow_failure,
    when,
    start_in,
    scheduling,
    protected: job.protected,
    interruptible,
    resource_group,
    environment,
    tags,
    // what its runner made of it is in the row: the next one decides anew
    timeout: definition?.timeout ?? null,
  } satisfies Omit<Insertable<JobsTable>, 'created_at' | 'updated_at'>;
}

/** The JSON of `ConfigVariable[]` with some more behind; later ones win. */
export function withVariables(kept: string, added: readonly ConfigVariable[]): string {
  if (added.length === 0) return kept;
  return JSON.stringify([...(JSON.parse(kept) as ConfigVariable[]), ...added]);
}
