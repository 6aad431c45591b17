import { mentionedNames } from '../../core/mentions/names.ts';
import type { DeliveredEvent } from '../../platform/events/event.ts';
import type { NoteFacts } from '../sources.ts';
import type { Happening } from './happening.ts';
import { done, type HappeningDeps } from './issuables.ts';
import { textOf } from './texts.ts';

/** A comment, on whatever it is; nothing where it or the thing is gone, or where the service wrote it itself. */
export async function noteHappenings(
  { tracker }: HappeningDeps,
  event: DeliveredEvent<'note.created'>,
): Promise<Happening[]> {
  if (event.payload.inReview) return [];
  const note = await tracker.note(event.payload.noteId);
  if (note === null || note.system) return [];
  const thing = await tracker.thing(note.about);
  if (thing === null) return [];
  const told = { eventId: event.id, at: event.createdAt, userId: note.authorId };
  const act = { ...textOf(note.text), ...(note.position && { position: note.position }) };
  return [
    {
      ...done({ thing, ref: note.about, told }, 'new_note', act),
      note,
      mentions: { names: mentionedNames(note.text), authorId: note.authorId },
    },
  ];
}

/** Of a longer review the rest is behind the link. */
const MAX_NOTES = 50;

/** Comments that were published together: one mail for all of them. */
export async function reviewHappenings(
  { tracker }: HappeningDeps,
  event: DeliveredEvent<'merge_request.reviewed'>,
): Promise<Happening[]> {
  const { mergeRequestId, noteIds, userId } = event.payload;
  const ref = { type: 'MergeRequest', id: mergeRequestId } as const;
  const thing = await tracker.thing(ref);
  const notes: NoteFacts[] = [];
  for (const id of noteIds.slice(0, MAX_NOTES)) {
    const note = await tracker.note(id);
    if (note !== null && !note.internal) notes.push(note);
  }
  if (thing === null || notes.length === 0) return [];
  const told = { eventId: event.id, at: event.createdAt, userId };
  const text = textOf(notes.map(wordsOf).join('\n\n---\n\n'));
  const act = { ...text, ...(noteIds.length > MAX_NOTES && { cut: true }) };
  const names = mentionedNames(notes.map((note) => note.text).join('\n\n'));
  return [{ ...done({ thing, ref, told }, 'new_note', act), mentions: { names, authorId: userId } }];
}

function wordsOf({ position, text }: NoteFacts): string {
  if (position === null) return text;
  const place = position.line === null ? position.path : `${position.path}:${position.line}`;
  return `\`${place.replaceAll('`', "'")}\`\n\n${text}`;
}
