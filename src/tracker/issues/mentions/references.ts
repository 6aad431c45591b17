import { withoutCode } from '../../../core/mentions/prose.ts';

/** How texts name issues: `#1`, `group/project#1`, `project#1` of the same group, or the address of the issue's page. */

export interface IssueReference {
  /** As it is written before the `#`, or the full path out of an address; null for the project at hand. */
  path: string | null;
  iid: number;
  /** Words such as `Closes` stand before it, or before the list that it is in. */
  closes: boolean;
}

/** More than any text of people has; each costs a look-up. */
const MAX_REFERENCES = 500;
/** Longer paths than projects have. */
const MAX_PATH = 1000;
const MAX_KEYWORD = 40;

/** Each closing word may be followed by a colon and `issue`; the words are GitLab's. */
const KEYWORD =
  /(?:^|[^\w])(?:clos(?:e[sd]?|ing)|fix(?:e[sd]|ing)?|resolv(?:e[sd]?|ing)|implement(?:s|ed|ing)?):?\s+(?:issues?\s+)?$/i;
const BETWEEN = /^(?:\s*,?\s+and\s+|\s*,\s*)(?:issues?\s+)?$/i;
const NUMBER = /(#|\/(?:issues|work_items)\/)(\d{1,10})(?!\w)/g;

/**
 * The issues that a text names, in its order. Text in code is left out. Takes time in proportion to the text: numbers are
 * looked for first, and what is before each of them is read backwards.
 */
export function issueReferences(source: string, baseUrl: string): IssueReference[] {
  const text = withoutCode(source);
  const found: IssueReference[] = [];
  let end = -1;
  for (const match of text.matchAll(NUMBER)) {
    const path = match[1] === '#' ? pathBefore(text, match.index) : addressBefore(text, match.index, baseUrl);
    if (path === undefined) continue;
    const start = match.index - path.length;
    const listed =
      found.at(-1)?.closes === true && BETWEEN.test(text.slice(Math.max(end, start - MAX_KEYWORD), start));
    const closes = listed || KEYWORD.test(text.slice(Math.max(0, start - MAX_KEYWORD), start));
    found.push({ path: path.path, iid: Number(match[2]), closes });
    end = match.index + match[0].length;
    if (found.length === MAX_REFERENCES) break;
  }
  return found;
}

interface Before {
  path: string | null;
  /** Characters that it takes. */
  length: number;
}

const PATH_CHAR = /[\w.\-/]/;

/** Undefined where the `#` belongs to a word or a path that is none: `&#39;`, `/a#1`. */
function pathBefore(text: string, at: number): Before | undefined {
  let start = at;
  while (start > 0 && at - start < MAX_PATH && PATH_CHAR.test(text[start - 1]!)) start--;
  const path = text.slice(start, at);
  if (path === '') return text[at - 1] === '&' ? undefined : { path: null, length: 0 };
  if (path.startsWith('/') || path.endsWith('/') || path.includes('//')) return undefined;
  return { path, length: path.length };
}

/** `https://forge/group/project/-` before `/issues/1`, of this service only. */
function addressBefore(text: string, at: number, baseUrl: string): Before | undefined {
  let start = at;
  while (start > 0 && at - start < MAX_PATH && /[^\s()<>"'\][]/.test(text[start - 1]!)) start--;
  const address = text.slice(start, at);
  if (!address.startsWith(`${baseUrl}/`)) return undefined;
  const path = address.slice(baseUrl.length + 1).replace(/\/-$/, '');
  return path.includes('/') ? { path, length: address.length } : undefined;
}
