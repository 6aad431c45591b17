import { presentSnippets } from '../../tracker/snippets/present.ts';
import type { SnippetRow } from '../../tracker/snippets/tables.ts';
import { matchingPage } from '../page.ts';
import type { Search, SearchResult } from '../scope.ts';
import { textQuery } from '../text/terms.ts';
import { contentWalk, titleWalk } from './store.ts';

/** Personal snippets and those of projects, by title, file name and description; last changed first. */
export function searchSnippetTitles(search: Search): Promise<SearchResult> {
  const { core, viewer, text } = search;
  const query = textQuery(text);
  const walk = titleWalk(core.database, { viewer, query });
  return matchingPage(search, { walk, query, counted: true, present: (rows) => present(search, rows) });
}

/** The same by what is in their files. What is found are snippets, not pieces of their files. */
export function searchSnippetBlobs(search: Search): Promise<SearchResult> {
  const { core, viewer, text } = search;
  const query = textQuery(text);
  const walk = contentWalk(core.database, { viewer, query });
  return matchingPage(search, { walk, query, counted: true, present: (rows) => present(search, rows) });
}

/** A search always has a text for the description. */
async function present({ core, baseUrl }: Search, rows: readonly SnippetRow[]) {
  const snippets = await presentSnippets(core.db, rows, baseUrl);
  return snippets.map((snippet) => ({ ...snippet, description: snippet.description ?? '' }));
}
