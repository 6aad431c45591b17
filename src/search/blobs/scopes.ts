import { searchedProjects } from '../area-store.ts';
import type { CodeSearch } from '../code/code-search.ts';
import { demandNumbers } from '../page.ts';
import type { Scope, Search, SearchResult } from '../scope.ts';
import type { BlobPage, BlobSearch } from './search.ts';
import { searchBlobs, searchWikiBlobs } from './search.ts';

type Find = (search: Search, asked: BlobSearch) => Promise<BlobPage<unknown>>;

/** Names and contents of files. */
export const blobScope =
  (codeSearch: CodeSearch): Scope =>
  (search) =>
    inFiles(search, 'code', ({ core }, asked) => searchBlobs(core, codeSearch, asked));

/** Names and contents of wiki pages. */
export const wikiBlobScope =
  (codeSearch: CodeSearch): Scope =>
  (search) =>
    inFiles(search, 'wiki', ({ core }, asked) => searchWikiBlobs(core, codeSearch, asked));

async function inFiles(search: Search, kind: 'code' | 'wiki', find: Find): Promise<SearchResult> {
  const { params, place, signal, window } = search;
  const page = demandNumbers(window);
  const { items, facts, skipped } = await find(search, {
    projects: await searchedProjects(search, kind),
    ref: params.ref,
    search: params.search,
    regex: params.regex ?? false,
    caseSensitive: params.case_sensitive ?? false,
    readsCase: params.search_type === 'zoekt',
    page,
    counted: place.level === 'project',
    signal,
  });
  return {
    items,
    facts,
    headers: {
      ...(place.level !== 'project' && { 'x-search-type': 'advanced' }),
      ...(skipped > 0 && { 'x-search-skipped-projects': String(skipped) }),
    },
  };
}
