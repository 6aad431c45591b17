import type { Core } from '../../../core/core.ts';
import { projectStream } from '../../../core/events.ts';
import type { Tx } from '../../../platform/db/tables.ts';
import { recordHistory } from '../../resource-events/record.ts';
import type { MergeRequestRow } from '../../tables.ts';
import { fieldDeeds, noteDeeds, peopleDeeds } from '../system-notes.ts';
import '../../events.ts';

/** What a change leaves behind: history, notes and events. */

export type StateEvent = 'merge_request.closed' | 'merge_request.reopened' | null;

export type PeopleChange = { added: number[]; removed: number[] };

/** Those that have changed. */
export interface Lists {
  assignees?: PeopleChange;
  reviewers?: PeopleChange;
  labels?: PeopleChange;
}

const STATES = { 'merge_request.closed': 'closed', 'merge_request.reopened': 'reopened' } as const;

export interface Done {
  before: MergeRequestRow;
  updated: MergeRequestRow;
  lists: Lists;
  state: StateEvent;
  userId: number;
}

export async function writeHistory(
  core: Core,
  tx: Tx,
  { before, updated, lists, state, userId }: Done,
): Promise<void> {
  const { id, project_id: projectId, updated_at: now } = updated;
  const done = state ? STATES[state] : undefined;
  await recordHistory(
    tx,
    { type: 'MergeRequest', id, projectId, userId, now },
    {
      labels: lists.labels,
      milestone: { before: before.milestone_id, after: updated.milestone_id },
      state: done,
    },
  );
  const bodies = [...(done ? [done] : []), ...fieldDeeds(before, updated), ...(await peopleDeeds(tx, lists))];
  await noteDeeds(tx, core, updated, { userId, bodies });
}

interface Announced {
  userId: number;
  state: StateEvent;
  fields: string[];
  /** Names that its texts have now and had not before. */
  mentioned: string[];
  lists: Lists;
}

export async function announceChange(
  core: Core,
  tx: Tx,
  row: MergeRequestRow,
  { userId, state, fields, mentioned, lists }: Announced,
): Promise<void> {
  const ids = { projectId: row.project_id, mergeRequestId: row.id, iid: row.iid, userId };
  const stream = projectStream(row.project_id);
  if (state) await core.events.publish(tx, { type: state, stream, payload: ids });
  const changes = [...fields, ...Object.keys(lists)];
  if (changes.length === 0) return;
  const payload = { ...ids, changes, ...lists, ...(mentioned.length > 0 && { mentioned }) };
  await core.events.publish(tx, { type: 'merge_request.updated', stream, payload });
}
