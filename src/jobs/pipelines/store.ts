import type { Insertable, Updateable } from 'kysely';
import { composed, prepared } from '../../platform/db/prepared.ts';
import type { Db, Queryable, Tx } from '../../platform/db/tables.ts';
import type { PipelineRow, PipelinesTable } from '../tables.ts';

/**
 * Takes the project's place in the queue of those who write its pipelines and statuses, until the transaction ends. After
 * it, a read sees what the one before has committed, also under `read committed`.
 */
export async function lockPipelines(tx: Tx, projectId: number): Promise<void> {
  await tx
    .insertInto('pipeline_counters')
    .values({ project_id: projectId, last_iid: 0 })
    .onConflict((conflict) =>
      conflict.column('project_id').doUpdateSet((eb) => ({ last_iid: eb.ref('pipeline_counters.last_iid') })),
    )
    .execute();
}

/** The next number within the project. A number is never given twice, also after its pipeline was deleted. */
export async function nextPipelineIid(tx: Tx, projectId: number): Promise<number> {
  const { last_iid } = await tx
    .insertInto('pipeline_counters')
    .values({ project_id: projectId, last_iid: 1 })
    .onConflict((conflict) =>
      conflict
        .column('project_id')
        .doUpdateSet((eb) => ({ last_iid: eb('pipeline_counters.last_iid', '+', 1) })),
    )
    .returning('last_iid')
    .executeTakeFirstOrThrow();
  return last_iid;
}

export function insertPipeline(tx: Tx, row: Insertable<PipelinesTable>): Promise<PipelineRow> {
  return tx.insertInto('pipelines').values(row).returningAll().executeTakeFirstOrThrow();
}

export function findPipeline(
  db: Queryable,
  projectId: number,
  pipelineId: number,
): Promise<PipelineRow | undefined> {
  return db
    .selectFrom('pipelines')
    .selectAll()
    .where('id', '=', pipelineId)
    .where('project_id', '=', projectId)
    .executeTakeFirst();
}

/** The row, locked until the transaction ends: of two that change its jobs, the second sees what the first did. */
export async function lockPipeline(tx: Tx, id: number): Promise<PipelineRow | undefined> {
  return (await lockById(tx, { id }))[0];
}

/** The same for the pipeline that a job is of. */
export async function lockPipelineOf(tx: Tx, jobId: number): Promise<PipelineRow | undefined> {
  return (await lockByJob(tx, { jobId }))[0];
}

const touched = (db: Db) =>
  db
    .updateTable('pipelines')
    .set((eb) => ({ status: eb.ref('status') }))
    .returningAll();

const lockById = composed((db, at: { id: number }) => touched(db).where('id', '=', at.id));

const lockByJob = composed((db, at: { jobId: number }) =>
  touched(db).where('id', '=', (eb) =>
    eb.selectFrom('jobs').select('pipeline_id').where('jobs.id', '=', at.jobId),
  ),
);

export async function updatePipeline(
  tx: Tx,
  pipelineId: number,
  changes: Updateable<PipelinesTable>,
): Promise<void> {
  await tx.updateTable('pipelines').set(changes).where('id', '=', pipelineId).execute();
}

/** Its jobs go with it. False when it is gone already. */
export async function deletePipeline(tx: Tx, pipelineId: number): Promise<boolean> {
  const deleted = await tx.deleteFrom('pipelines').where('id', '=', pipelineId).executeTakeFirst();
  return deleted.numDeletedRows > 0n;
}

/** Pipelines that another one began in its own project: parts of it, which stand for nothing by themselves. */
const CHILD = 'parent_pipeline';

/** The newest of a commit, of one ref and with one id when they are given; children only by their id. */
export function newestPipeline(
  db: Queryable,
  key: { projectId: number; sha: string; ref?: string | undefined; id?: number | undefined },
): Promise<PipelineRow | undefined> {
  const { projectId, sha, ref, id } = key;
  let query = db
    .selectFrom('pipelines')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('sha', '=', sha);
  if (id === undefined) query = query.where('source', '!=', CHILD);
  if (ref !== undefined) query = query.where('ref', '=', ref);
  if (id !== undefined) query = query.where('id', '=', id);
  return query.orderBy('id', 'desc').limit(1).executeTakeFirst();
}

/** The newest of a commit on any ref, by a statement composed once: every look at a commit asks for it. */
export const latestPipelines = (db: Db) =>
  prepared(db, (from, at: { projectId: number; sha: string }) =>
    from
      .selectFrom('pipelines')
      .selectAll()
      .where('project_id', '=', at.projectId)
      .where('sha', '=', at.sha)
      .where('source', '!=', CHILD)
      .orderBy('id', 'desc')
      .limit(1),
  );

/** The newest of each of these commits. */
export async function newestPipelines(
  db: Queryable,
  projectId: number,
  shas: readonly string[],
): Promise<PipelineRow[]> {
  if (shas.length === 0) return [];
  const newest = db
    .selectFrom('pipelines')
    .select((eb) => eb.fn.max('id').as('id'))
    .where('project_id', '=', projectId)
    .where('sha', 'in', [...new Set(shas)])
    .where('source', '!=', CHILD)
    .groupBy('sha');
  return db.selectFrom('pipelines').selectAll().where('id', 'in', newest).execute();
}
