import type { CoreApi } from '../../core/core.ts';
import { followMergeRequests } from './on-merge-request.ts';
import { followPushes } from './on-push.ts';
import type { CreationDeps } from './request.ts';

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
    routes() {},
    async start() {},
    async close() {},
  };
}
