/**
 * GitLab's rule of what a search finds in the texts of its database: every term as part of the same text, in any case,
 * without word boundaries, stems or signs that stand for others.
 */
export type TextQuery =
  /** Nothing was asked for. */
  | { kind: 'everything' }
  /** All of them within one text. */
  | { kind: 'parts'; terms: readonly string[] }
  /** The text as a whole: what was asked for is too short to be looked for within others. */
  | { kind: 'whole'; text: string };

/** Shorter words say too little to be looked for within a text. */
export const SHORTEST_TERM = 3;

/** A phrase in quotes is one term where blanks or the ends surround it; elsewhere a quote is a character like any other. */
const PHRASE = /(?<=^| )"([^"]+)"(?= |$)/g;

/** `shortest` is 1 where words of any length are looked for: names of projects and people. */
export function textQuery(search: string, shortest = SHORTEST_TERM): TextQuery {
  const text = search.trim().replace(/\s+/g, ' ');
  if (text === '') return { kind: 'everything' };
  const phrases = [...text.matchAll(PHRASE)].map(([, phrase]) => phrase!);
  const words = text.replace(PHRASE, '').split(' ');
  const terms = [...phrases, ...words].filter((term) => lengthOf(term) >= shortest);
  if (terms.length === 0) return { kind: 'whole', text: fold(text) };
  return { kind: 'parts', terms: [...new Set(terms.map(fold))] };
}

/** Whether one of the texts is what was asked for. */
export function matchesText(query: TextQuery, texts: readonly (string | null)[]): boolean {
  if (query.kind === 'everything') return true;
  return texts.some((text) => {
    if (text === null) return false;
    const folded = fold(text);
    return query.kind === 'whole'
      ? folded === query.text
      : query.terms.every((term) => folded.includes(term));
  });
}

/** In characters, not in UTF-16 units: both databases count so. */
export const lengthOf = (text: string): number => {
  let length = 0;
  for (const _ of text) length++;
  return length;
};

/** The same for all letter cases. JavaScript writes a sigma at the end of a word in its own way, databases do not. */
export const fold = (text: string): string => text.toLowerCase().replaceAll('ς', 'σ');

/** `see #12` is about number 12 alone. `signs` are those that the scope knows. */
export function referenceIn(search: string, signs: string): number | null {
  const found = new RegExp(`[${signs}](\\d{1,15})$`).exec(search.trim());
  return found ? Number(found[1]) : null;
}
