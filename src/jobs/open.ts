import type { Core, CoreApi } from '../core/core.ts';
import { openCreation } from './creation/open.ts';
import type { JobPorts } from './ports.ts';
import { jobRoutes } from './routes.ts';

/** The room of jobs: its routes, and what it does by itself between `start` and `close`. */
export interface Jobs {
  routes(api: CoreApi): void;
  /** Once what a killed process left is settled; before the first request. */
  start(): Promise<void>;
  close(): Promise<void>;
}

/** Wires the room; whoever listens to events subscribes here, before they start. */
export function openJobs(core: Core, ports: JobPorts): Jobs {
  const creation = openCreation({ core, ports });
  return {
    routes(api) {
      jobRoutes(api, core);
      creation.routes(api);
    },
    async start() {
      await creation.start();
    },
    async close() {
      await creation.close();
    },
  };
}
