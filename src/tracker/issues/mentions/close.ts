import type { Core } from '../../../core/core.ts';
import { projectStream } from '../../../core/events.ts';
import { findProjectById } from '../../../core/projects/store.ts';
import { findUser } from '../../../core/users/store.ts';
import { systemNote } from '../../notes/system-note.ts';
import { recordHistory } from '../../resource-events/record.ts';
import type { MergeRequestRow } from '../../tables.ts';
import { deedOn, idsOf } from '../announce.ts';
import { editRight } from '../rights.ts';
import { stateChange } from '../state.ts';
import { findIssueById, updateIssueRow } from '../store.ts';
import type { IssueRow } from '../tables.ts';
import { issuesToClose, markClosed } from './store.ts';

/** Closes what the merged request says it closes, as far as whoever merged it may. Each once, however often it is asked. */
export async function closeMentioned(core: Core, merged: MergeRequestRow, userId: number): Promise<void> {
  for (const issueId of await issuesToClose(core.db, merged.id)) {
    const issue = await findIssueById(core.db, issueId);
    if (issue && (await mayClose(core, issue, userId))) await closeBy(core, merged, issue, userId);
  }
}

async function mayClose(core: Core, issue: IssueRow, userId: number): Promise<boolean> {
  const user = await findUser(core.db, userId);
  const project = await findProjectById(core.db, issue.project_id);
  if (!user || !project) return false;
  const access = await core.access.project({ user, admin: user.is_admin === 1 }, project);
  return (await editRight(core.db, access, issue)) !== 'nothing';
}

async function closeBy(core: Core, merged: MergeRequestRow, { id }: IssueRow, userId: number): Promise<void> {
  const from = await findProjectById(core.db, merged.project_id);
  await core.database.transaction(async (tx) => {
    if (!(await markClosed(tx, merged.id, id))) return;
    const issue = await findIssueById(tx, id);
    const now = core.clock.now();
    const { changes, event } = issue
      ? stateChange(issue, 'close', { userId, now })
      : { changes: {}, event: null };
    if (!issue || !event) return;
    await updateIssueRow(tx, id, { ...changes, updated_at: now });
    await recordHistory(tx, deedOn(issue, userId, now), { state: 'closed' });
    const place = issue.project_id === merged.project_id ? '' : (from?.full_path ?? '');
    const noteable = { projectId: issue.project_id, type: 'Issue', id, iid: issue.iid } as const;
    const body = `closed via merge request ${place}!${merged.iid}`;
    await systemNote(tx, core, { noteable, authorId: userId, body });
    const payload = { ...idsOf(issue, userId), mergeRequestId: merged.id };
    await core.events.publish(tx, { type: 'issue.closed', stream: projectStream(issue.project_id), payload });
  });
}
