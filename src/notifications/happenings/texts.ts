import { mentionedNames } from '../../core/mentions/names.ts';
import { MAX_TEXT, type NoticeAct } from '../notice.ts';
import type { ThingFacts } from '../sources.ts';
import type { Mentions } from './happening.ts';

/** As much of a text as a mail carries. */
export function textOf(text: string | null): Pick<NoticeAct, 'text' | 'cut'> {
  if (text === null || text.trim() === '') return {};
  return text.length <= MAX_TEXT ? { text } : { text: text.slice(0, MAX_TEXT), cut: true };
}

/** Who is named in what a thing begins with. */
export const mentionsOfThing = ({ title, description, authorId }: ThingFacts): Mentions => ({
  names: mentionedNames(`${title}\n\n${description ?? ''}`),
  authorId,
});
