import type { Core } from '../../core/core.ts';
import { projectStream } from '../../core/events.ts';
import type { Tx } from '../../platform/db/tables.ts';
import type { StateEvent } from './state.ts';
import type { IssueRow } from './tables.ts';
import '../events.ts';

/** What other rooms hear of issues, in the transaction in which it is done. */

export async function announceOpened(
  { events }: Pick<Core, 'events'>,
  tx: Tx,
  row: IssueRow,
  userId: number,
): Promise<void> {
  const stream = projectStream(row.project_id);
  await events.publish(tx, { type: 'issue.opened', stream, payload: idsOf(row, userId) });
}

export async function announceState(
  { events }: Pick<Core, 'events'>,
  tx: Tx,
  row: IssueRow,
  type: StateEvent,
  userId: number | null,
): Promise<void> {
  await events.publish(tx, { type, stream: projectStream(row.project_id), payload: idsOf(row, userId) });
}

type PeopleChange = { added: number[]; removed: number[] };

interface Changed {
  fields: string[];
  assignees?: PeopleChange;
  labels?: PeopleChange;
  /** Names that its texts have now and had not before. */
  mentioned: string[];
}

export async function announceChange(
  { events }: Pick<Core, 'events'>,
  tx: Tx,
  row: IssueRow,
  userId: number,
  { fields, mentioned, ...lists }: Changed,
): Promise<void> {
  const changes = [...fields, ...Object.keys(lists)];
  if (changes.length === 0) return;
  const payload = { ...idsOf(row, userId), changes, ...lists, ...(mentioned.length > 0 && { mentioned }) };
  await events.publish(tx, { type: 'issue.updated', stream: projectStream(row.project_id), payload });
}

export const idsOf = ({ id, iid, project_id: projectId }: IssueRow, userId: number | null) => ({
  projectId,
  issueId: id,
  iid,
  userId,
});

/** For the history of labels, milestones and states. */
export const deedOn = (row: IssueRow, userId: number | null, now: number) =>
  ({ type: 'Issue', id: row.id, projectId: row.project_id, userId, now }) as const;
