import type { Core } from '../../core/core.ts';
import { fail } from '../../platform/errors.ts';
import { param } from '../../platform/http/params.ts';
import type { MergeRequestRow } from '../tables.ts';
import { type Sides, sidesOf } from './branches.ts';
import { findMergeRequest } from './store.ts';

/** Where the routes of merge requests are put. */
export const mergeRequestPath = {
  id: param.string({ description: 'Number or URL-encoded path of the project.' }),
  merge_request_iid: param.integer({ description: 'Number within the project, as in `!1`.' }),
};

export interface FoundMergeRequest {
  row: MergeRequestRow;
  sides: Sides;
}

/** The merge request of `:merge_request_iid`; 404 when there is none. */
export async function findByIid(
  core: Pick<Core, 'db'>,
  projectId: number,
  iid: number,
): Promise<FoundMergeRequest> {
  const row = await findMergeRequest(core.db, projectId, iid);
  const sides = row && (await sidesOf(core, row));
  if (!row || !sides) throw fail.recordNotFound();
  return { row, sides };
}
