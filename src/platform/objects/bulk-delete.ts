import { IdleThread } from '../idle-thread.ts';
import type { NotDeleted, ToDelete } from './delete-thread.ts';

/** Removes many objects in a thread; whoever deletes in batches comes again soon. Resolves to what is left. */
export const bulkDelete = (): IdleThread<ToDelete, NotDeleted> =>
  new IdleThread({ file: new URL('./delete-thread.ts', import.meta.url), maxYoungMb: 4, idleMs: 1000 });
