import type { Core, CoreApi } from '../core/core.ts';
import { pipelineRoutes } from './pipeline-routes.ts';
import { variableRoutes } from './variables/routes.ts';

/** Every route of the room. */
export function jobRoutes(api: CoreApi, core: Core): void {
  pipelineRoutes(api, core);
  variableRoutes(api, core);
}
