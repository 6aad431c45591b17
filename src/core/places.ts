import type { Core, CoreApi } from './core.ts';
import { groupRoutes } from './groups/routes.ts';
import { accessRequestRoutes } from './members/access-request-routes.ts';
import { memberRoutes } from './members/routes.ts';
import { keepHeadsPointed } from './projects/head.ts';
import { projectRoutes } from './projects/routes.ts';
import { removeRepositoriesOfDeletedProjects } from './projects/storage.ts';

/** Groups, projects and who belongs to them: every route, and what happens after their events. */
export function placeRoutes(api: CoreApi, core: Core): void {
  groupRoutes(api, core);
  projectRoutes(api, core);
  for (const kind of ['project', 'group'] as const) {
    memberRoutes(api, core, kind);
    accessRequestRoutes(api, core, kind);
  }
  removeRepositoriesOfDeletedProjects(core);
  keepHeadsPointed(core);
}
