import { TreeEditError, treePath } from '../../git/path-rules.ts';
import { fail } from '../../platform/errors.ts';
import { refuseLongContent } from '../content-size.ts';

/** The files of one snippet, and what may be done with them. Pure: files in, files out. */

export interface SnippetFile {
  path: string;
  content: string;
}

export interface FileAction {
  action: 'create' | 'update' | 'delete' | 'move';
  filePath?: string | null | undefined;
  previousPath?: string | null | undefined;
  content?: string | null | undefined;
}

const MAX_FILES = 10;
/** Of one file. GitLab takes 50 MB; what is longer than this belongs into a repository, and search reads all of it. */
const MAX_CONTENT_BYTES = 10 * 1024 * 1024;
const MAX_PATH_LENGTH = 255;

/** What a new snippet holds. Throws 400. */
export function newFiles(files: readonly { filePath: string; content: string }[]): SnippetFile[] {
  return changeFiles(
    [],
    files.map((file) => ({ action: 'create', ...file })),
  );
}

/** Applies the actions in their order, all or none. Throws 400 in GitLab's words. */
export function changeFiles(files: readonly SnippetFile[], actions: readonly FileAction[]): SnippetFile[] {
  const changed = files.map((file) => ({ ...file }));
  for (const action of actions) apply(changed, action);
  if (changed.length === 0) throw fail.invalid({ content: ["can't be blank"] });
  if (changed.length > MAX_FILES) {
    throw fail.invalid({ files: [`can be at most ${MAX_FILES}`] });
  }
  return changed;
}

/** What the old parameters `file_name` and `content` do to the only file. */
export function changeOnlyFile(
  [file, ...others]: readonly SnippetFile[],
  { fileName, content }: { fileName?: string | null | undefined; content?: string | null | undefined },
): SnippetFile[] {
  if (!file || others.length > 0) {
    throw fail.refused('To update Snippets with multiple files, you must use the `files` parameter');
  }
  const moved = fileName && fileName !== file.path ? cleanPath(fileName) : file.path;
  return [{ path: moved, content: checkedContent(content ?? file.content) }];
}

function apply(files: SnippetFile[], { action, filePath, previousPath, content }: FileAction): void {
  switch (action) {
    case 'create':
      add(files, { path: filePath ? cleanPath(filePath) : freeName(files), content: needed(content) });
      break;
    case 'update':
      files[indexOf(files, filePath)]!.content = checkedContent(needed(content));
      break;
    case 'delete':
      files.splice(indexOf(files, filePath), 1);
      break;
    case 'move':
      move(files, needed(previousPath), { path: cleanPath(needed(filePath)), content });
      break;
  }
}

function add(files: SnippetFile[], { path, content }: SnippetFile, at = files.length): void {
  refuseTaken(files, path);
  files.splice(at, 0, { path, content: checkedContent(content) });
}

/** Keeps its place among the others. */
function move(
  files: SnippetFile[],
  from: string,
  { path, content }: { path: string; content: string | null | undefined },
): void {
  const at = indexOf(files, from);
  const [file] = files.splice(at, 1);
  add(files, { path, content: content ?? file!.content }, at);
}

function indexOf(files: readonly SnippetFile[], path: string | null | undefined): number {
  const wanted = cleanPath(needed(path));
  const index = files.findIndex((file) => file.path === wanted);
  if (index < 0) throw fail.refused("A file with this name doesn't exist");
  return index;
}

/** No two files of one name, and no file where another one has a folder. */
function refuseTaken(files: readonly SnippetFile[], path: string): void {
  for (const { path: other } of files) {
    if (other === path) throw fail.refused('A file with this name already exists');
    if (other.startsWith(`${path}/`) || path.startsWith(`${other}/`)) {
      throw fail.refused('A directory with this name already exists');
    }
  }
}

/** As GitLab names what came without a name. */
function freeName(files: readonly SnippetFile[]): string {
  const taken = new Set(files.map(({ path }) => path));
  for (let number = 1; ; number++) {
    const name = `snippetfile${number}.txt`;
    if (!taken.has(name)) return name;
  }
}

function needed(value: string | null | undefined): string {
  if (value === null || value === undefined || value === '') {
    throw fail.refused('Snippet actions have invalid data');
  }
  return value;
}

/** A path that could stand in a repository: nothing that leads out of it or into git's own folder. */
function cleanPath(path: string): string {
  try {
    const clean = treePath(path).join('/');
    if (clean.length <= MAX_PATH_LENGTH && !/[\0-\x1f\x7f]/.test(clean) && !path.startsWith('/'))
      return clean;
  } catch (error) {
    if (!(error instanceof TreeEditError)) throw error;
  }
  throw fail.params('file_path should be a valid file path');
}

function checkedContent(content: string): string {
  refuseLongContent(content, MAX_CONTENT_BYTES);
  return content;
}
