import type { Core, CoreApi } from '../core.ts';
import { archiveRoutes } from './archive-routes.ts';
import { blameRoute } from './blame-route.ts';
import { blobRoutes } from './blob-routes.ts';
import { branchRoutes } from './branches-routes.ts';
import { compareRoutes } from './compare-routes.ts';
import { contributorsRoute } from './contributors.ts';
import { fileChangeRoutes } from './file-change-routes.ts';
import { fileRoutes } from './files-routes.ts';
import { protectedBranchRoutes } from './protected-branches-routes.ts';
import { protectedTagRoutes } from './protected-tags-routes.ts';
import { snapshotRoute } from './snapshot-route.ts';
import { tagRoutes } from './tags-routes.ts';
import { treeRoutes } from './tree-routes.ts';

/** Branches, tags and their protection; folders, files and what can be told of two commits. */
export function repositoryRoutes(api: CoreApi, core: Core): void {
  const room = api.room('repository');
  branchRoutes(room, core);
  tagRoutes(room, core);
  protectedBranchRoutes(room, core);
  protectedTagRoutes(room, core);
  treeRoutes(room, core);
  blobRoutes(room, core);
  fileRoutes(room, core);
  fileChangeRoutes(room, core);
  blameRoute(room, core);
  compareRoutes(room, core);
  archiveRoutes(room, core);
  snapshotRoute(room, core);
  contributorsRoute(room, core);
}
