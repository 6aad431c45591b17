import type { Viewer } from '../../../core/access/store.ts';
import type { Queryable } from '../../../platform/db/tables.ts';
import { readableMergeRequests } from '../../merge-requests/visible-store.ts';
import type { MergeRequestRow } from '../../tables.ts';
import type { IssueRow } from '../tables.ts';
import { readableIssues } from '../visible-store.ts';

interface Asked {
  viewer: Viewer;
  /** Only where merging closes. */
  closing: boolean;
}

/** A text names 500 at most; of what names a thing no more is shown either. */
const MAX_SHOWN = 500;

/** Merge requests that speak of the issue, as far as the viewer may read them, the oldest first. */
export function mergeRequestsNaming(
  db: Queryable,
  issueId: number,
  { viewer, closing }: Asked,
): Promise<MergeRequestRow[]> {
  return db
    .selectFrom('merge_request_issues')
    .innerJoin('merge_requests', 'merge_requests.id', 'merge_request_id')
    .innerJoin('projects', 'projects.id', 'merge_requests.project_id')
    .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
    .selectAll('merge_requests')
    .where('issue_id', '=', issueId)
    .where('closes', '>=', closing ? 1 : 0)
    .where(readableMergeRequests(viewer))
    .orderBy('merge_requests.id')
    .limit(MAX_SHOWN)
    .execute();
}

/** Issues that the merge request speaks of, as far as the viewer may read them, the oldest first. */
export function issuesNamedIn(
  db: Queryable,
  mergeRequestId: number,
  { viewer, closing }: Asked,
): Promise<IssueRow[]> {
  return db
    .selectFrom('merge_request_issues')
    .innerJoin('issues', 'issues.id', 'issue_id')
    .innerJoin('projects', 'projects.id', 'issues.project_id')
    .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
    .selectAll('issues')
    .where('merge_request_id', '=', mergeRequestId)
    .where('closes', '>=', closing ? 1 : 0)
    .where(readableIssues(viewer))
    .orderBy('issues.id')
    .limit(MAX_SHOWN)
    .execute();
}
