import { fail } from '../../platform/errors.ts';
import { type Static, Type } from '../../platform/http/schema.ts';
import type { ArchiveIndex } from './zip/archive-index.ts';

export const TreeEntry = Type.Object(
  {
    name: Type.String(),
    path: Type.String(),
    type: Type.String(),
    size: Type.Optional(Type.Integer()),
    mode: Type.String(),
  },
  { $id: 'JobArtifactTreeEntry' },
);

type Entry = Static<typeof TreeEntry>;

/** What is in a folder of the archive, folders first, also those that have no entry of their own. Throws 404 where there is no such folder. */
export function listTree(index: ArchiveIndex, folder: string, recursive: boolean): Entry[] {
  const prefix = folder === '' || folder.endsWith('/') ? folder : `${folder}/`;
  const folders = new Map<string, Entry>();
  const files: Entry[] = [];
  let isThere = prefix === '';
  for (const path of index.paths()) {
    if (!path.startsWith(prefix)) continue;
    isThere = true;
    const rest = path.slice(prefix.length);
    for (const inner of foldersIn(rest, recursive)) {
      const at = prefix + inner;
      if (!folders.has(at)) folders.set(at, folderEntry(index, at));
    }
    const isHere = recursive ? !rest.endsWith('/') : !rest.includes('/');
    if (rest !== '' && isHere) files.push(fileEntry(index, path));
  }
  if (!isThere) throw fail.notFound('Path');
  const byPath = (a: Entry, b: Entry) => (a.path < b.path ? -1 : 1);
  return [...[...folders.values()].sort(byPath), ...files.sort(byPath)];
}

/** `a/b/c` is in `a/` and `a/b/`; only the first counts where what is below is not asked for. */
function* foldersIn(path: string, recursive: boolean): Generator<string> {
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) {
    yield path.slice(0, at + 1);
    if (!recursive) return;
  }
}

const modeText = (mode: number) => mode.toString(8).padStart(6, '0');

function folderEntry(index: ArchiveIndex, path: string): Entry {
  const mode = index.find(path)?.mode ?? 0;
  return { name: lastName(path), path, type: 'directory', mode: modeText(mode) };
}

function fileEntry(index: ArchiveIndex, path: string): Entry {
  const { size, mode } = index.find(path)!;
  return { name: lastName(path), path, type: 'file', size, mode: modeText(mode) };
}

const lastName = (path: string): string => path.replace(/\/$/, '').split('/').at(-1) ?? '';
