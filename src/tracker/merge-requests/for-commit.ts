import type { Queryable } from '../../platform/db/tables.ts';
import type { MergeRequestBasicJson } from './entities.ts';
import { presentMergeRequests } from './present.ts';
import { type ForCommit, mergeRequestsWithCommit } from './versions/commits-store.ts';

export { mergeRequestByMergeCommit } from './versions/commits-store.ts';

/**
 * What a commit's list of merge requests shows: those of the project that have it in their diff, or were ended by it,
 * newest first. Whether the caller may read merge requests of the project is asked before.
 */
export async function mergeRequestsForCommit(
  db: Queryable,
  query: ForCommit,
  { limit, offset, ...place }: { limit: number; offset: number; baseUrl: string; today: string },
): Promise<{ items: MergeRequestBasicJson[]; total: number }> {
  const rows = await mergeRequestsWithCommit(db, query);
  const page = rows.slice(offset, offset + limit);
  return { items: await presentMergeRequests(db, page, { ...place, inProject: true }), total: rows.length };
}
