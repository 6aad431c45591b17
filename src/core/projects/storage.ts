import { createHash, randomUUID } from 'node:crypto';
import type { Repository } from '../../git/repository.ts';
import { isAlive, nodeIdentity } from '../../platform/db/locks.ts';
import type { Tx } from '../../platform/db/tables.ts';
import type { Core } from '../core.ts';
import {
  deleteReservation,
  insertReservation,
  isClaimed,
  isReserved,
  listReservations,
} from './storage-store.ts';
import { ownerPath, wikiPath } from './wiki.ts';

/**
 * Where repositories lie, and that none is left behind. A project's row must never point at nothing, so the repository
 * comes first; and a killed process must not leave a folder that no row names, so a reservation comes before that:
 *
 * 1. the reservation is committed,
 * 2. the repository is made under its final name,
 * 3. one transaction turns the reservation into the project's row.
 *
 * What still has a reservation when its process is gone, has no row: `removeUnclaimedRepositories` deletes it at the next start.
 */
export async function withNewRepository<T, Filled>(
  core: Core,
  fill: (repository: Repository) => Promise<Filled>,
  claim: (tx: Tx, storagePath: string, filled: Filled) => Promise<T>,
): Promise<T> {
  const storagePath = newStoragePath();
  const repository = core.git.repository(storagePath);
  await insertReservation(core.db, {
    storage_path: storagePath,
    owner: nodeIdentity(core.database),
    created_at: core.clock.now(),
  });
  try {
    const filled = await fill(repository);
    return await core.database.transaction(async (tx) => {
      await deleteReservation(tx, storagePath);
      return claim(tx, storagePath, filled);
    });
  } catch (error) {
    await giveUp(core, storagePath).catch((cause: unknown) =>
      core.log.warn({ err: cause, storagePath }, 'a repository without a project stays until the next start'),
    );
    throw error;
  }
}

/** A commit whose answer was lost on the way may have happened: then the reservation is gone, and the repository stays. */
async function giveUp(core: Core, storagePath: string): Promise<void> {
  if (!(await isReserved(core.db, storagePath))) return;
  await core.git.repository(storagePath).remove();
  await deleteReservation(core.db, storagePath);
}

/** At start: deletes what processes that have ended began to make. Returns how many. */
export async function removeUnclaimedRepositories(core: Core): Promise<number> {
  let removed = 0;
  for (const { storage_path: storagePath, owner } of await listReservations(core.db)) {
    if (await isAlive(core.database, owner)) continue;
    try {
      if (await giveUpUnclaimed(core, storagePath)) removed++;
    } catch (error) {
      // It takes space and nothing else; the next start tries again.
      core.log.warn({ err: error, storagePath }, 'a repository without a project could not be removed');
    }
  }
  return removed;
}

/** A wiki that was made for a project that is still there is good as it is. */
async function giveUpUnclaimed(core: Core, storagePath: string): Promise<boolean> {
  if (await isClaimed(core.db, ownerPath(storagePath))) {
    await deleteReservation(core.db, storagePath);
    return false;
  }
  await giveUp(core, storagePath);
  return true;
}

/** The repositories of a deleted project go after the commit, by an event: at least once, whatever happens between. */
export function removeRepositoriesOfDeletedProjects(core: Core): void {
  core.events.subscribe('core.repositories', ['project.deleted'], async ({ payload }) => {
    await core.git.repository(payload.storagePath).remove();
    await core.git.repository(wikiPath(payload.storagePath)).remove();
  });
}

/** Spread over 65,536 folders as GitLab does; random, so that it tells nothing and never has to move. */
function newStoragePath(): string {
  const name = createHash('sha256').update(randomUUID()).digest('hex');
  return `@hashed/${name.slice(0, 2)}/${name.slice(2, 4)}/${name}.git`;
}
