import type { Core } from '../../core/core.ts';
import { DelayedJobs } from './delayed-jobs.ts';
import { LostJobs } from './lost-jobs.ts';
import { keepResourcesMoving } from './resource-groups.ts';

/** What happens to jobs by itself. */
export interface Processing {
  start(): void;
  close(): Promise<void>;
}

/** Before events start: it listens to them. */
export function openProcessing(core: Core): Processing {
  const delayed = new DelayedJobs(core);
  const lost = new LostJobs(core);
  keepResourcesMoving(core);
  return {
    start() {
      delayed.start();
      lost.start();
    },
    async close() {
      await delayed.close();
      await lost.close();
    },
  };
}
