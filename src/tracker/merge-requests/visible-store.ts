import type { Expression, SqlBool } from 'kysely';
import { visibleToReporters } from '../../core/access/feature-store.ts';
import type { Viewer } from '../../core/access/store.ts';

/**
 * The condition "this viewer may read merge requests of the project" for a query over `projects` joined with `namespaces`:
 * what the ability `read_merge_request` says of one project, for lists over many.
 */
export const readableMergeRequests = (viewer: Viewer): Expression<SqlBool> =>
  visibleToReporters(viewer, 'merge_requests');
