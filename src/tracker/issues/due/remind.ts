import type { Core } from '../../../core/core.ts';
import { projectStream } from '../../../core/events.ts';
import { advanceProgress, openIssuesDue, progressOf } from './store.ts';
import '../../events.ts';

/** Events of one transaction: SQLite takes some milliseconds for so many. */
const AT_ONCE = 100;
/** What comes to the day later has missed it, as on GitLab. */
const ALL_DONE = Number.MAX_SAFE_INTEGER;

type Deps = Pick<Core, 'database' | 'events'>;

/**
 * Announces every open issue that is due on the day, once, however often and by however many processes it is asked: how far it
 * has come is written in the transaction of the events. `stop` leaves the rest for the next time. Returns how many.
 */
export async function announceDue(deps: Deps, dueDate: string, stop?: AbortSignal): Promise<number> {
  let announced = 0;
  while (!stop?.aborted) {
    const count = await announceSome(deps, dueDate);
    if (count === 0) return announced;
    announced += count;
  }
  return announced;
}

function announceSome({ database, events }: Deps, dueDate: string): Promise<number> {
  return database.transaction(async (tx) => {
    const progress = await progressOf(tx, dueDate);
    if (progress === null) return 0;
    const issues = await openIssuesDue(tx, progress, AT_ONCE);
    if (!(await advanceProgress(tx, progress, issues.at(-1)?.id ?? ALL_DONE))) return 0;
    for (const { id: issueId, iid, project_id: projectId } of issues) {
      await events.publish(tx, {
        type: 'issue.due',
        stream: projectStream(projectId),
        payload: { projectId, issueId, iid, userId: null, dueDate },
      });
    }
    return issues.length;
  });
}
