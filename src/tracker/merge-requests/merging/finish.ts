import type { Core } from '../../../core/core.ts';
import { projectStream } from '../../../core/events.ts';
import { recordHistory } from '../../resource-events/record.ts';
import type { MergeRequestRow } from '../../tables.ts';
import { updateIfState } from '../store.ts';
import { noteDeeds } from '../system-notes.ts';

/**
 * Marks a merge request as merged, once, whoever gets there first: the request that merged it, or the event of the target
 * branch, which comes also after a crash between. Null when it was not open any more.
 */
export function markMerged(
  core: Pick<Core, 'database' | 'events' | 'clock'>,
  row: MergeRequestRow,
  { userId, mergeCommitSha }: { userId: number | null; mergeCommitSha: string | null },
): Promise<MergeRequestRow | null> {
  return core.database.transaction(async (tx) => {
    const now = core.clock.now();
    const merged = await updateIfState(
      tx,
      { id: row.id, state: 'opened' },
      {
        state: 'merged',
        merged_by_id: userId,
        merged_at: now,
        merge_commit_sha: mergeCommitSha,
        in_progress_merge_commit_sha: null,
        auto_merge: null,
        merge_status: 'can_be_merged',
        merge_error: null,
        updated_at: now,
      },
    );
    if (!merged) return null;
    const deed = { type: 'MergeRequest', id: row.id, projectId: row.project_id, userId, now } as const;
    await recordHistory(tx, deed, { state: 'merged' });
    await noteDeeds(tx, core, merged, { userId, bodies: ['merged'] });
    await core.events.publish(tx, {
      type: 'merge_request.merged',
      stream: projectStream(row.project_id),
      payload: {
        projectId: row.project_id,
        mergeRequestId: row.id,
        iid: row.iid,
        userId,
        mergeCommitSha,
        automatic: row.auto_merge !== null,
      },
    });
    return merged;
  });
}
