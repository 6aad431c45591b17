import { projectStream } from '../../../../core/events.ts';
import type { Tx } from '../../../../platform/db/tables.ts';
import type { NoteRow } from '../../../tables.ts';
import { findDiscussion } from '../../discussions.ts';
import type { NumberedNoteable } from '../../noteable.ts';
import { createNoteIn, type NoteDeps, replyIn } from '../../notes.ts';
import type { NotePosition } from '../../positions/position.ts';
import type { NoteFilter } from '../../store.ts';
import { resolveThreadIn } from '../resolve.ts';
import { takeDrafts } from './store.ts';
import type { DraftNoteRow } from './tables.ts';

export interface Publication {
  noteable: NumberedNoteable;
  authorId: number;
  /** Threads that he may read by now; what answers another one begins a thread of its own. */
  readable: NoteFilter;
  mayResolve: boolean;
}

/**
 * Makes notes of somebody's drafts on a merge request, all of them or one, in one step. Threads are resolved when all is
 * said, so that "resolved all threads" is written only where it is so. Answers how many drafts there were.
 */
export function publishDrafts(deps: NoteDeps, publication: Publication, id?: number): Promise<number> {
  const { noteable, authorId, mayResolve } = publication;
  return deps.database.transaction(async (tx) => {
    const drafts = await takeDrafts(tx, { mergeRequestId: noteable.id, authorId }, id);
    const inReview = drafts.length > 1;
    const ends: NoteRow[] = [];
    const told: number[] = [];
    for (const draft of drafts) {
      const note = await publish(tx, deps, draft, { ...publication, inReview });
      if (inReview && note.internal === 0) told.push(note.id);
      if (draft.resolve_discussion === 1 && note.discussion_id === draft.discussion_id) ends.push(note);
    }
    if (told.length > 0) await announceReview(tx, deps, publication, told);
    if (!mayResolve) return drafts.length;
    const resolution = { noteable, resolved: true, userId: authorId };
    for (const note of ends) await resolveThreadIn(tx, deps, note, resolution);
    return drafts.length;
  });
}

async function announceReview(
  tx: Tx,
  { events }: NoteDeps,
  { noteable, authorId }: Publication,
  noteIds: number[],
): Promise<void> {
  const { projectId, id: mergeRequestId, iid } = noteable;
  await events.publish(tx, {
    type: 'merge_request.reviewed',
    stream: projectStream(projectId),
    payload: { projectId, mergeRequestId, iid: iid ?? 0, userId: authorId, noteIds },
  });
}

async function publish(
  tx: Tx,
  deps: NoteDeps,
  draft: DraftNoteRow,
  { noteable, authorId, readable, inReview }: Publication & { inReview: boolean },
): Promise<NoteRow> {
  const { note: body, discussion_id: discussionId, commit_id: commitId } = draft;
  const thread = discussionId && (await findDiscussion(tx, noteable, discussionId, readable));
  const first = thread ? thread.notes[0] : undefined;
  if (first) return replyIn(tx, deps, first, { noteable, authorId, body, inReview });
  const position = draft.position === null ? null : (JSON.parse(draft.position) as NotePosition);
  return createNoteIn(tx, deps, { noteable, authorId, body, kind: 'thread', position, commitId, inReview });
}
