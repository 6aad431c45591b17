import type { PathFilter } from '../code/code-index.ts';

/** What a caller typed into `search`, taken apart. */
export interface BlobQuery {
  /** What is left beside the filters, as one phrase; empty when nothing is. */
  term: string;
  filters: PathFilter[];
  /** What `case:` says, where that is read. */
  caseSensitive?: boolean;
}

const FILTER = /^(-?)(filename|path|extension):(.*)$/s;
const CASE = /^case:(yes|no)$/;

/**
 * GitLab's way of reading a blob search: `filename:`, `path:` and `extension:`, negated by a dash, as often as wanted; the
 * rest is text. Its exact code search reads `case:yes` and `case:no` besides, which are text like any other elsewhere.
 */
export function parseBlobQuery(search: string, { readsCase = false } = {}): BlobQuery {
  const query: BlobQuery = { term: '', filters: [] };
  const words: string[] = [];
  for (const token of tokensOf(search)) {
    const filter = filterOf(token);
    const said = readsCase ? CASE.exec(token)?.[1] : undefined;
    if (filter) query.filters.push(filter);
    else if (said) query.caseSensitive = said === 'yes';
    else words.push(token);
  }
  return { ...query, term: words.join(' ') };
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
