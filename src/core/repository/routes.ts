import type { Core, CoreApi } from '../core.ts';
import { branchRoutes } from './branches-routes.ts';
import { protectedBranchRoutes } from './protected-branches-routes.ts';
import { protectedTagRoutes } from './protected-tags-routes.ts';
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
}
