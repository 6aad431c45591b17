import type { PathFilter } from '../code/code-index.ts';

/** What a caller typed into `search`, taken apart. */
export interface BlobQuery {
  /** What is left beside the filters, as one literal phrase. */
  term: string;
  filters: PathFilter[];
}

const FILTER = /^(-?)(filename|path|extension):(.*)$/s;

/**
 * GitLab's way of reading a blob search: `filename:`, `path:` and `extension:`, negated by a dash, as often as wanted; the
 * rest is text. A search of filters alone looks for a literal asterisk, as GitLab's does.
 */
export function parseBlobQuery(search: string): BlobQuery {
  const filters: PathFilter[] = [];
  const words: string[] = [];
  for (const token of tokensOf(search)) {
    const filter = filterOf(token);
    if (filter) filters.push(filter);
    else words.push(token);
  }
  return { term: words.join(' ') || '*', filters };
}

/**
 * Split at blanks that an even number of quotes follows, so that `path:"my docs/x"` stays whole. Counted, not matched: the
 * expression that says the same is quadratic in the length.
 */
function tokensOf(search: string): string[] {
  let ahead = search.split('"').length - 1;
  const tokens: string[] = [];
  let from = 0;
  for (const { 0: char, index } of search.matchAll(/["\s]/g)) {
    if (char === '"') ahead--;
    else if (ahead % 2 === 0) {
      if (index > from) tokens.push(search.slice(from, index));
      from = index + 1;
    }
  }
  if (from < search.length) tokens.push(search.slice(from));
  return tokens;
}

/** Null for what is text: `path:` without a value, or `PATH:x`. */
function filterOf(token: string): PathFilter | null {
  const [, dash, kind, input] = FILTER.exec(token) ?? [];
  if (kind === undefined || input === undefined) return null;
  const pattern = input.replaceAll(':', '').replace(/^"/, '').replace(/"$/, '').toLowerCase();
  return pattern === '' ? null : { kind: kind as PathFilter['kind'], pattern, negated: dash === '-' };
}
