import type { updateIssueRow } from './store.ts';
import type { IssueRow } from './tables.ts';

type Changes = Parameters<typeof updateIssueRow>[2];

export type StateEvent = 'issue.closed' | 'issue.reopened';

/** What closing or reopening means for the row; nothing where it is so already. */
export function stateChange(
  row: IssueRow,
  event: 'close' | 'reopen' | null | undefined,
  { userId, now }: { userId: number | null; now: number },
): { changes: Changes; event: StateEvent | null } {
  if (event === 'close' && row.state === 'opened') {
    return { changes: { state: 'closed', closed_by_id: userId, closed_at: now }, event: 'issue.closed' };
  }
  if (event === 'reopen' && row.state === 'closed') {
    return { changes: { state: 'opened', closed_by_id: null, closed_at: null }, event: 'issue.reopened' };
  }
  return { changes: {}, event: null };
}

/** How the history of states calls them. */
export const HISTORY = { 'issue.closed': 'closed', 'issue.reopened': 'reopened' } as const;
