import { presentBasicProjects } from '../../core/projects/present-basic.ts';
import { projectsInArea } from '../area-store.ts';
import { matchingPage } from '../page.ts';
import type { Search, SearchResult } from '../scope.ts';
import { textQuery } from '../text/terms.ts';
import { projectWalk } from './store.ts';

/** By full path, full name and description; words of any length, as GitLab has it for projects. Newest first. */
export function searchProjects(search: Search): Promise<SearchResult> {
  const { core, caller, text } = search;
  const query = textQuery(text, 1);
  return matchingPage(search, {
    walk: projectWalk(core.database, { query, within: projectsInArea(search, 'projects') }),
    query,
    present: (rows) => presentBasicProjects(core, caller, rows),
  });
}
