import type { Page, PageFacts } from '../../platform/http/pagination.ts';
import type { CodeHit } from '../code/code-index.ts';
import type { CodeSearchAnswer } from '../code/code-search.ts';

export interface PageRules {
  page: Page;
  /** Whether GitLab tells how many there are. */
  counted: boolean;
  /** Whether filters narrow the search: GitLab counts all of its hits then. */
  filtered: boolean;
}

export interface HitPage {
  hits: CodeHit[];
  facts: PageFacts;
  skipped: number;
}

type Part = 'names' | 'contents';

/** How many hits to look for, and how many of them may be on the page. */
export interface Wanted {
  limit: number;
  shown: number;
  /** With names: what is wanted of the contents if these are not enough. To be answered with them, or when it is asked for. */
  contents?: Pick<Wanted, 'limit' | 'shown'>;
}

/**
 * GitLab looks for so many stretches, and for those of the pages before: the total of a frequent term grows with the page. Of
 * names, and of stretches where filters narrow, it looks for all, however many; we tell no total then, because a thousand of them
 * take 50 ms, and a page of them 1.
 */
const CAP = 100;

/** One page over the hits in names and then those in contents. Nothing is looked for that neither it nor a total needs. */
export async function pageOfHits(
  { page, counted, filtered }: PageRules,
  search: (part: Part, wanted: Wanted) => Promise<CodeSearchAnswer>,
): Promise<HitPage> {
  const end = page.offset + page.perPage;
  // One beyond the page in any case: on GitLab a page of 100 never has a next one.
  const cap = Math.max(CAP + page.offset, end + 1);
  const limit = counted ? cap : end + 1;
  const names = await search('names', { limit, shown: end, contents: { limit, shown: end } });
  if (names.truncated) return result({ page, counted: false }, names, NOTHING);
  const rest = { limit: counted ? cap : limit - names.found, shown: Math.max(0, end - names.found) };
  const contents = names.contents ?? (await search('contents', rest));
  return result({ page, counted: counted && (!contents.truncated || !filtered) }, names, contents);
}

const NOTHING: CodeSearchAnswer = { hits: [], found: 0, truncated: false, skipped: 0 };

function result(
  { page, counted }: Omit<PageRules, 'filtered'>,
  names: CodeSearchAnswer,
  contents: CodeSearchAnswer,
): HitPage {
  const end = page.offset + page.perPage;
  const total = names.found + contents.found;
  return {
    hits: [...names.hits, ...contents.hits].slice(page.offset, end),
    facts: counted ? { total } : { hasNext: total > end },
    skipped: Math.max(names.skipped, contents.skipped),
  };
}
