import { RefConflict } from '../../git/ref-update.ts';
import type { Core } from '../core.ts';
import { BRANCHES } from './default-branch.ts';
import { unlessRemoved } from './reading.ts';
import type { RefOrigin, RefProject } from './ref-updates.ts';

/** Where a commit is to go. */
export interface Landing {
  repository: RefProject;
  branch: string;
  origin: RefOrigin;
}

export interface Built {
  /** What the branch pointed at when the commit was built; null where it was not there. */
  tip: string | null;
  commit: string;
}

/** An attempt takes some 10 ms and loses only to another process; one that loses this often is under heavy fire. */
const ATTEMPTS = 10;

/**
 * Builds a commit on the branch as it is, and moves the branch to it; a commit that landed meanwhile is built upon, so that
 * no writer undoes another. Returns the commit's id. Throws what `build` throws, and what a ref update does: RefConflict only
 * after many defeats.
 */
export function landCommit(core: Core, landing: Landing, build: () => Promise<Built>): Promise<string> {
  const { repository, branch, origin } = landing;
  const ref = BRANCHES + branch;
  const land = async () => {
    for (let attempt = 1; ; attempt++) {
      const { tip, commit } = await build();
      try {
        await core.refUpdates.update(repository, [{ ref, old: tip, new: commit }], origin);
        return commit;
      } catch (error) {
        if (!(error instanceof RefConflict) || attempt === ATTEMPTS) throw error;
      }
    }
  };
  return unlessRemoved(core.refUpdates.inTurn(repository, ref, land));
}
