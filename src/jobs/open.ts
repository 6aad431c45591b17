import type { Core, CoreApi } from '../core/core.ts';
import { type JobFilesOptions, openJobFiles } from './artifacts/open.ts';
import { artifactFiles } from './bridges/artifact-files.ts';
import { lintRoutes } from './config/lint/routes.ts';
import { YamlReader } from './config/yaml/yaml.ts';
import { openCreation } from './creation/open.ts';
import type { JobPorts } from './ports.ts';
import { openProcessing } from './processing/open.ts';
import { jobRoutes } from './routes.ts';
import { openRunners } from './runners/open.ts';

/** The room of jobs: its routes, and what it does by itself between `start` and `close`. */
export interface Jobs {
  routes(api: CoreApi): void;
  /** Once what a killed process left is settled; before the first request. */
  start(): Promise<void>;
  close(): Promise<void>;
}

/** Wires the room; whoever listens to events subscribes here, before they start. */
export function openJobs(core: Core, ports: JobPorts, place: JobFilesOptions): Jobs {
  const processing = openProcessing(core);
  const files = openJobFiles(core, place);
  const yaml = new YamlReader();
  const generated = artifactFiles(core.db, files.archives);
  const creationDeps = { core, ports, yaml };
  const creation = openCreation(creationDeps, generated);
  const runners = openRunners(core, { ports, traces: files.traces });
  return {
    routes(api) {
      jobRoutes(api, core);
      creation.routes(api);
      lintRoutes(api, creationDeps);
      files.routes(api);
      runners.routes(api);
    },
    async start() {
      processing.start();
      await creation.start();
      await files.start();
      await runners.start();
    },
    async close() {
      await runners.close();
      await files.close();
      await creation.close();
      await yaml.close();
      await processing.close();
    },
  };
}
