import type { Tx } from '../../platform/db/tables.ts';
import type { CoreDeps } from '../core.ts';
import type { Settings } from '../settings/settings.ts';
import { inBatches } from './batches.ts';
import { branchOf, type FirstPush, firstPush } from './default-branch.ts';
import { protectDefaultBranch } from './protect-default.ts';
import { readDefaultBranch, storeDefaultBranch, touchActivity } from './ref-intents-store.ts';
import type { RefOrigin, RefProject } from './ref-updates.ts';
import './events.ts';

/** A ref that has moved: null stands for "was not there" and "is gone". */
export interface RefMove {
  ref: string;
  oldOid: string | null;
  newOid: string | null;
}

export interface RefMoveDeps extends CoreDeps {
  settings: Settings;
}

interface Moves {
  project: RefProject;
  moves: RefMove[];
  origin: RefOrigin;
}

/** A date that people read; every push of a busy project need not write it. */
const ACTIVITY_RESOLUTION_MS = 60_000;
/** Events of one transaction: about 5 ms of SQLite. */
const BATCH = 50;

/**
 * Tells the rooms that refs have moved, and does for the project what GitLab does after a push. `settle` runs in the same
 * transaction as the events, and returns those of its batch that are still to be told.
 */
export async function publishMoves(
  deps: RefMoveDeps,
  { project, moves, origin }: Moves,
  settle: (tx: Tx, batch: RefMove[]) => Promise<RefMove[]>,
): Promise<void> {
  const { database, clock, events } = deps;
  const first = await prepareFirstPush(deps, project, moves);
  const protection = first?.protect ? await deps.settings.get('default_branch_protection') : null;
  for await (const batch of inBatches(moves, BATCH)) {
    await database.transaction(
      async (tx) => {
        for (const move of await settle(tx, batch)) {
          await events.publish(tx, {
            type: project.wiki ? 'wiki.moved' : 'ref.moved',
            stream: `project:${project.id}`,
            payload: { projectId: project.id, ...move, origin },
          });
        }
        if (first) await storeDefaultBranch(tx, project.id, first.branch);
        if (first && protection !== null) {
          await protectDefaultBranch(tx, project.id, { name: first.branch, protection, now: clock.now() });
        }
        const now = clock.now();
        await touchActivity(tx, { projectId: project.id, now, before: now - ACTIVITY_RESOLUTION_MS });
      },
      { isolation: 'read committed' },
    );
  }
}

/**
 * HEAD is set before the row: after a crash between the two the intent is still there, and this runs again. Null for a wiki,
 * whose default branch is its HEAD alone and protected by nothing.
 */
async function prepareFirstPush(
  { git, database }: CoreDeps,
  project: RefProject,
  moves: RefMove[],
): Promise<FirstPush | null> {
  const created = moves
    .filter((move) => move.oldOid === null && move.newOid !== null)
    .flatMap((move) => branchOf(move.ref) ?? []);
  if (created.length === 0) return null;
  const repo = git.repository(project.storage_path);
  const current = project.wiki ? await repo.head() : await readDefaultBranch(database.db, project.id);
  const first = await firstPush(repo, current, created);
  if (first && (await repo.head()) !== first.branch) await repo.setHead(first.branch);
  return project.wiki ? null : first;
}
