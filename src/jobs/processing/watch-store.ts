import { sql } from 'kysely';
import type { Queryable } from '../../platform/db/tables.ts';

/** Conditions are written out, so that SQLite recognises those of the indexes that have such jobs and no other. */
const SCHEDULED = sql<boolean>`status = 'scheduled'`;
const UNDER_WAY = sql<boolean>`kind = 'build' and status in ('running', 'canceling')`;
const WAITING = sql<boolean>`kind = 'build' and status = 'pending'`;

/** Delayed jobs whose time has come, the longest due first. */
export async function dueJobIds(db: Queryable, before: number, limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom('jobs')
    .select('id')
    .where(SCHEDULED)
    .where('scheduled_at', '<=', before)
    .orderBy('scheduled_at')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** When the next delayed job is to begin; null where none waits. */
export async function nextDueAt(db: Queryable): Promise<number | null> {
  const row = await db
    .selectFrom('jobs')
    .select('scheduled_at')
    .where(SCHEDULED)
    .orderBy('scheduled_at')
    .limit(1)
    .executeTakeFirst();
  return row?.scheduled_at ?? null;
}

/** Jobs under way of which nobody has heard since `before`, the longest silent first. */
export async function silentJobIds(db: Queryable, before: number, limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom('jobs')
    .select('id')
    .where(UNDER_WAY)
    .where('updated_at', '<', before)
    .orderBy('updated_at')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** Jobs that have waited for a runner since before `before`, the longest waiting first. */
export async function unwantedJobIds(db: Queryable, before: number, limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom('jobs')
    .select('id')
    .where(WAITING)
    .where('queued_at', '<', before)
    .orderBy('queued_at')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}
