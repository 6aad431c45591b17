import { sql } from 'kysely';
import type { Viewer } from '../../core/access/store.ts';
import type { Database } from '../../platform/db/database.ts';
import type { Queryable } from '../../platform/db/tables.ts';
import type { SnippetRow } from '../../tracker/snippets/tables.ts';
import { visibleSnippet } from '../../tracker/snippets/visible-store.ts';
import { same } from '../area-store.ts';
import { idsOf, narrows, type Path } from '../text/step-store.ts';
import type { TextQuery } from '../text/terms.ts';
import type { Step, Walk } from '../text/walk.ts';

interface Asked {
  viewer: Viewer;
  query: TextQuery;
}

/** By title, file name and description. */
export function titleWalk(
  database: Pick<Database, 'db' | 'dialect'>,
  { viewer, query }: Asked,
): Walk<SnippetRow> {
  const path = pathOf(viewer, query);
  return {
    read: (step) => snippetsOf(path, database, step),
    narrows: () => narrows(path, database),
    textsOf: ({ title, file_name, description }) => [title, file_name, description],
    positionOf,
  };
}

export interface SnippetWithContents extends SnippetRow {
  contents: string[];
}

/** Files of some megabytes are no exception. */
const SAMPLE = 8;

/** By the contents of files, each for itself. */
export function contentWalk(
  database: Pick<Database, 'db' | 'dialect'>,
  { viewer, query }: Asked,
): Walk<SnippetWithContents> {
  const path: Path = { ...pathOf(viewer, query), index: 'snippet_files' };
  return {
    read: async (step) => withContents(database.db, await snippetsOf(path, database, step)),
    narrows: () => narrows(path, database),
    textsOf: ({ contents }) => contents,
    positionOf,
    sample: SAMPLE,
  };
}

const pathOf = (viewer: Viewer, query: TextQuery): Path => ({
  table: 'snippets',
  joins: sql`left join projects on projects.id = snippets.project_id
    left join namespaces on namespaces.id = projects.namespace_id`,
  area: same(visibleSnippet(viewer)),
  by: 'updated_at',
  direction: 'desc',
  query,
});

const positionOf = ({ updated_at, id }: SnippetRow) => ({ value: updated_at, id });

const snippetsOf = (
  path: Path,
  database: Pick<Database, 'db' | 'dialect'>,
  step: Step,
): Promise<SnippetRow[]> =>
  database.db
    .selectFrom('snippets')
    .selectAll()
    .where('id', 'in', idsOf(path, database, step))
    .orderBy('updated_at', 'desc')
    .orderBy('id', 'desc')
    .execute();

async function withContents(db: Queryable, snippets: SnippetRow[]): Promise<SnippetWithContents[]> {
  if (snippets.length === 0) return [];
  const files = await db
    .selectFrom('snippet_files')
    .select(['snippet_id', 'content'])
    .where(
      'snippet_id',
      'in',
      snippets.map(({ id }) => id),
    )
    .execute();
  const contents = Map.groupBy(files, ({ snippet_id }) => snippet_id);
  return snippets.map((snippet) => ({
    ...snippet,
    contents: (contents.get(snippet.id) ?? []).map(({ content }) => content),
  }));
}
