import { presentMergeRequests } from '../../tracker/merge-requests/present.ts';
import { areaOf } from '../area-store.ts';
import { matchingPage } from '../page.ts';
import { orderOf } from '../params.ts';
import type { Search, SearchResult } from '../scope.ts';
import { referenceIn, textQuery } from '../text/terms.ts';
import { mergeRequestWalk } from './store.ts';

/** By title and description, or by number: `!12` and `#12`. */
export async function searchMergeRequests(search: Search): Promise<SearchResult> {
  const { core, text, params, baseUrl, place } = search;
  const iid = referenceIn(text, '#!');
  const query = textQuery(iid === null ? text : '');
  const walk = mergeRequestWalk(core.database, {
    query,
    area: await areaOf(search, 'merge_requests'),
    state: params.state === 'all' ? null : (params.state ?? null),
    iid,
    order: orderOf(params),
  });
  const inProject = place.level === 'project';
  return matchingPage(search, {
    walk,
    query,
    present: (rows) =>
      presentMergeRequests(core.db, rows, { baseUrl, today: core.access.today(), inProject }),
  });
}
