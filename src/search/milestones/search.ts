import { presentMilestone } from '../../tracker/milestones/entities.ts';
import { loadMilestones } from '../../tracker/milestones/store.ts';
import type { MilestoneRow } from '../../tracker/milestones/tables.ts';
import { areaOf } from '../area-store.ts';
import { matchingPage } from '../page.ts';
import type { Search, SearchResult } from '../scope.ts';
import { textQuery } from '../text/terms.ts';
import { milestoneWalk } from './store.ts';

/** Of projects, not of groups, as in GitLab; closed ones too. Last changed first. */
export async function searchMilestones(search: Search): Promise<SearchResult> {
  const query = textQuery(search.text);
  const walk = milestoneWalk(search.core.database, { query, area: await areaOf(search, 'milestones') });
  return matchingPage(search, { walk, query, present: (rows) => present(search, rows) });
}

async function present({ core, viewer, baseUrl }: Search, rows: MilestoneRow[]) {
  const placed = await loadMilestones(
    core.db,
    rows.map(({ id }) => id),
  );
  const { today } = viewer;
  return rows
    .flatMap(({ id }) => placed.get(id) ?? [])
    .map((row) => presentMilestone(row, { baseUrl, today }));
}
