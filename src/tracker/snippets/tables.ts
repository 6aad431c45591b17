import type { Generated, Selectable } from 'kysely';
import type { Visibility } from '../../core/tables.ts';

/** Rows as both databases hold them: times in ms. `../migrations/0008-snippets-wikis.sql` has the indexes. */

export interface SnippetsTable {
  id: Generated<number>;
  /** null: a personal snippet. */
  project_id: number | null;
  /** null: whoever wrote it is gone. */
  author_id: number | null;
  /** The author of a personal snippet, which goes with him; null in a project, where what he wrote stays. */
  owner_id: number | null;
  title: string;
  /** Of the first file; kept here for lists and search. */
  file_name: string;
  description: string | null;
  visibility: Generated<Visibility>;
  /** With which program and from where it was made, for administrators. */
  user_agent: string | null;
  ip_address: string | null;
  created_at: number;
  updated_at: number;
}

export interface SnippetFilesTable {
  snippet_id: number;
  /** From 0, in the order in which they were added. */
  position: number;
  path: string;
  content: string;
}

export type SnippetRow = Selectable<SnippetsTable>;
export type SnippetFileRow = Selectable<SnippetFilesTable>;

declare module '../../platform/db/tables.ts' {
  interface Tables {
    snippets: SnippetsTable;
    snippet_files: SnippetFilesTable;
  }
}
