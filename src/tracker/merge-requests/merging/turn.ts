import type { Core } from '../../../core/core.ts';
import { withLock } from '../../../platform/db/locks.ts';
import type { Sides } from '../branches.ts';

/**
 * Runs `work` alone among merges into this branch and what may change what they merge, in any process: a push that is taken up
 * in the middle of a merge would leave a request that says that it merged what it did not. Not re-entrant.
 */
export const inTurn = <T>(
  core: Pick<Core, 'database'>,
  target: { project: Pick<Sides['target']['project'], 'id'>; branch: string },
  work: () => Promise<T>,
): Promise<T> => withLock(core.database, `merge:${target.project.id}:${target.branch}`, work);
