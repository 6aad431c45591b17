import { join } from 'node:path';
import type { Core, CoreApi } from '../../core/core.ts';
import type { ObjectStore } from '../../platform/objects/object-store.ts';
import { JunitReports } from '../reports/junit/read-report.ts';
import { reportRoutes } from '../reports/routes.ts';
import { jobAuthenticator } from '../runners/authenticate-job.ts';
import { tracePatchRoute } from '../traces/patch-route.ts';
import { traceReadRoute } from '../traces/read-route.ts';
import { maskedValues } from '../traces/secrets.ts';
import { Traces } from '../traces/traces.ts';
import { downloadRoutes } from './download-routes.ts';
import { followJobs } from './follow-events.ts';
import { jobDownloadRoute } from './job-download-route.ts';
import { keepRoutes } from './keep-routes.ts';
import { artifactBytes } from './store.ts';
import { ArtifactSweep } from './sweep.ts';
import { uploadRoutes } from './upload-routes.ts';
import { Archives } from './zip/archives.ts';

export interface JobFilesOptions {
  objects: ObjectStore;
  /** The service's data folder: live logs are below it. */
  dataDir: string;
}

/** What jobs store: their logs and artifacts. */
export interface JobFiles {
  traces: Traces;
  /** Single files out of what jobs have stored. */
  archives: Archives;
  sweep: ArtifactSweep;
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
  const archives = new Archives(objects);
  const reading = { ...core, objects, archives };
  const sweep = new ArtifactSweep({ ...core, objects, traces });
  const wake = () => sweep.wake();
  const reports = new JunitReports(objects);
  followJobs(core, { traces, wake });
  core.projectFigures.artifactBytes = (projectIds) => artifactBytes(core.db, projectIds);
  return {
    traces,
    archives,
    sweep,
    routes(api) {
      const ending = new AbortController();
      api.onEnding(() => ending.abort());
      tracePatchRoute(api, { core, traces, authenticateJob });
      traceReadRoute(api, { core, traces, stopping: ending.signal });
      uploadRoutes(api, { core, objects, authenticateJob });
      downloadRoutes(api, core, reading);
      jobDownloadRoute(api, core, reading);
      keepRoutes(api, { core, wake });
      reportRoutes(api, core, reports);
    },
    async start() {
      sweep.start();
    },
    async close() {
      await reports.close();
      await sweep.stop();
    },
  };
}
