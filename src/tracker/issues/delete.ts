import type { Core } from '../../core/core.ts';
import { projectStream } from '../../core/events.ts';
import { fail } from '../../platform/errors.ts';
import { idsOf } from './announce.ts';
import { deleteIssueRow } from './store.ts';
import type { IssueRow } from './tables.ts';
import '../events.ts';

/** With its notes. Its number is not given again. Throws 404 when somebody else was quicker. */
export async function deleteIssue(core: Core, row: IssueRow, userId: number): Promise<void> {
  await core.database.transaction(async (tx) => {
    if (!(await deleteIssueRow(tx, row.id))) throw fail.recordNotFound();
    const stream = projectStream(row.project_id);
    await core.events.publish(tx, { type: 'issue.deleted', stream, payload: idsOf(row, userId) });
  });
}
