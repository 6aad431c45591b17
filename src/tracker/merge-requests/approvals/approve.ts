import type { ProjectAccess } from '../../../core/access/access.ts';
import type { Core } from '../../../core/core.ts';
import { projectStream } from '../../../core/events.ts';
import type { Tx } from '../../../platform/db/tables.ts';
import { fail } from '../../../platform/errors.ts';
import type { MergeRequestRow } from '../../tables.ts';
import { findMergeRequestById } from '../store.ts';
import { noteDeeds } from '../system-notes.ts';
import { deleteApproval, deleteApprovals, insertApproval, setReviewState } from './store.ts';
import '../../events.ts';

/** Free GitLab's approvals: whoever may change merge requests may give one, and none is ever needed. */

type Deps = Pick<Core, 'database' | 'events' | 'clock'>;

export const mayApprove = (access: ProjectAccess, row: MergeRequestRow): boolean =>
  row.state === 'opened' && access.can('update_merge_request');

/**
 * Throws 409 when `sha` is not the commit offered any more, 401 for who may not, or has done so already: GitLab's answers.
 */
export async function approve(
  deps: Deps,
  row: MergeRequestRow,
  { access, userId, sha }: { access: ProjectAccess; userId: number; sha: string | null | undefined },
): Promise<void> {
  if (!mayApprove(access, row)) throw fail.unauthorized();
  await deps.database.transaction(async (tx) => {
    const now = deps.clock.now();
    // Read again: a push that came since the caller looked must be seen here.
    const current = await findMergeRequestById(tx, row.id);
    if (!current) throw fail.recordNotFound();
    if (sha && sha !== current.sha) {
      throw fail.conflict(`SHA does not match HEAD of source branch: ${current.sha}`);
    }
    if (!(await insertApproval(tx, row.id, { userId, createdAt: now }))) throw fail.unauthorized();
    await setReviewState(tx, row.id, [userId], 'approved');
    await tell(deps, tx, row, 'merge_request.approved', userId);
  });
}

/** Throws 404 when the caller has not approved. */
export async function unapprove(
  deps: Deps,
  row: MergeRequestRow,
  { access, userId }: { access: ProjectAccess; userId: number },
): Promise<void> {
  if (!mayApprove(access, row)) throw fail.unauthorized();
  await deps.database.transaction(async (tx) => {
    if (!(await deleteApproval(tx, row.id, userId))) throw fail.notFound();
    await setReviewState(tx, row.id, [userId], 'unapproved');
    await tell(deps, tx, row, 'merge_request.unapproved', userId);
  });
}

/** Takes back everybody's. */
export async function resetApprovals(deps: Deps, row: MergeRequestRow): Promise<void> {
  await deps.database.transaction(async (tx) => {
    const approvers = await deleteApprovals(tx, row.id);
    await setReviewState(tx, row.id, approvers, 'unapproved');
    for (const userId of approvers) await tell(deps, tx, row, 'merge_request.unapproved', userId);
  });
}

async function tell(
  { events, clock }: Deps,
  tx: Tx,
  row: MergeRequestRow,
  type: 'merge_request.approved' | 'merge_request.unapproved',
  userId: number,
): Promise<void> {
  const body =
    type === 'merge_request.approved' ? 'approved this merge request' : 'unapproved this merge request';
  await noteDeeds(tx, { clock }, row, { userId, bodies: [body] });
  await events.publish(tx, {
    type,
    stream: projectStream(row.project_id),
    payload: { projectId: row.project_id, mergeRequestId: row.id, iid: row.iid, userId },
  });
}
