import type { Core, CoreApi } from './core.ts';
import { groupActionRoutes } from './groups/action-routes.ts';
import { groupListRoutes } from './groups/list-routes.ts';
import { groupRoutes } from './groups/routes.ts';
import { accessRequestRoutes } from './members/access-request-routes.ts';
import { membershipRoutes } from './members/memberships-routes.ts';
import { memberRoutes } from './members/routes.ts';
import { namespaceRoutes } from './namespaces/routes.ts';
import { projectActionRoutes } from './projects/action-routes.ts';
import { forkRoutes } from './projects/fork-routes.ts';
import { keepHeadsPointed } from './projects/head.ts';
import { projectListRoutes } from './projects/list-routes.ts';
import { projectPeopleRoutes } from './projects/people-routes.ts';
import { projectRoutes } from './projects/routes.ts';
import { starRoutes } from './projects/star-routes.ts';
import { removeRepositoriesOfDeletedProjects } from './projects/storage.ts';
import { topicRoutes } from './projects/topic-routes.ts';

/** Groups, projects and who belongs to them: every route, and what happens after their events. */
export function placeRoutes(api: CoreApi, core: Core): void {
  namespaceRoutes(api, core);
  groupRoutes(api, core);
  groupListRoutes(api, core);
  groupActionRoutes(api, core);
  projectRoutes(api, core);
  projectListRoutes(api, core);
  projectActionRoutes(api, core);
  projectPeopleRoutes(api, core);
  forkRoutes(api, core);
  starRoutes(api, core);
  topicRoutes(api, core);
  for (const kind of ['project', 'group'] as const) {
    memberRoutes(api, core, kind);
    accessRequestRoutes(api, core, kind);
  }
  membershipRoutes(api, core);
  removeRepositoriesOfDeletedProjects(core);
  keepHeadsPointed(core);
}
