import { randomBytes } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import type { Tx } from '../../platform/db/tables.ts';
import { fail } from '../../platform/errors.ts';
import type { Events } from '../../platform/events/events.ts';
import type { NoteRow, NoteType } from '../tables.ts';
import { type Noteable, noteableColumns, noteableOf } from './noteable.ts';
import { touchNoteable } from './noteable-store.ts';
import type { NotePosition } from './positions/position.ts';
import { deleteNoteRow, insertNote, openThread, updateNoteRow } from './store.ts';
import '../events.ts';

export interface NoteDeps {
  database: Database;
  events: Events;
  clock: Clock;
}

export interface NewNote {
  noteable: Noteable;
  authorId: number;
  body: string;
  /** `thread` begins a thread that can be answered; `note` stands alone. A note with a position always begins one. */
  kind: 'note' | 'thread';
  position?: NotePosition | null;
  /** Only the team may read it. */
  internal?: boolean;
  /** When it is said to have been written; now when left out. */
  createdAt?: number | null | undefined;
  /** A thread on a merge request can be about one of its commits. */
  commitId?: string | null | undefined;
  /** Published together with others, which are told of as one. Internal notes are told of by themselves all the same. */
  inReview?: boolean;
}

/** GitLab's limit. */
const MAX_BODY = 1_000_000;

export type NewAnswer = Pick<NewNote, 'noteable' | 'authorId' | 'body' | 'createdAt' | 'inReview'>;

/** Throws 400 for a body that is blank or too long, 404 when what it is on is gone. */
export function createNote(deps: NoteDeps, input: NewNote): Promise<NoteRow> {
  return deps.database.transaction((tx) => createNoteIn(tx, deps, input));
}

/** The same within a transaction of the caller's. */
export function createNoteIn(tx: Tx, deps: NoteDeps, input: NewNote): Promise<NoteRow> {
  const type = input.position ? 'DiffNote' : input.kind === 'thread' ? 'DiscussionNote' : null;
  return write(tx, deps, { ...input, type, discussionId: newDiscussionId() });
}

/** Answers a thread; `first` is any note of it. A note that stood alone becomes a thread by this. */
export function replyToThread(deps: NoteDeps, first: NoteRow, input: NewAnswer): Promise<NoteRow> {
  return deps.database.transaction((tx) => replyIn(tx, deps, first, input));
}

/** The same within a transaction of the caller's. */
export function replyIn(tx: Tx, deps: NoteDeps, first: NoteRow, input: NewAnswer): Promise<NoteRow> {
  const type = first.type ?? 'DiscussionNote';
  const position = first.position === null ? null : (JSON.parse(first.position) as NotePosition);
  const internal = first.internal === 1;
  const { discussion_id: discussionId, commit_id: commitId } = first;
  return write(tx, deps, { ...input, type, position, internal, discussionId, commitId });
}

interface Written extends Omit<NewNote, 'kind'> {
  type: NoteType | null;
  discussionId: string;
}

async function write(tx: Tx, deps: NoteDeps, input: Written): Promise<NoteRow> {
  checkBody(input.body);
  const { noteable, position } = input;
  const columns = noteableColumns(noteable);
  const now = deps.clock.now();
  if (!(await touchNoteable(tx, noteable, now))) throw fail.recordNotFound();
  const note = await insertNote(tx, {
    ...columns,
    commit_id: columns.commit_id ?? input.commitId ?? null,
    author_id: input.authorId,
    type: input.type,
    discussion_id: input.discussionId,
    body: input.body,
    position: position ? JSON.stringify(position) : null,
    internal: input.internal ? 1 : 0,
    created_at: input.createdAt ?? now,
    updated_at: input.createdAt ?? now,
  });
  if (input.type === 'DiscussionNote') await openThread(tx, input.discussionId);
  const inReview = input.inReview === true && !input.internal;
  await announce(tx, deps, 'note.created', note, { userId: input.authorId, ...(inReview && { inReview }) });
  return note;
}

/** Changes the text. Throws 400 for one that is blank or too long, 404 when the note is gone. */
export async function updateNote(
  deps: NoteDeps,
  note: NoteRow,
  { body, userId }: { body: string; userId: number },
): Promise<NoteRow> {
  checkBody(body);
  if (body === note.body) return note;
  return deps.database.transaction(async (tx) => {
    const now = deps.clock.now();
    const updated = await updateNoteRow(tx, note.id, { body, updated_at: now });
    if (!updated) throw fail.notFound('Note');
    await touchNoteable(tx, noteableOf(note), now);
    await announce(tx, deps, 'note.updated', updated, { userId });
    return updated;
  });
}

export async function deleteNote(deps: NoteDeps, note: NoteRow, userId: number): Promise<void> {
  await deps.database.transaction(async (tx) => {
    if (await deleteNoteRow(tx, note.id)) await announce(tx, deps, 'note.deleted', note, { userId });
  });
}

/** Throws 400 for a body that is blank or too long. */
export function checkBody(body: string): void {
  if (body.trim() === '') throw fail.badRequest(`Note {note: ["can't be blank"]}`);
  if (body.length <= MAX_BODY) return;
  throw fail.badRequest(`Note {note: ["is too long (maximum is ${MAX_BODY} characters)"]}`);
}

async function announce(
  tx: Tx,
  { events }: NoteDeps,
  type: 'note.created' | 'note.updated' | 'note.deleted',
  note: NoteRow,
  by: { userId: number; inReview?: true },
): Promise<void> {
  await events.publish(tx, {
    type,
    stream: `project:${note.project_id}`,
    payload: {
      projectId: note.project_id,
      noteId: note.id,
      noteableType: note.noteable_type,
      noteableId: note.noteable_id,
      commitId: note.commit_id,
      ...by,
    },
  });
}

export const newDiscussionId = () => randomBytes(20).toString('hex');
