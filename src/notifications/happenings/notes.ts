import { mentionedNames } from '../../core/mentions/names.ts';
import type { DeliveredEvent } from '../../platform/events/event.ts';
import type { Happening } from './happening.ts';
import { done, type HappeningDeps } from './issuables.ts';
import { textOf } from './texts.ts';

/** A comment, on whatever it is; nothing where it or the thing is gone, or where the service wrote it itself. */
export async function noteHappenings(
  { tracker }: HappeningDeps,
  event: DeliveredEvent<'note.created'>,
): Promise<Happening[]> {
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
