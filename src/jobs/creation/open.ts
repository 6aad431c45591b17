import type { CoreApi } from '../../core/core.ts';
import { bridgeRoutes } from '../bridges/routes.ts';
import { pipelineActionRoutes } from '../pipeline-actions/routes.ts';
import { fireRoutes } from '../triggers/fire-routes.ts';
import { triggerRoutes } from '../triggers/routes.ts';
import { followMergeRequests } from './on-merge-request.ts';
import { followPushes } from './on-push.ts';
import type { CreationDeps } from './request.ts';
import { creationRoutes } from './routes.ts';

/** All by which pipelines begin. */
export interface Creation {
  routes(api: CoreApi): void;
  start(): Promise<void>;
  close(): Promise<void>;
}

export function openCreation(deps: CreationDeps): Creation {
  followPushes(deps);
  followMergeRequests(deps);
  return {
    routes(api) {
      creationRoutes(api, deps);
      triggerRoutes(api, deps.core);
      fireRoutes(api, deps);
      pipelineActionRoutes(api, deps.core);
      bridgeRoutes(api, deps.core);
    },
    async start() {},
    async close() {},
  };
}
