import { randomBytes } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import type { Tx } from '../../platform/db/tables.ts';
import { fail } from '../../platform/errors.ts';
import type { Events } from '../../platform/events/events.ts';
import type { NoteRow, NoteType } from '../tables.ts';
import { type Noteable, noteableColumns } from './noteable.ts';
import type { NotePosition } from './position.ts';
import { deleteNoteRow, insertNote, openThread, touchMergeRequest, updateNoteRow } from './store.ts';
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
  system?: boolean;
  internal?: boolean;
}

/** GitLab's limit. */
const MAX_BODY = 1_000_000;

/** Throws 400 for a body that is blank or too long. */
export async function createNote(deps: NoteDeps, input: NewNote): Promise<NoteRow> {
  const type = input.position ? 'DiffNote' : input.kind === 'thread' ? 'DiscussionNote' : null;
  return writeNote(deps, { ...input, type, discussionId: newDiscussionId() });
}

/** Answers a thread; `first` is any note of it. A note that stood alone becomes a thread by this. */
export async function replyToThread(
  deps: NoteDeps,
  first: NoteRow,
  input: Pick<NewNote, 'noteable' | 'authorId' | 'body'>,
): Promise<NoteRow> {
  const type = first.type ?? 'DiscussionNote';
  const position = first.position === null ? null : (JSON.parse(first.position) as NotePosition);
  const internal = first.internal === 1;
  return writeNote(deps, { ...input, type, position, internal, discussionId: first.discussion_id });
}

interface Written extends Omit<NewNote, 'kind'> {
  type: NoteType | null;
  discussionId: string;
}

async function writeNote(deps: NoteDeps, input: Written): Promise<NoteRow> {
  checkBody(input.body);
  const { noteable, position } = input;
  return deps.database.transaction(async (tx) => {
    const now = deps.clock.now();
    const note = await insertNote(tx, {
      ...noteableColumns(noteable),
      author_id: input.authorId,
      type: input.type,
      discussion_id: input.discussionId,
      body: input.body,
      position: position ? JSON.stringify(position) : null,
      system: input.system ? 1 : 0,
      internal: input.internal ? 1 : 0,
      created_at: now,
      updated_at: now,
    });
    if (input.type === 'DiscussionNote') await openThread(tx, input.discussionId);
    if (noteable.type === 'MergeRequest') await touchMergeRequest(tx, noteable.id, now);
    await announce(tx, deps, 'note.created', note, input.authorId);
    return note;
  });
}

/** Changes the text. Throws 400 for one that is blank or too long. */
export async function updateNote(
  deps: NoteDeps,
  note: NoteRow,
  { body, userId }: { body: string; userId: number },
): Promise<NoteRow> {
  checkBody(body);
  if (body === note.body) return note;
  return deps.database.transaction(async (tx) => {
    const updated = await updateNoteRow(tx, note.id, { body, updated_at: deps.clock.now() });
    await announce(tx, deps, 'note.updated', updated, userId);
    return updated;
  });
}

export async function deleteNote(deps: NoteDeps, note: NoteRow, userId: number): Promise<void> {
  await deps.database.transaction(async (tx) => {
    if (await deleteNoteRow(tx, note.id)) await announce(tx, deps, 'note.deleted', note, userId);
  });
}

function checkBody(body: string): void {
  if (body.trim() === '') throw fail.badRequest(`Note {note: ["can't be blank"]}`);
  if (body.length <= MAX_BODY) return;
  throw fail.badRequest(`Note {note: ["is too long (maximum is ${MAX_BODY} characters)"]}`);
}

async function announce(
  tx: Tx,
  { events }: NoteDeps,
  type: 'note.created' | 'note.updated' | 'note.deleted',
  note: NoteRow,
  userId: number,
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
      userId,
    },
  });
}

const newDiscussionId = () => randomBytes(20).toString('hex');
