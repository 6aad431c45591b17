import { sql } from 'kysely';
import type { Queryable } from '../../platform/db/tables.ts';

/** Conditions are written out, so that SQLite recognises those of the indexes that have such jobs and no other. */
const SCHEDULED = sql<boolean>`status = 'scheduled'`;
const UNDER_WAY = sql<boolean>`kind = 'build' and status in ('running', 'canceling')`;
const WAITING = sql<boolean>`kind = 'build' and status = 'pending'`;
/** One that was handed out and awaits its runner's word has a runner already. */
const UNTAKEN = sql<boolean>`kind = 'build' and status = 'pending' and coalesce(runner_id, 0) = 0`;

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

/** Waiting jobs that the same runners take. */
export interface WaitingGroup {
  project_id: number;
  tags: string;
  protected: number;
}

/**
 * The next group, in an order of its own, with the time since when the first of its jobs waits: one step into an index, however
 * many jobs the groups have. Begins anew after null; undefined behind the last.
 */
export function nextWaitingGroup(
  db: Queryable,
  after: WaitingGroup | null,
): Promise<(WaitingGroup & { queued_at: number | null }) | undefined> {
  const groups = db
    .selectFrom('jobs')
    .select(['project_id', 'tags', 'protected', 'queued_at'])
    .where(UNTAKEN)
    .orderBy('project_id')
    .orderBy('tags')
    .orderBy('protected')
    .orderBy('queued_at')
    .limit(1);
  if (after === null) return groups.executeTakeFirst();
  const last = sql`(${after.project_id}, ${after.tags}, ${after.protected})`;
  return groups.where(sql<boolean>`(project_id, tags, protected) > ${last}`).executeTakeFirst();
}

/** Jobs of a group that have waited since before `before`, the longest waiting first. */
export async function waitingJobIds(
  db: Queryable,
  group: WaitingGroup,
  { before, limit }: { before: number; limit: number },
): Promise<number[]> {
  const rows = await db
    .selectFrom('jobs')
    .select('id')
    .where(UNTAKEN)
    .where('project_id', '=', group.project_id)
    .where('tags', '=', group.tags)
    .where('protected', '=', group.protected)
    .where('queued_at', '<', before)
    .orderBy('queued_at')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}
