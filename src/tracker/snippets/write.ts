import type { Core } from '../../core/core.ts';
import type { Visibility } from '../../core/tables.ts';
import { type FieldErrors, fail } from '../../platform/errors.ts';
import { deleteCommentary } from '../notes/noteable-store.ts';
import { changeFiles, changeOnlyFile, type FileAction, newFiles, type SnippetFile } from './files.ts';
import {
  deleteSnippetRow,
  filesOf,
  insertSnippet,
  lockSnippet,
  replaceFiles,
  updateSnippet,
} from './store.ts';
import type { SnippetRow } from './tables.ts';

export interface NewSnippet {
  authorId: number;
  /** null: a personal one. */
  projectId: number | null;
  title: string;
  description?: string | null | undefined;
  visibility: Visibility;
  files: readonly { filePath: string; content: string }[];
  /** Where the call came from, for administrators. */
  userAgent: string | null;
  ipAddress: string | null;
}

/** `files` and the old pair of parameters, one or the other. */
export interface SnippetChanges {
  title?: string | null | undefined;
  description?: string | null | undefined;
  visibility?: Visibility | null | undefined;
  actions?: readonly FileAction[] | null | undefined;
  fileName?: string | null | undefined;
  content?: string | null | undefined;
}

/** Throws 400 for what no snippet can be called or hold. */
export async function createSnippet(core: Core, input: NewSnippet): Promise<SnippetRow> {
  refuseTexts(input);
  const files = newFiles(input.files);
  const now = core.clock.now();
  return core.database.transaction(async (tx) => {
    const snippet = await insertSnippet(tx, {
      project_id: input.projectId,
      author_id: input.authorId,
      owner_id: input.projectId === null ? input.authorId : null,
      title: input.title,
      file_name: files[0]!.path,
      description: input.description ?? null,
      visibility: input.visibility,
      user_agent: input.userAgent,
      ip_address: input.ipAddress,
      created_at: now,
      updated_at: now,
    });
    await replaceFiles(tx, snippet.id, files);
    return snippet;
  });
}

/** Throws 400 as `createSnippet` does, 404 when it is gone meanwhile. */
export async function changeSnippet(core: Core, id: number, changes: SnippetChanges): Promise<SnippetRow> {
  refuseTexts(changes);
  const now = core.clock.now();
  return core.database.transaction(async (tx) => {
    const snippet = await lockSnippet(tx, id, now);
    if (!snippet) throw fail.notFound('Snippet');
    const files = touchesFiles(changes) ? filesAfter(await filesOf(tx, id), changes) : null;
    if (files) await replaceFiles(tx, id, files);
    return updateSnippet(tx, id, {
      updated_at: now,
      ...(files && { file_name: files[0]!.path }),
      ...(changes.title && { title: changes.title }),
      ...(changes.description !== undefined && { description: changes.description }),
      ...(changes.visibility && { visibility: changes.visibility }),
    });
  });
}

/** With what was said about it. Throws 404 when it is gone already. */
export async function deleteSnippet(core: Core, id: number): Promise<void> {
  const wasThere = await core.database.transaction(async (tx) => {
    await deleteCommentary(tx, 'Snippet', id);
    return deleteSnippetRow(tx, id);
  });
  if (!wasThere) throw fail.notFound('Snippet');
}

const touchesFiles = ({ actions, fileName, content }: SnippetChanges): boolean =>
  [actions, fileName, content].some((value) => value !== null && value !== undefined);

const filesAfter = (files: readonly SnippetFile[], changes: SnippetChanges): SnippetFile[] =>
  changes.actions ? changeFiles(files, changes.actions) : changeOnlyFile(files, changes);

const MAX_TITLE_LENGTH = 255;
/** GitLab's bound of every description. */
const MAX_DESCRIPTION_LENGTH = 1024 * 1024;

function refuseTexts({ title, description }: Pick<SnippetChanges, 'title' | 'description'>): void {
  const problems: FieldErrors = {};
  const tooLong = (limit: number) => [`is too long (maximum is ${limit} characters)`];
  if ((title ?? '').length > MAX_TITLE_LENGTH) problems['title'] = tooLong(MAX_TITLE_LENGTH);
  if ((description ?? '').length > MAX_DESCRIPTION_LENGTH) {
    problems['description'] = tooLong(MAX_DESCRIPTION_LENGTH);
  }
  if (Object.keys(problems).length > 0) throw fail.invalid(problems);
}
