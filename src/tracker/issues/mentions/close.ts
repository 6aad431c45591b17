import type { Core } from '../../../core/core.ts';
import { projectStream } from '../../../core/events.ts';
import { findProjectById } from '../../../core/projects/store.ts';
import { findUser } from '../../../core/users/store.ts';
import type { Tx } from '../../../platform/db/tables.ts';
import { systemNote } from '../../notes/system-note.ts';
import { recordHistory } from '../../resource-events/record.ts';
import type { MergeRequestRow } from '../../tables.ts';
import { deedOn, idsOf } from '../announce.ts';
import { editRight } from '../rights.ts';
import { stateChange } from '../state.ts';
import { findIssueById, updateIssueRow } from '../store.ts';
import type { IssueRow } from '../tables.ts';
import { hasSystemNote, issuesToClose, markClosed } from './store.ts';

/** What closes an issue: a merge request, or a commit that says so. */
interface Closing {
  /** Who merged or pushed: issues are closed as far as he may. */
  userId: number;
  fromProjectId: number;
  /** `merge request` or `commit`, and the name of it as seen from its own project. */
  what: string;
  reference: string;
  mergeRequestId?: number;
  /** Writes down that it has closed the issue. False when it had done so before: an issue that was reopened since stays open. */
  markOnce(tx: Tx, issueId: number, note: string): Promise<boolean>;
}

/** Closes what the merged request says it closes, as far as whoever merged it may. Each once, however often it is asked. */
export async function closeMentioned(core: Core, merged: MergeRequestRow, userId: number): Promise<void> {
  const closing: Closing = {
    userId,
    fromProjectId: merged.project_id,
    what: 'merge request',
    reference: `!${merged.iid}`,
    mergeRequestId: merged.id,
    markOnce: (tx, issueId) => markClosed(tx, merged.id, issueId),
  };
  await closeAll(core, await issuesToClose(core.db, merged.id), closing);
}

/** Closes the issues that a commit on the default branch names with a closing word. Each once, however often it is asked. */
export async function closeByCommit(
  core: Core,
  issueIds: Iterable<number>,
  commit: { id: string; projectId: number; userId: number },
): Promise<void> {
  await closeAll(core, issueIds, {
    ...commit,
    fromProjectId: commit.projectId,
    what: 'commit',
    reference: commit.id,
    markOnce: async (tx, issueId, note) => !(await hasSystemNote(tx, issueId, note)),
  });
}

async function closeAll(core: Core, issueIds: Iterable<number>, closing: Closing): Promise<void> {
  for (const issueId of issueIds) {
    const issue = await findIssueById(core.db, issueId);
    if (issue && (await mayClose(core, issue, closing.userId))) await closeBy(core, closing, issue);
  }
}

async function mayClose(core: Core, issue: IssueRow, userId: number): Promise<boolean> {
  const user = await findUser(core.db, userId);
  const project = await findProjectById(core.db, issue.project_id);
  if (!user || !project) return false;
  const access = await core.access.project({ user, admin: user.is_admin === 1 }, project);
  return (await editRight(core.db, access, issue)) !== 'nothing';
}

async function closeBy(core: Core, closing: Closing, { id, project_id }: IssueRow): Promise<void> {
  const { userId, mergeRequestId } = closing;
  const note = await noteOf(core, closing, project_id);
  await core.database.transaction(async (tx) => {
    if (!(await closing.markOnce(tx, id, note))) return;
    const issue = await findIssueById(tx, id);
    const now = core.clock.now();
    const { changes, event } = issue
      ? stateChange(issue, 'close', { userId, now })
      : { changes: {}, event: null };
    if (!issue || !event) return;
    await updateIssueRow(tx, id, { ...changes, updated_at: now });
    await recordHistory(tx, deedOn(issue, userId, now), { state: 'closed' });
    const noteable = { projectId: issue.project_id, type: 'Issue', id, iid: issue.iid } as const;
    await systemNote(tx, core, { noteable, authorId: userId, body: note });
    const payload = { ...idsOf(issue, userId), ...(mergeRequestId !== undefined && { mergeRequestId }) };
    await core.events.publish(tx, { type: 'issue.closed', stream: projectStream(issue.project_id), payload });
  });
}

async function noteOf(core: Core, { fromProjectId, what, reference }: Closing, projectId: number) {
  const isHome = projectId === fromProjectId;
  const from = isHome ? undefined : await findProjectById(core.db, fromProjectId);
  const separator = what === 'commit' && from ? '@' : '';
  return `closed via ${what} ${from?.full_path ?? ''}${separator}${reference}`;
}
