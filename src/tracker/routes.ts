import type { Core, CoreApi } from '../core/core.ts';
import { collaborationBranches } from './merge-requests/collaboration.ts';
import { listRoutes } from './merge-requests/lists/routes.ts';
import type { FindHeadPipeline } from './merge-requests/ports.ts';
import { readRoutes } from './merge-requests/read-routes.ts';
import { followBranches } from './merge-requests/versions/follow-branches.ts';
import { writeRoutes } from './merge-requests/write-routes.ts';

export interface TrackerPorts {
  findHeadPipeline: FindHeadPipeline;
}

/** Every route of the room, and what it does when branches move. */
export function trackerRoutes(api: CoreApi, core: Core, { findHeadPipeline }: TrackerPorts): void {
  const mergeRequests = api.room('merge_requests');
  listRoutes(mergeRequests, core, findHeadPipeline);
  readRoutes(mergeRequests, core, findHeadPipeline);
  writeRoutes(mergeRequests, core, findHeadPipeline);
  followBranches(core);
  core.collaboration.openBranches = (fork, caller) => collaborationBranches(core, fork, caller);
}
