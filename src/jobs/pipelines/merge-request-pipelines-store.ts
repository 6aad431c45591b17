import type { Queryable } from '../../platform/db/tables.ts';
import type { PipelineRow } from '../tables.ts';

/** The pipelines of a merge request: its own, in whichever project, and those of its source branch for its commits. */
export interface OfMergeRequest {
  mergeRequestId: number;
  /** Of the source branch. */
  projectId: number;
  ref: string;
  shas: readonly string[];
}

const ofMergeRequest = (db: Queryable, { mergeRequestId, projectId, ref, shas }: OfMergeRequest) =>
  db
    .selectFrom('pipelines')
    .where('source', '!=', 'parent_pipeline')
    .where((eb) => {
      const own = eb('merge_request_id', '=', mergeRequestId);
      if (shas.length === 0) return own;
      return eb.or([
        own,
        eb.and([eb('project_id', '=', projectId), eb('ref', '=', ref), eb('sha', 'in', [...shas])]),
      ]);
    });

/** Newest first. */
export function pipelinesOfMergeRequest(
  db: Queryable,
  of: OfMergeRequest,
  { limit, offset }: { limit: number; offset: number },
): Promise<PipelineRow[]> {
  return ofMergeRequest(db, of).selectAll().orderBy('id', 'desc').limit(limit).offset(offset).execute();
}

export async function countPipelinesOfMergeRequest(db: Queryable, of: OfMergeRequest): Promise<number> {
  const { count } = await ofMergeRequest(db, of)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** The newest of those for one commit. */
export function newestOfMergeRequest(
  db: Queryable,
  { sha, ...of }: Omit<OfMergeRequest, 'shas'> & { sha: string },
): Promise<PipelineRow | undefined> {
  return ofMergeRequest(db, { ...of, shas: [sha] })
    .selectAll()
    .where('sha', '=', sha)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
}
