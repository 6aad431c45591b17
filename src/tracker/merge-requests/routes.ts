import type { Core, CoreApi } from '../../core/core.ts';
import { approvalRoutes } from './approvals/routes.ts';
import { collaborationBranches } from './collaboration.ts';
import { listRoutes } from './lists/routes.ts';
import { followPipelines } from './merging/merge-when-due.ts';
import { mergingRoutes } from './merging/routes.ts';
import type { MergeRequestPorts } from './ports.ts';
import { readRoutes } from './read-routes.ts';
import { followRebaseRequests } from './rebase/rebase.ts';
import { relatedRoutes } from './related-routes.ts';
import { followBranches } from './versions/follow-branches.ts';
import { versionRoutes } from './versions/routes.ts';
import { writeRoutes } from './writing/routes.ts';

/** Every route of merge requests, and what they do when branches move and pipelines end. */
export function mergeRequestRoutes(
  api: CoreApi,
  core: Core,
  { findHeadPipeline, listPipelines }: MergeRequestPorts,
): void {
  const room = api.room('merge_requests');
  listRoutes(room, core, findHeadPipeline);
  readRoutes(room, core, findHeadPipeline);
  versionRoutes(room, core, findHeadPipeline);
  relatedRoutes(room, core, listPipelines);
  writeRoutes(room, core, findHeadPipeline);
  mergingRoutes(room, core, findHeadPipeline);
  approvalRoutes(room, core);
  followBranches(core);
  followRebaseRequests(core);
  followPipelines(core, findHeadPipeline);
  core.collaboration.openBranches = (fork, caller) => collaborationBranches(core, fork, caller);
}
