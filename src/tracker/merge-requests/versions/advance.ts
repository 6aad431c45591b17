import type { Core } from '../../../core/core.ts';
import type { MergeRequestRow } from '../../tables.ts';
import { updateIfState } from '../store.ts';
import { replaceCommits } from './commits-store.ts';
import { type Branches, readVersion, tipsOf } from './version.ts';

/**
 * Takes up what was pushed to the source branch: the new commit, its commits and its diff. Returns the row as it is then;
 * unchanged when nothing was pushed, or when a branch is gone (the request then stays with what it had).
 */
export async function advance(
  core: Core,
  row: MergeRequestRow,
  branches: Branches,
  userId: number | null,
): Promise<MergeRequestRow> {
  const { sourceTip, targetTip } = await tipsOf(core, branches);
  if (row.state !== 'opened' || sourceTip === null || targetTip === null || sourceTip === row.sha) return row;
  const { commits, ...version } = await readVersion(core, branches, { sourceTip, targetTip });
  const updated = await core.database.transaction(async (tx) => {
    const now = core.clock.now();
    const changes = { ...version, ...nextVersion(row, now), updated_at: now };
    const after = await updateIfState(tx, row, changes);
    if (!after) return null;
    await replaceCommits(tx, row.id, commits);
    await core.events.publish(tx, {
      type: 'merge_request.updated',
      stream: `project:${row.project_id}`,
      payload: {
        projectId: row.project_id,
        mergeRequestId: row.id,
        iid: row.iid,
        userId,
        changes: ['sha'],
      },
    });
    return after;
  });
  return updated ?? row;
}

/** What another diff means for the row: nobody knows whether it merges. */
export const nextVersion = (row: Pick<MergeRequestRow, 'version'>, now: number) => ({
  version: row.version + 1,
  versioned_at: now,
  merge_status: 'unchecked' as const,
  merge_status_of: null,
});
