import type { Core, CoreApi } from '../../core/core.ts';
import type { JobPorts } from '../ports.ts';
import type { Traces } from '../traces/traces.ts';
import { runnerIdentityRoutes } from './identity-routes.ts';
import { runnerManagementRoutes } from './management-routes.ts';
import { runnerPlaceRoutes } from './place-routes.ts';
import { JobFollower } from './queue/follow-jobs.ts';
import { offeredJob, runnersOfProject } from './queue/queue-store.ts';
import { requestRoute } from './queue/request-route.ts';
import { Waiting } from './queue/waiting.ts';
import { shownToken } from './registration-tokens.ts';
import { TakeBack } from './take-back.ts';
import { updateJobRoute } from './update-job-route.ts';

/** Runners: who they are, and how jobs reach them. */
export interface Runners {
  routes(api: CoreApi): void;
  start(): Promise<void>;
  close(): Promise<void>;
}

export interface RunnerOptions {
  ports: JobPorts;
  traces: Traces;
  /** How long a runner's question is held until there is a job, in ms; 50 seconds. */
  holdMs?: number | undefined;
}

/** Before events start: it listens to them. */
export function openRunners(core: Core, { ports, traces, holdMs }: RunnerOptions): Runners {
  const { db, log } = core;
  const reader = {
    job: (id: number) => offeredJob(db, id),
    runnersOf: (projectId: number) => runnersOfProject(db, projectId),
  };
  const waiting = new Waiting(reader, log);
  const follower = new JobFollower(core, waiting);
  const takeBack = new TakeBack(core, waiting);
  return {
    routes(api) {
      runnerIdentityRoutes(api, core);
      runnerManagementRoutes(api, core);
      runnerPlaceRoutes(api, core);
      requestRoute(api, { core, ports, waiting, holdMs });
      updateJobRoute(api, core, traces);
      core.projectFigures.runnersToken = (place) => shownToken(core, place);
      api.onEnding(() => waiting.close());
    },
    async start() {
      takeBack.start();
      await follower.start();
    },
    async close() {
      waiting.close();
      await takeBack.close();
      await follower.close();
    },
  };
}
