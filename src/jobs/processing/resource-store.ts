import type { Queryable, Tx } from '../../platform/db/tables.ts';
import type { JobStatus } from '../states.ts';
import type { ProcessMode, ResourceGroupRow } from './tables.ts';

export interface ResourceKey {
  projectId: number;
  key: string;
}

/** In these a job has its resource. */
const HOLDING: readonly JobStatus[] = [
  'pending',
  'preparing',
  'waiting_for_callback',
  'running',
  'canceling',
];
/** Those that keep their place in a strict order also before they ask for it. */
const COMING: readonly JobStatus[] = ['created', 'scheduled', 'waiting_for_resource'];

/** The group's row, made where it is new; nobody else decides about the group until the transaction ends. */
export function lockResourceGroup(
  tx: Tx,
  { projectId, key }: ResourceKey,
  now: number,
): Promise<ResourceGroupRow> {
  return tx
    .insertInto('resource_groups')
    .values({ project_id: projectId, key, created_at: now, updated_at: now })
    .onConflict((conflict) =>
      conflict.columns(['project_id', 'key']).doUpdateSet((eb) => ({ key: eb.ref('resource_groups.key') })),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function processModeOf(db: Queryable, { projectId, key }: ResourceKey): Promise<ProcessMode> {
  const row = await db
    .selectFrom('resource_groups')
    .select('process_mode')
    .where('project_id', '=', projectId)
    .where('key', '=', key)
    .executeTakeFirst();
  return row?.process_mode ?? 'unordered';
}

export async function isHeld(db: Queryable, key: ResourceKey): Promise<boolean> {
  const holder = await jobsOf(db, key)
    .select('id')
    .where('status', 'in', HOLDING)
    .limit(1)
    .executeTakeFirst();
  return holder !== undefined;
}

export interface InLine {
  id: number;
  pipeline_id: number;
  status: JobStatus;
}

/** Who is first; he need not be ready yet where the group keeps a strict order of pipelines. */
export function nextInLine(db: Queryable, key: ResourceKey, mode: ProcessMode): Promise<InLine | undefined> {
  const strict = mode === 'oldest_first' || mode === 'newest_first';
  const direction = mode === 'newest_first' || mode === 'newest_ready_first' ? 'desc' : 'asc';
  const candidates = jobsOf(db, key)
    .select(['id', 'pipeline_id', 'status'])
    .where('status', 'in', strict ? COMING : ['waiting_for_resource']);
  const ordered = mode === 'unordered' ? candidates : candidates.orderBy('pipeline_id', direction);
  return ordered.orderBy('id').limit(1).executeTakeFirst();
}

const jobsOf = (db: Queryable, { projectId, key }: ResourceKey) =>
  db.selectFrom('jobs').where('project_id', '=', projectId).where('resource_group', '=', key);
