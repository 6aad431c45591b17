import { sql } from 'kysely';
import type { Queryable, Tx } from '../../platform/db/tables.ts';
import type { ArtifactRow } from './tables.ts';

/** Sets the expiry of the next files of a project. Returns the last one's id; null when there are no more. */
export async function expireNext(
  tx: Tx,
  { projectId, after, now, limit }: { projectId: number; after: number; now: number; limit: number },
): Promise<number | null> {
  const rows = await tx
    .selectFrom('job_artifacts')
    .select(['id', 'job_id', 'state', 'file_type'])
    .where('project_id', '=', projectId)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
  const chosen = rows.filter(({ state, file_type }) => state === 'stored' && file_type !== 'trace');
  if (chosen.length > 0) {
    const ids = chosen.map(({ id }) => id);
    const jobIds = [...new Set(chosen.map(({ job_id }) => job_id))];
    await tx.updateTable('job_artifacts').set({ expire_at: now }).where('id', 'in', ids).execute();
    await tx.updateTable('jobs').set({ artifacts_expire_at: now }).where('id', 'in', jobIds).execute();
  }
  return rows.length === limit ? (rows.at(-1)?.id ?? null) : null;
}

/** A place in the list of what has expired, oldest first. */
export interface ExpiryCursor {
  expireAt: number;
  id: number;
}

export type ExpiredRow = Pick<ArtifactRow, 'id' | 'project_id' | 'pipeline_id'> & { expire_at: number };

/** What has expired by `now`, from behind the cursor on. */
export async function expiredArtifacts(
  db: Queryable,
  { now, after, limit }: { now: number; after: ExpiryCursor; limit: number },
): Promise<ExpiredRow[]> {
  const rows = await db
    .selectFrom('job_artifacts')
    .select(['id', 'project_id', 'pipeline_id', 'expire_at'])
    .where('state', '=', sql.lit('stored'))
    .where('expire_at', 'is not', null)
    .where('expire_at', '<=', now)
    .where((eb) => eb(eb.refTuple('expire_at', 'id'), '>', eb.tuple(after.expireAt, after.id)))
    .orderBy('expire_at')
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows as ExpiredRow[];
}

/** Settings of these projects, by id. */
export async function settingsOfProjects(
  db: Queryable,
  ids: readonly number[],
): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('projects')
    .select(['id', 'settings'])
    .where('id', 'in', [...ids])
    .execute();
  return new Map(rows.map(({ id, settings }) => [id, settings]));
}

export type DoomedRow = Pick<ArtifactRow, 'id' | 'size'>;

/** Dooms those that still are expired, and returns them: one that somebody keeps meanwhile is not. */
export async function doomExpired(db: Queryable, ids: readonly number[], now: number): Promise<DoomedRow[]> {
  if (ids.length === 0) return [];
  return db
    .updateTable('job_artifacts')
    .set({ state: 'doomed' })
    .where('id', 'in', [...ids])
    .where('state', '=', sql.lit('stored'))
    .where('expire_at', 'is not', null)
    .where('expire_at', '<=', now)
    .returning(['id', 'size'])
    .execute();
}

/** Dooms uploads whose process must be gone. */
export async function doomStaleUploads(db: Queryable, before: number): Promise<void> {
  await db
    .updateTable('job_artifacts')
    .set({ state: 'doomed' })
    .where('state', '=', sql.lit('coming'))
    .where('created_at', '<', before)
    .execute();
}

export function doomedArtifacts(db: Queryable, after: number, limit: number): Promise<DoomedRow[]> {
  return db
    .selectFrom('job_artifacts')
    .select(['id', 'size'])
    .where('state', '=', sql.lit('doomed'))
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
}

export async function deleteArtifacts(db: Queryable, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await db
    .deleteFrom('job_artifacts')
    .where('id', 'in', [...ids])
    .execute();
}
