import type { Clock } from '../../platform/clock.ts';
import type { Tx } from '../../platform/db/tables.ts';
import { type PeopleChange, peopleDeeds } from '../merge-requests/system-notes.ts';
import { systemNote } from '../notes/system-note.ts';
import type { IssueRow } from './tables.ts';

interface Change {
  before: IssueRow;
  after: IssueRow;
  assignees: PeopleChange | undefined;
  userId: number;
}

/** Writes down among the notes what somebody changed, in GitLab's words. */
export async function noteChange(tx: Tx, deps: { clock: Clock }, change: Change): Promise<void> {
  const { project_id: projectId, id, iid } = change.after;
  const noteable = { projectId, type: 'Issue', id, iid } as const;
  const people = change.assignees ? { assignees: change.assignees } : {};
  for (const body of [...deeds(change), ...(await peopleDeeds(tx, people))]) {
    await systemNote(tx, deps, { noteable, authorId: change.userId, body });
  }
}

function deeds({ before, after }: Change): string[] {
  const changed = (field: keyof IssueRow) => before[field] !== after[field];
  return [
    ...(changed('title') ? [`changed title from **${before.title}** to **${after.title}**`] : []),
    ...(changed('description') ? ['changed the description'] : []),
    ...(changed('due_date') ? [dueDate(after.due_date)] : []),
    ...(changed('confidential') ? [confidentiality(after)] : []),
    ...(changed('discussion_locked') ? [lock(after)] : []),
    ...(changed('state') ? [after.state === 'closed' ? 'closed' : 'reopened'] : []),
  ];
}

const confidentiality = ({ confidential }: IssueRow) =>
  confidential === 1 ? 'made the issue confidential' : 'made the issue visible to everyone';

const lock = ({ discussion_locked: locked }: IssueRow) =>
  `${locked === 1 ? 'locked' : 'unlocked'} the discussion in this issue`;

const LONG_DATE = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' });

const dueDate = (day: string | null) =>
  day === null ? 'removed due date' : `changed due date to ${LONG_DATE.format(new Date(`${day}T00:00:00Z`))}`;
