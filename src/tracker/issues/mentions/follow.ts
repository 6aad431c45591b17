import type { Core } from '../../../core/core.ts';
import { findMergeRequestById } from '../../merge-requests/store.ts';
import { closeMentioned } from './close.ts';
import { recordMentions } from './record.ts';
import '../../events.ts';

/** Issues follow the merge requests that name them. Every step may come twice. */
export function followMergeRequests(core: Core): void {
  core.events.subscribe(
    'tracker.issue-mentions',
    ['merge_request.opened', 'merge_request.updated', 'merge_request.reopened'],
    async ({ payload: { mergeRequestId } }) => {
      const row = await findMergeRequestById(core.db, mergeRequestId);
      if (row) await recordMentions(core, row);
    },
  );
  core.events.subscribe(
    'tracker.closing-issues',
    ['merge_request.merged'],
    async ({ payload: { mergeRequestId, userId } }) => {
      const row = await findMergeRequestById(core.db, mergeRequestId);
      if (!row || userId === null) return;
      // what changed last may not have been written down yet: the two subscriptions do not wait for each other
      await recordMentions(core, row);
      await closeMentioned(core, row, userId);
    },
  );
}
