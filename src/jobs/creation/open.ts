import type { CoreApi } from '../../core/core.ts';
import { LeaderTask } from '../../platform/leader-task.ts';
import type { ArtifactFiles } from '../bridges/child-config.ts';
import { followBridges } from '../bridges/follow-events.ts';
import { bridgeRoutes } from '../bridges/routes.ts';
import { pipelineActionRoutes } from '../pipelines/actions/routes.ts';
import { scheduleActionRoutes } from '../schedules/action-routes.ts';
import { scheduleRoutes } from '../schedules/routes.ts';
import { runDueSchedules } from '../schedules/run.ts';
import { fireRoutes } from '../triggers/fire-routes.ts';
import { triggerRoutes } from '../triggers/routes.ts';
import { followMergeRequests } from './on-merge-request.ts';
import { followPipelines } from './on-pipeline.ts';
import { followPushes } from './on-push.ts';
import type { CreationDeps } from './request.ts';
import { creationRoutes } from './routes.ts';

/** All by which pipelines begin. */
export interface Creation {
  routes(api: CoreApi): void;
  start(): Promise<void>;
  close(): Promise<void>;
}

/** Schedules are due on the minute; what another process has scheduled shows then. */
const SCHEDULE_POLL_MS = 15_000;

export function openCreation(deps: CreationDeps, files: ArtifactFiles): Creation {
  followPushes(deps);
  followMergeRequests(deps);
  followBridges(deps, files);
  followPipelines(deps.core);
  const schedules = new LeaderTask({
    database: deps.core.database,
    log: deps.core.log,
    name: 'pipeline schedules',
    work: () => runDueSchedules(deps),
    pollMs: SCHEDULE_POLL_MS,
  });
  return {
    routes(api) {
      creationRoutes(api, deps);
      pipelineActionRoutes(api, deps.core);
      bridgeRoutes(api, deps.core);
      triggerRoutes(api, deps.core);
      fireRoutes(api, deps);
      scheduleRoutes(api, deps.core);
      scheduleActionRoutes(api, deps);
    },
    async start() {
      schedules.start();
    },
    async close() {
      await schedules.stop();
    },
  };
}
