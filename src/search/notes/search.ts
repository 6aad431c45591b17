import { loadNotePeople, presentNote } from '../../tracker/notes/entities.ts';
import { matchingPage } from '../page.ts';
import type { Search, SearchResult } from '../scope.ts';
import { textQuery } from '../text/terms.ts';
import { noteWalk } from './store.ts';

/** What people wrote in one project, on whatever they may read of it: last changed first. */
export async function searchNotes(search: Search): Promise<SearchResult> {
  const { core, text, place, viewer, baseUrl } = search;
  if (place.level !== 'project') throw new Error('notes are searched in one project');
  const query = textQuery(text);
  return matchingPage(search, {
    walk: noteWalk(core.database, { place, viewer, query }),
    query,
    counted: true,
    present: async (rows) => {
      const people = await loadNotePeople(core.db, rows);
      return rows.map((row) => presentNote(row, { people, baseUrl }));
    },
  });
}
