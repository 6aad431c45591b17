import { join } from 'node:path';
import type { Core, CoreApi } from '../../core/core.ts';
import type { ObjectStore } from '../../platform/objects/object-store.ts';
import { jobAuthenticator } from '../runners/authenticate-job.ts';
import { tracePatchRoute } from '../traces/patch-route.ts';
import { traceReadRoute } from '../traces/read-route.ts';
import { maskedValues } from '../traces/secrets.ts';
import { Traces } from '../traces/traces.ts';
import { followJobs } from './follow-events.ts';

export interface JobFilesOptions {
  objects: ObjectStore;
  /** The service's data folder: live logs are below it. */
  dataDir: string;
}

/** What jobs store: their logs and artifacts. */
export interface JobFiles {
  traces: Traces;
  routes(api: CoreApi): void;
  start(): Promise<void>;
  close(): Promise<void>;
}

export function openJobFiles(core: Core, { objects, dataDir }: JobFilesOptions): JobFiles {
  const traces = new Traces({
    ...core,
    objects,
    dir: join(dataDir, 'traces'),
    secretsOf: maskedValues(core),
  });
  const authenticateJob = jobAuthenticator(core);
  followJobs(core, traces);
  return {
    traces,
    routes(api) {
      const ending = new AbortController();
      api.onEnding(() => ending.abort());
      tracePatchRoute(api, { core, traces, authenticateJob });
      traceReadRoute(api, { core, traces, stopping: ending.signal });
    },
    async start() {},
    async close() {},
  };
}
