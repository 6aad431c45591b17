import type { Core } from '../../core/core.ts';
import type { JobDefinition, JobWhen } from '../config/plan.ts';
import { createPipeline, type NewPipeline } from '../pipelines/pipelines.ts';
import type { JobStatus } from '../states.ts';
import type { JobRow } from '../tables.ts';
import { finishJob, type JobOutcome } from './finish-job.ts';
import { withJob } from './locked-job.ts';
import { processPipeline } from './process-pipeline.ts';
import { findJobById, insertDefinition, insertJob } from './store.ts';
import { announceJob, type JobChanges, moveJob } from './transitions.ts';

/** Pipelines for tests, written below the configuration: what each job is, and what it waits for. */
export interface JobSpec {
  /** Number of its stage. */
  stage?: number;
  kind?: 'build' | 'bridge';
  when?: JobWhen;
  needs?: string[];
  allowFailure?: boolean;
  resourceGroup?: string;
  startIn?: number;
  tags?: string[];
  interruptible?: boolean;
  definition?: Partial<JobDefinition>;
}

const NO_ORDERS: JobDefinition = {
  script: ['true'],
  afterScript: [],
  hooks: { preGetSources: [] },
  image: null,
  services: [],
  cache: [],
  artifacts: null,
  dependencies: null,
  crossNeeds: [],
  retry: { max: 0, when: [], exitCodes: [] },
  timeout: null,
  coverage: null,
  allowFailureExitCodes: [],
  release: null,
  trigger: null,
  node: null,
  manualConfirmation: null,
};

export interface SeededPipeline {
  id: number;
  /** The current job of a name. */
  job(name: string): Promise<JobRow>;
  /** The state of every current job by its name. */
  statuses(): Promise<Record<string, JobStatus>>;
  status(): Promise<JobStatus>;
  /** A runner takes the job. */
  run(name: string, changes?: JobChanges): Promise<JobRow>;
  finish(name: string, outcome?: Partial<JobOutcome>): Promise<JobRow | null>;
}

/** A pipeline with these jobs, begun. */
export async function seedPipeline(
  core: Core,
  project: { id: number },
  jobs: Record<string, JobSpec>,
  pipeline: Partial<NewPipeline> = {},
): Promise<SeededPipeline> {
  const id = await core.database.transaction(
    async (tx) => {
      const values = { sha: 'a'.repeat(40), ref: 'main', source: 'push' as const, userId: 1, ...pipeline };
      const made = await createPipeline(tx, core, { projectId: project.id, ...values });
      for (const [name, spec] of Object.entries(jobs)) {
        const row = await insertJob(tx, {
          project_id: project.id,
          pipeline_id: made.id,
          name,
          ref: made.ref,
          user_id: made.user_id,
          created_at: core.clock.now(),
          updated_at: core.clock.now(),
          ...columnsOf(spec),
        });
        const definition = JSON.stringify({ ...NO_ORDERS, ...spec.definition });
        await insertDefinition(tx, { job_id: row.id, definition });
        const needs = (spec.needs ?? []).map((needed, idx) => ({ job_id: row.id, idx, name: needed }));
        if (needs.length > 0) await tx.insertInto('job_needs').values(needs).execute();
        await announceJob(tx, core, row, null);
      }
      await processPipeline(tx, core, made.id);
      return made.id;
    },
    { isolation: 'read committed' },
  );
  return handle(core, id);
}

function columnsOf(spec: JobSpec) {
  const { stage = 0, kind = 'build', when = 'on_success', needs, allowFailure = false } = spec;
  return {
    kind,
    stage: `stage ${stage}`,
    stage_idx: stage,
    when,
    scheduling: needs ? ('dag' as const) : ('stage' as const),
    allow_failure: allowFailure ? 1 : 0,
    resource_group: spec.resourceGroup ?? null,
    start_in: spec.startIn ?? null,
    tags: JSON.stringify(spec.tags ?? []),
    interruptible: spec.interruptible ? 1 : 0,
  };
}

function handle(core: Core, id: number): SeededPipeline {
  const current = () =>
    core.db
      .selectFrom('jobs')
      .selectAll()
      .where('pipeline_id', '=', id)
      .where('retried', '=', 0)
      .orderBy('id')
      .execute();
  const job = async (name: string) => {
    const found = (await current()).find((each) => each.name === name);
    if (!found) throw new Error(`no job ${name}`);
    return found;
  };
  return {
    id,
    job,
    statuses: async () => Object.fromEntries((await current()).map(({ name, status }) => [name, status])),
    status: async () => {
      const query = core.db.selectFrom('pipelines').select('status').where('id', '=', id);
      return (await query.executeTakeFirstOrThrow()).status;
    },
    run: async (name, changes = {}) => {
      const { id: jobId } = await job(name);
      await withJob(core.database, jobId, async (tx, locked) => {
        await moveJob(tx, core, locked, 'running', changes);
        await processPipeline(tx, core, locked.pipeline_id);
      });
      return (await findJobById(core.db, jobId))!;
    },
    finish: async (name, outcome = {}) => {
      const { id: jobId } = await job(name);
      const ended = { status: 'success' as const, ...outcome };
      return core.database.transaction((tx) => finishJob(tx, core, jobId, ended), {
        isolation: 'read committed',
      });
    },
  };
}
