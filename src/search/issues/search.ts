import { presentIssues } from '../../tracker/issues/present.ts';
import type { IssueRow } from '../../tracker/issues/tables.ts';
import { areaOf } from '../area-store.ts';
import { matchingPage } from '../page.ts';
import { orderOf } from '../params.ts';
import type { Search, SearchResult } from '../scope.ts';
import { referenceIn, textQuery } from '../text/terms.ts';
import { withoutLinks } from './entities.ts';
import { issueWalk } from './store.ts';

/** By title and description, or by number: `#12`. Confidential ones only for those whom they concern. */
export async function searchIssues(search: Search): Promise<SearchResult> {
  const { core, text, params, place, viewer, baseUrl } = search;
  const iid = referenceIn(text, '#');
  const query = textQuery(iid === null ? text : '');
  const walk = issueWalk(core.database, {
    query,
    search,
    area: await areaOf(search, 'issues'),
    state: params.state === 'all' ? null : (params.state ?? null),
    confidential: params.confidential ?? null,
    iid,
    order: orderOf(params),
  });
  const options = { baseUrl, today: viewer.today, inProject: place.level === 'project' };
  const present = async (rows: IssueRow[]) => (await presentIssues(core.db, rows, options)).map(withoutLinks);
  return matchingPage(search, { walk, query, present });
}
