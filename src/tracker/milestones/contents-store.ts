import type { SelectQueryBuilder } from 'kysely';
import type { Viewer } from '../../core/access/store.ts';
import type { Queryable, Tables } from '../../platform/db/tables.ts';
import { readableMergeRequests } from '../merge-requests/visible-store.ts';
import type { MergeRequestRow } from '../tables.ts';

interface Asked {
  milestoneId: number;
  viewer: Viewer;
}

/** Merge requests of the milestone that the viewer may read, the newest first. */
export function mergeRequestsOf(
  db: Queryable,
  asked: Asked,
  { limit, offset }: { limit: number; offset: number },
): Promise<MergeRequestRow[]> {
  return readable(db, asked)
    .selectAll('merge_requests')
    .orderBy('merge_requests.id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();
}

export async function countMergeRequestsOf(db: Queryable, asked: Asked): Promise<number> {
  const { count } = await readable(db, asked)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

const readable = (db: Queryable, { milestoneId, viewer }: Asked) =>
  db
    .selectFrom('merge_requests')
    .innerJoin('projects', 'projects.id', 'merge_requests.project_id')
    .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
    .where('milestone_id', '=', milestoneId)
    .where(readableMergeRequests(viewer)) as unknown as SelectQueryBuilder<Tables, 'merge_requests', object>;
