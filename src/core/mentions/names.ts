import { ownWords } from './prose.ts';

/** Names of one text that are looked up; the others tell nobody. */
export const MAX_NAMES = 200;
/** As far as names are looked for in one text, in characters. */
const MAX_LENGTH = 200_000;
/** More than paths have; what names are put into is bounded too. */
const MAX_NAME = 500;

/** `@all` names everybody who belongs to the project. */
export const ALL = 'all';

const MENTION = /(?<![\w@/])@([a-zA-Z0-9_.][a-zA-Z0-9_.\-/]*)/g;

/**
 * The names behind an `@` in a text, in lower case, each once: of users, of groups (`@group/subgroup`), or `all`. Code and
 * quotes are left out. At most `MAX_NAMES`, from the first 200,000 characters.
 */
export function mentionedNames(text: string | null | undefined): string[] {
  if (!text?.includes('@')) return [];
  const names = new Set<string>();
  for (const match of ownWords(text.slice(0, MAX_LENGTH)).matchAll(MENTION)) {
    const name = match[1]!
      .slice(0, MAX_NAME)
      .replace(/\/\/.*$/, '')
      .replace(/[./-]+$/, '')
      .toLowerCase();
    if (name !== '') names.add(name);
    if (names.size === MAX_NAMES) break;
  }
  return [...names];
}

/** Those that the text did not hold before. */
export function newlyMentioned(before: string | null, after: string | null): string[] {
  const known = new Set(mentionedNames(before));
  return mentionedNames(after).filter((name) => !known.has(name));
}
