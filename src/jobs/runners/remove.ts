import type { Core } from '../../core/core.ts';
import { announceRunner } from './announce.ts';
import { deleteRunner } from './store.ts';

/** Deletes a runner with its machines; jobs that it has done stay. False where it was gone already. */
export function removeRunner(core: Pick<Core, 'database' | 'events'>, id: number): Promise<boolean> {
  return core.database.transaction(async (tx) => {
    const gone = await deleteRunner(tx, id);
    if (gone) await announceRunner(tx, core, id);
    return gone;
  });
}
