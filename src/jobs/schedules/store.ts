import { type Insertable, sql, type Updateable } from 'kysely';
import type { Queryable, Tx } from '../../platform/db/tables.ts';
import type { PipelineRow } from '../tables.ts';
import type {
  PipelineSchedulesTable,
  PipelineScheduleVariablesTable,
  ScheduleRow,
  ScheduleVariableRow,
} from './tables.ts';

interface Slice {
  limit: number;
  offset: number;
}

const ofProject = (db: Queryable, projectId: number, active: boolean | null) => {
  const query = db.selectFrom('pipeline_schedules').where('project_id', '=', projectId);
  return active === null ? query : query.where('active', '=', active ? 1 : 0);
};

/** `active` null: all of them. */
export function listSchedules(
  db: Queryable,
  { projectId, active }: { projectId: number; active: boolean | null },
  { limit, offset }: Slice,
): Promise<ScheduleRow[]> {
  return ofProject(db, projectId, active).selectAll().orderBy('id').limit(limit).offset(offset).execute();
}

export async function countSchedules(
  db: Queryable,
  { projectId, active }: { projectId: number; active: boolean | null },
): Promise<number> {
  const { count } = await ofProject(db, projectId, active)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

export function findSchedule(db: Queryable, projectId: number, id: number): Promise<ScheduleRow | undefined> {
  return db
    .selectFrom('pipeline_schedules')
    .selectAll()
    .where('id', '=', id)
    .where('project_id', '=', projectId)
    .executeTakeFirst();
}

/** Written out: a statement with a parameter there does not fit the index of active ones. */
const ACTIVE = sql.lit(1);

/** The longest due first. */
export function dueSchedules(db: Queryable, now: number, limit: number): Promise<ScheduleRow[]> {
  return db
    .selectFrom('pipeline_schedules')
    .selectAll()
    .where('active', '=', ACTIVE)
    .where('next_run_at', '<=', now)
    .orderBy('next_run_at')
    .limit(limit)
    .execute();
}

/** When the next one is due, null when none ever is. */
export async function nextScheduleAt(db: Queryable): Promise<number | null> {
  const row = await db
    .selectFrom('pipeline_schedules')
    .select('next_run_at')
    .where('active', '=', ACTIVE)
    .where('next_run_at', 'is not', null)
    .orderBy('next_run_at')
    .limit(1)
    .executeTakeFirst();
  return row?.next_run_at ?? null;
}

export function insertSchedule(tx: Tx, row: Insertable<PipelineSchedulesTable>): Promise<ScheduleRow> {
  return tx.insertInto('pipeline_schedules').values(row).returningAll().executeTakeFirstOrThrow();
}

/** Undefined when it has been deleted meanwhile. */
export function updateSchedule(
  tx: Tx,
  id: number,
  changes: Updateable<PipelineSchedulesTable>,
): Promise<ScheduleRow | undefined> {
  return tx
    .updateTable('pipeline_schedules')
    .set(changes)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

/** Of several who see it due, one gets true: who moves it from the time that all of them have read. */
export async function claimRun(
  tx: Tx,
  { id, next_run_at: due }: Pick<ScheduleRow, 'id' | 'next_run_at'>,
  next: number | null,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('pipeline_schedules')
    .set({ next_run_at: next })
    .where('id', '=', id)
    .where('active', '=', 1)
    .where('next_run_at', '=', due)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function deleteSchedule(tx: Tx, id: number): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('pipeline_schedules')
    .where('id', '=', id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

export function scheduleVariables(db: Queryable, scheduleId: number): Promise<ScheduleVariableRow[]> {
  return db
    .selectFrom('pipeline_schedule_variables')
    .selectAll()
    .where('schedule_id', '=', scheduleId)
    .orderBy('key')
    .execute();
}

/** Throws UniqueViolation when the schedule has this key. */
export function insertScheduleVariable(
  tx: Tx,
  row: Insertable<PipelineScheduleVariablesTable>,
): Promise<ScheduleVariableRow> {
  return tx.insertInto('pipeline_schedule_variables').values(row).returningAll().executeTakeFirstOrThrow();
}

export function updateScheduleVariable(
  tx: Tx,
  { schedule_id: scheduleId, key }: Pick<ScheduleVariableRow, 'schedule_id' | 'key'>,
  changes: Updateable<PipelineScheduleVariablesTable>,
): Promise<ScheduleVariableRow | undefined> {
  return tx
    .updateTable('pipeline_schedule_variables')
    .set(changes)
    .where('schedule_id', '=', scheduleId)
    .where('key', '=', key)
    .returningAll()
    .executeTakeFirst();
}

export function deleteScheduleVariable(
  tx: Tx,
  { scheduleId, key }: { scheduleId: number; key: string },
): Promise<ScheduleVariableRow | undefined> {
  return tx
    .deleteFrom('pipeline_schedule_variables')
    .where('schedule_id', '=', scheduleId)
    .where('key', '=', key)
    .returningAll()
    .executeTakeFirst();
}

const pipelinesOf = (db: Queryable, scheduleId: number) =>
  db.selectFrom('pipelines').where('schedule_id', '=', scheduleId);

/** The pipelines that it began. */
export function pipelinesOfSchedule(
  db: Queryable,
  scheduleId: number,
  { limit, offset, direction }: Slice & { direction: 'asc' | 'desc' },
): Promise<PipelineRow[]> {
  return pipelinesOf(db, scheduleId)
    .selectAll()
    .orderBy('id', direction)
    .limit(limit)
    .offset(offset)
    .execute();
}

export async function countPipelinesOfSchedule(db: Queryable, scheduleId: number): Promise<number> {
  const { count } = await pipelinesOf(db, scheduleId)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}
