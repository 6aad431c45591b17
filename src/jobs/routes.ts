import type { Core, CoreApi } from '../core/core.ts';
import { templateRoutes } from './config/include/template-routes.ts';
import { jobActionRoutes } from './jobs/action-routes.ts';
import { jobListRoutes } from './jobs/list-routes.ts';
import { jobReadRoutes } from './jobs/read-routes.ts';
import { pipelineRoutes } from './pipelines/routes.ts';
import { resourceGroupRoutes } from './processing/resource-routes.ts';
import { variableRoutes } from './variables/routes.ts';

/** Every route of the room. */
export function jobRoutes(api: CoreApi, core: Core): void {
  pipelineRoutes(api, core);
  jobListRoutes(api, core);
  jobReadRoutes(api, core);
  jobActionRoutes(api, core);
  resourceGroupRoutes(api, core);
  variableRoutes(api, core);
  templateRoutes(api);
}
