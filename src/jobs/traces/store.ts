import { type Insertable, sql } from 'kysely';
import { composed } from '../../platform/db/prepared.ts';
import type { Queryable, Tx } from '../../platform/db/tables.ts';
import type { JobTracesTable, TraceRow } from '../artifacts/tables.ts';
import type { JobRow } from '../tables.ts';

/** Says that the job has a live log from now on; once is enough. */
export async function insertTrace(
  db: Queryable,
  job: Pick<JobRow, 'id' | 'project_id' | 'pipeline_id'>,
  { debug, now }: { debug: boolean; now: number },
): Promise<void> {
  const { id: job_id, project_id, pipeline_id } = job;
  await begin(db, { job_id, project_id, pipeline_id, debug: debug ? 1 : 0, created_at: now });
}

const begin = composed((db, values: Insertable<JobTracesTable>) =>
  db
    .insertInto('job_traces')
    .values(values)
    .onConflict((conflict) => conflict.column('job_id').doNothing()),
);

export async function findTrace(db: Queryable, jobId: number): Promise<TraceRow | undefined> {
  return (await traceOf(db, { jobId }))[0];
}

const traceOf = composed((db, at: { jobId: number }) =>
  db.selectFrom('job_traces').selectAll().where('job_id', '=', at.jobId),
);

type TraceChanges = Partial<Pick<TraceRow, 'debug' | 'masked' | 'resends'>>;

export async function updateTrace(db: Queryable, jobId: number, changes: TraceChanges): Promise<void> {
  await change(db, { ...changes, jobId });
}

const change = composed((db, { jobId, ...changes }: { jobId: number } & TraceChanges) =>
  db.updateTable('job_traces').set(changes).where('job_id', '=', jobId),
);

/** Says that the log is among the job's files from this transaction on; false where the job is gone or was erased. Locks the row. */
export async function markSealed(tx: Tx, jobId: number, now: number): Promise<boolean> {
  return (await seal(tx, { jobId, now })).length > 0;
}

const seal = composed((db, at: { jobId: number; now: number }) =>
  db
    .updateTable('job_traces')
    .set({ sealed_at: at.now })
    .where('job_id', '=', at.jobId)
    .where((eb) => eb.or([eb('sealed_at', 'is', null), eb('sealed_at', '<>', 0)]))
    .where('job_id', 'in', (eb) => eb.selectFrom('jobs').select('id').where('id', '=', at.jobId))
    .returning('job_id'),
);

/**
 * Of an erased job: as if it had been sealed in the year 1970, so that the sweep takes its live file next. Its row must outlast the
 * file, which nothing else names.
 */
export async function forgetTrace(tx: Tx, jobId: number): Promise<void> {
  await tx.updateTable('job_traces').set({ sealed_at: 0 }).where('job_id', '=', jobId).execute();
}

/** The same for all logs of a pipeline or a project that is gone. */
export async function forgetTracesOf(
  tx: Tx,
  place: { pipelineId: number } | { projectId: number },
): Promise<void> {
  const query = tx.updateTable('job_traces').set({ sealed_at: 0 });
  const placed =
    'pipelineId' in place
      ? query.where('pipeline_id', '=', place.pipelineId)
      : query.where('project_id', '=', place.projectId);
  await placed.execute();
}

/** Logs with a live file that were sealed before, oldest first. */
export function sealedTraces(db: Queryable, before: number, limit: number): Promise<TraceRow[]> {
  return db
    .selectFrom('job_traces')
    .selectAll()
    .where('live', '=', sql.lit(1))
    .where('sealed_at', '<', before)
    .orderBy('sealed_at')
    .limit(limit)
    .execute();
}

/** Their live files are gone, and with them what is known of jobs that are gone too. */
export async function settleTraces(tx: Tx, jobIds: readonly number[]): Promise<void> {
  if (jobIds.length === 0) return;
  await tx
    .updateTable('job_traces')
    .set({ live: 0 })
    .where('job_id', 'in', [...jobIds])
    .execute();
  await tx
    .deleteFrom('job_traces')
    .where('job_id', 'in', [...jobIds])
    .where('job_id', 'not in', (eb) =>
      eb
        .selectFrom('jobs')
        .select('id')
        .where('id', 'in', [...jobIds]),
    )
    .execute();
}
