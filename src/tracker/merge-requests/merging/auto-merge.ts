import type { Actor } from '../../../core/caller.ts';
import type { Core } from '../../../core/core.ts';
import { projectStream } from '../../../core/events.ts';
import { fail } from '../../../platform/errors.ts';
import type { MergeRequestRow } from '../../tables.ts';
import type { HeadPipeline } from '../ports.ts';
import { findMergeRequestById, updateMergeRequestRow } from '../store.ts';
import { noteDeeds } from '../system-notes.ts';
import type { MergeOptions } from './merge.ts';
import '../../events.ts';

/** Merging later, once the pipeline has succeeded. */

/** What is kept of the request to do so, as JSON in the row. */
export interface AutoMerge {
  /** On whose behalf. */
  userId: number;
  options: Pick<
    MergeOptions,
    'squash' | 'merge_commit_message' | 'squash_commit_message' | 'should_remove_source_branch'
  >;
}

export const autoMergeOf = (row: Pick<MergeRequestRow, 'auto_merge'>): AutoMerge | null =>
  row.auto_merge === null ? null : (JSON.parse(row.auto_merge) as AutoMerge);

const IN_PROGRESS = new Set([
  'created',
  'waiting_for_resource',
  'preparing',
  'pending',
  'running',
  'scheduled',
]);

export const isInProgress = (pipeline: HeadPipeline | null): boolean =>
  pipeline !== null && IN_PROGRESS.has(pipeline.status);

/** Leaves the merge for later. Asked for again, with other options, the last word counts. */
export async function enableAutoMerge(
  core: Core,
  row: MergeRequestRow,
  { caller, options }: { caller: Actor; options: MergeOptions },
): Promise<MergeRequestRow> {
  const { squash, merge_commit_message, squash_commit_message, should_remove_source_branch } = options;
  const autoMerge: AutoMerge = {
    userId: caller.user.id,
    options: { squash, merge_commit_message, squash_commit_message, should_remove_source_branch },
  };
  return core.database.transaction(async (tx) => {
    const changes = {
      auto_merge: JSON.stringify(autoMerge),
      merge_error: null,
      updated_at: core.clock.now(),
    };
    const updated = await updateMergeRequestRow(tx, row.id, changes);
    if (!updated) throw fail.recordNotFound();
    const body = `enabled an automatic merge when the pipeline for ${row.sha} succeeds`;
    await noteDeeds(tx, core, row, { userId: caller.user.id, bodies: [body] });
    await core.events.publish(tx, {
      type: 'merge_request.auto_merge_enabled',
      stream: projectStream(row.project_id),
      payload: { ...idsOf(row), userId: caller.user.id },
    });
    return updated;
  });
}

/** False when nothing was to be merged later. `reason` is why nobody but the service itself called it off. */
export async function cancelAutoMerge(
  core: Pick<Core, 'database' | 'events' | 'clock'>,
  { id }: Pick<MergeRequestRow, 'id'>,
  { userId, reason = null }: { userId: number | null; reason?: string | null },
): Promise<boolean> {
  return core.database.transaction(async (tx) => {
    const row = await findMergeRequestById(tx, id);
    if (!row || row.auto_merge === null) return false;
    const changes = { auto_merge: null, merge_error: reason, updated_at: core.clock.now() };
    await updateMergeRequestRow(tx, id, changes);
    await noteDeeds(tx, core, row, { userId, bodies: ['canceled the automatic merge'] });
    await core.events.publish(tx, {
      type: 'merge_request.auto_merge_canceled',
      stream: projectStream(row.project_id),
      payload: { ...idsOf(row), userId, reason },
    });
    return true;
  });
}

const idsOf = (row: MergeRequestRow) => ({
  projectId: row.project_id,
  mergeRequestId: row.id,
  iid: row.iid,
});
