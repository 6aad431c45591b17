import type { Caller } from '../../../core/caller.ts';
import type { Core } from '../../../core/core.ts';
import { projectStream } from '../../../core/events.ts';
import { branchRights } from '../../../core/repository/push-rules.ts';
import { fail } from '../../../platform/errors.ts';
import type { MergeRequestRow } from '../../tables.ts';
import type { Sides } from '../branches.ts';
import { findMergeRequestById, updateMergeRequestRow } from '../store.ts';
import { tipOf } from '../versions/version.ts';
import '../../events.ts';

/**
 * Asks for the source branch to be put on top of the target branch; the event does it. Throws 403 for who may not push there,
 * 409 when the request is not open or is being rebased already.
 */
export async function requestRebase(
  core: Core,
  row: MergeRequestRow,
  { caller, sides, skipCi }: { caller: Caller; sides: Sides; skipCi: boolean },
): Promise<void> {
  await demandForcePush(core, caller, sides);
  await core.database.transaction(async (tx) => {
    const current = await findMergeRequestById(tx, row.id);
    if (current?.state !== 'opened' || current.rebase_in_progress === 1) throw busy();
    await updateMergeRequestRow(tx, row.id, { rebase_in_progress: 1, merge_error: null });
    await core.events.publish(tx, {
      type: 'merge_request.rebase_requested',
      stream: projectStream(row.project_id),
      payload: {
        projectId: row.project_id,
        mergeRequestId: row.id,
        iid: row.iid,
        userId: caller.user.id,
        skipCi,
      },
    });
  });
}

const busy = () =>
  fail.conflict(
    'Failed to enqueue the rebase operation, possibly due to a long-lived transaction. Try again later.',
  );

async function demandForcePush(core: Core, caller: Caller, { source }: Sides): Promise<void> {
  if (!source || (await tipOf(core, source)) === null) throw fail.forbidden('Source branch does not exist');
  const { project, branch } = source;
  const access = await core.access.project(caller, project);
  const rights = await branchRights({ core, project, access }, branch);
  if (!rights.mayPush) throw fail.forbidden('Cannot push to source branch');
  if (rights.protected && !rights.mayForcePush) {
    throw fail.forbidden('Source branch is protected from force push');
  }
}
