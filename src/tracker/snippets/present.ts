import { isoTime } from '../../core/entities.ts';
import { findProjectsByIds } from '../../core/projects/store.ts';
import { presentAuthor } from '../../core/users/ghost.ts';
import { findUsersByIds } from '../../core/users/store.ts';
import type { Queryable } from '../../platform/db/tables.ts';
import type { SnippetAnswer } from './entities.ts';
import { filePathsOf } from './store.ts';
import type { SnippetRow } from './tables.ts';

/** What the files of a snippet would be called a branch of, in addresses. */
export const SNIPPET_BRANCH = 'main';

/** A page of snippets, in their order; authors, projects and files by one query each. */
export async function presentSnippets(
  db: Queryable,
  rows: readonly SnippetRow[],
  baseUrl: string,
): Promise<SnippetAnswer[]> {
  const [authors, projects, files] = await Promise.all([
    findUsersByIds(db, idsOf(rows, 'author_id')),
    findProjectsByIds(db, idsOf(rows, 'project_id')),
    filePathsOf(
      db,
      rows.map(({ id }) => id),
    ),
  ]);
  const homes = new Map(projects.map((project) => [project.id, `/${project.full_path}`]));
  return rows.map((row) => {
    const home = row.project_id === null ? '' : (homes.get(row.project_id) ?? '');
    const webUrl = `${baseUrl}${home}/-/snippets/${row.id}`;
    return {
      id: row.id,
      title: row.title,
      file_name: row.file_name,
      description: row.description,
      visibility: row.visibility,
      imported: false,
      imported_from: 'none',
      author: presentAuthor(row.author_id === null ? null : authors.get(row.author_id), baseUrl),
      created_at: isoTime(row.created_at),
      updated_at: isoTime(row.updated_at),
      project_id: row.project_id,
      web_url: webUrl,
      raw_url: `${webUrl}/raw`,
      ssh_url_to_repo: null,
      http_url_to_repo: null,
      files: (files.get(row.id) ?? []).map((path) => ({
        path,
        raw_url: `${webUrl}/raw/${SNIPPET_BRANCH}/${path.split('/').map(encodeURIComponent).join('/')}`,
      })),
    };
  });
}

export async function presentSnippet(
  db: Queryable,
  row: SnippetRow,
  baseUrl: string,
): Promise<SnippetAnswer> {
  const [answer] = await presentSnippets(db, [row], baseUrl);
  return answer!;
}

const idsOf = (rows: readonly SnippetRow[], column: 'author_id' | 'project_id'): number[] => [
  ...new Set(rows.flatMap((row) => row[column] ?? [])),
];
