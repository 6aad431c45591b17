import assert from 'node:assert/strict';
import { it } from 'node:test';
import { CompiledQuery, type RootOperationNode, sql } from 'kysely';
import { forEachDatabase } from '../../test/support/databases.ts';
import type { Database } from '../platform/db/database.ts';
import type { Queryable } from '../platform/db/tables.ts';
import { childrenOf, downstreamOf, listBridges } from './bridges/store.ts';
import { olderAlive } from './creation/older-store.ts';
import { type JobFilter, listJobs, listPipelineJobs } from './jobs/list-store.ts';
import { busyRunners } from './jobs/store.ts';
import { newestOfMergeRequest } from './pipelines/merge-request-pipelines-store.ts';
import { isHeld, nextInLine } from './processing/resource-store.ts';
import {
  dueJobIds,
  nextDueAt,
  nextWaitingGroup,
  silentJobIds,
  unwantedJobIds,
  waitingJobIds,
} from './processing/watch-store.ts';
import { sharedRunning, waitingGroups } from './runners/queue/queue-store.ts';
import type { RunnerRow } from './runners/tables.ts';
import { dueSchedules, nextScheduleAt, pipelinesOfSchedule } from './schedules/store.ts';
import type { PipelineRow } from './tables.ts';
import { findTriggerByToken } from './triggers/store.ts';

/** How the database would read what `work` asks for last, as text. */
function planOf(database: Database, work: (db: Queryable) => Promise<unknown>): Promise<string> {
  return database.transaction(async (tx) => {
    let asked: CompiledQuery | undefined;
    const watched = tx.withPlugin({
      transformQuery({ node, queryId }): RootOperationNode {
        asked = tx.getExecutor().compileQuery(node, queryId);
        return node;
      },
      transformResult: async ({ result }) => result,
    });
    await work(watched);
    if (database.dialect === 'postgres') {
      // Empty tables are read whole and sorted otherwise, whatever indexes they have.
      for (const way of ['seqscan', 'sort', 'bitmapscan'])
        await sql.raw(`set local enable_${way} = off`).execute(tx);
    }
    const explain = database.dialect === 'sqlite' ? 'explain query plan' : 'explain';
    // A query that is composed once stands there without its values: any will do.
    const values = asked!.parameters.map((value) =>
      value !== null && typeof value === 'object' ? 1 : value,
    );
    const plan = await tx.executeQuery(CompiledQuery.raw(`${explain} ${asked!.sql}`, values));
    return JSON.stringify(plan.rows);
  });
}

const listing = { limit: 21, offset: 0 };

forEachDatabase((_, open) => {
  it('a page of jobs is read in order from an index, whatever narrows it', async () => {
    const database = await open();
    const all: JobFilter = { projectId: 1, statuses: [] };
    const filters: [Partial<JobFilter>, string][] = [
      [{}, 'jobs_project'],
      [{ statuses: ['failed'] }, 'jobs_status'],
      [{ statuses: ['failed', 'running', 'manual'] }, 'jobs_(?:status|at_work)'],
      [{ name: 'test' }, 'jobs_project_name'],
      [{ ref: 'main' }, 'jobs_project_ref'],
      [{ name: 'test', statuses: ['failed', 'success'] }, 'jobs_name_status'],
      [{ ref: 'main', statuses: ['manual'] }, 'jobs_ref_status'],
    ];
    for (const [filter, index] of filters) {
      for (const beforeId of [undefined, 1000]) {
        const plan = await planOf(database, (db) =>
          listJobs(db, { ...all, ...filter }, { ...listing, beforeId }),
        );
        const parts = filter.statuses?.length || 1;
        const used = plan.match(new RegExp(`\\b${index}\\b(?!_)`, 'g')) ?? [];
        assert.equal(used.length, parts, `${JSON.stringify(filter)}: ${plan}`);
      }
    }
  });

  it('the jobs of a time are found without reading the others', async () => {
    const database = await open();
    const filter = { projectId: 1, statuses: [], createdAfter: 10 ** 12, createdBefore: 2 * 10 ** 12 };
    assert.match(await planOf(database, (db) => listJobs(db, filter, listing)), /jobs_project\b/);
  });

  it('the jobs of a pipeline, and those that somebody looks for by the minute, come from an index', async () => {
    const database = await open();
    const ofPipeline = { pipelineId: 1, statuses: [], retried: true };
    const key = { projectId: 1, key: 'production' };
    const group = { project_id: 1, tags: '[]', protected: 0 };
    const asked: [(db: Queryable) => Promise<unknown>, string][] = [
      [(db) => listPipelineJobs(db, ofPipeline, listing), 'jobs_pipeline'],
      [(db) => dueJobIds(db, 1, 1), 'jobs_scheduled'],
      [(db) => nextDueAt(db), 'jobs_scheduled'],
      [(db) => silentJobIds(db, 1, 1), 'jobs_running'],
      [(db) => unwantedJobIds(db, 1, 1), 'jobs_waiting'],
      [(db) => nextWaitingGroup(db, null), 'jobs_waiting_groups'],
      [(db) => nextWaitingGroup(db, group), 'jobs_waiting_groups'],
      [(db) => waitingJobIds(db, group, { before: 1, limit: 1 }), 'jobs_waiting_groups'],
      [(db) => busyRunners(db, [1, 2]), 'jobs_busy'],
      [(db) => isHeld(db, key), 'jobs_resource'],
      [(db) => nextInLine(db, key, 'unordered'), 'jobs_resource'],
    ];
    for (const [work, index] of asked) {
      const plan = await planOf(database, work);
      assert.match(plan, new RegExp(`\\b${index}\\b`), plan);
    }
  });

  it('what begins and follows pipelines is found by an index, however many there are', async () => {
    const database = await open();
    const pipeline = { id: 9, project_id: 1, ref: 'main', sha: 'b' } as PipelineRow;
    const ofMergeRequest = { mergeRequestId: 1, projectId: 1, ref: 'main', sha: 'b' };
    const asked: [(db: Queryable) => Promise<unknown>, string][] = [
      [(db) => olderAlive(db, pipeline), 'pipelines_alive'],
      [(db) => dueSchedules(db, 1, 1), 'pipeline_schedules_due'],
      [(db) => nextScheduleAt(db), 'pipeline_schedules_due'],
      [(db) => pipelinesOfSchedule(db, 1, { ...listing, direction: 'asc' }), 'pipelines_schedule'],
      [(db) => findTriggerByToken(db, 1, 'x'), 'pipeline_triggers_token'],
      [(db) => listBridges(db, { pipelineId: 1, statuses: [] }, listing), 'jobs_pipeline'],
      [(db) => downstreamOf(db, 1), 'pipeline_sources_job'],
    ];
    for (const [work, index] of asked) {
      const plan = await planOf(database, work);
      assert.match(plan, new RegExp(`\\b${index}\\b`), plan);
    }
    if (database.dialect === 'sqlite') {
      const plan = await planOf(database, (db) => newestOfMergeRequest(db, ofMergeRequest));
      assert.doesNotMatch(plan, /SCAN pipelines/);
      assert.match(await planOf(database, (db) => childrenOf(db, 1)), /pipeline_sources_pipeline/);
    }
  });

  it('a runner finds its job by a step for each kind of waiting job, not by reading all that wait', async () => {
    const database = await open();
    for (const [runner_type, namespace_id] of [
      ['instance_type', null],
      ['group_type', 7],
      ['project_type', null],
    ] as const) {
      const runner = { id: 1, runner_type, namespace_id } as RunnerRow;
      assert.match(await planOf(database, (db) => waitingGroups(db, runner)), /jobs_queue_groups/);
    }
    assert.match(await planOf(database, sharedRunning), /jobs_at_work/);
  });
});
