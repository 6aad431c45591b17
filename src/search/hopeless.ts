/** Words that say nothing by themselves: those of Lucene's English list, which GitLab compares as they are written. */
const STOP_WORDS = new Set(
  `a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was will
  with`.split(/\s+/),
);

const MAX_LENGTH = 4096;
const MAX_WORDS = 64;
const MAX_WORD = 100;
/** Addresses are long. */
const MAX_ADDRESS = 200;
/** Of alternatives that `|` parts. */
const MAX_PARTS = 5;

/**
 * Whether GitLab refuses to look for this at all, because it would find everything or cost too much: it answers with nothing
 * found. An empty search is none of these.
 */
export function isHopeless(search: string, { regex = false } = {}): boolean {
  const text = search.trim();
  const words = text.split(/\s+/);
  if (text.length > MAX_LENGTH || words.length > MAX_WORDS) return true;
  // An expression is measured by the index that runs it: its bars are no alternatives of ours.
  if (regex) return false;
  const parts = text.split('|').map((part) => part.trim());
  return parts.length > MAX_PARTS || parts.some(saysNothing);
}

function saysNothing(part: string): boolean {
  const single = part !== '*' && isOneCharacter(part);
  return single || STOP_WORDS.has(part) || part.split(/\s+/).some(isTooLong);
}

const isOneCharacter = (part: string) => part.length <= 2 && [...part].length === 1;

const isTooLong = (word: string) =>
  word.length >= (/^[a-z][a-z0-9+.-]*:\/\//i.test(word) ? MAX_ADDRESS : MAX_WORD);

/** Names of branches, tags and commits hold none but these; GitLab looks up no other. */
export const isOddRef = (ref: string): boolean => !/^[\p{L}\p{N}_\-+/.!]*$/u.test(ref);
