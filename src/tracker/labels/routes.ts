import type { Core, CoreApi } from '../../core/core.ts';
import { groupLabelRoutes } from './group-routes.ts';
import { projectLabelRoutes } from './project-routes.ts';

/** Labels of projects, and of groups, which every project below may use. */
export function labelRoutes(api: CoreApi, core: Core): void {
  const room = api.room('labels');
  projectLabelRoutes(room, core);
  groupLabelRoutes(room, core);
}
