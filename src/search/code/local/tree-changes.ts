import { GitFailed } from '../../../git/process.ts';
import { type GitSource, gitList } from './git-reader.ts';
import type { CorpusChange, PathChange } from './write-store.ts';

const TAB = 0x09;
const ID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** What to change so that a corpus that holds the tree of `since` (null: nothing) holds that of `commit`. */
export async function readChange(
  corpus: { name: string; commit: string } & GitSource,
  since: string | null,
  signal?: AbortSignal,
): Promise<CorpusChange> {
  const { name, repository, commit } = corpus;
  if (!ID.test(commit)) throw new Error(`not a commit id: ${JSON.stringify(commit)}`);
  const paths = since === null ? null : await difference(corpus, since, commit, signal);
  if (paths) return { name, repository, commit, since, paths };
  return { name, repository, commit, since: null, paths: await wholeTree(corpus, commit, signal) };
}

/** Null when the old commit, or a part of its tree, is gone: after a force push git may have dropped it. */
async function difference(
  source: GitSource,
  from: string,
  to: string,
  signal: AbortSignal | undefined,
): Promise<PathChange[] | null> {
  const args = ['diff-tree', '-r', '-z', '--raw', '--no-renames', '--no-abbrev', '--no-ext-diff', from, to];
  try {
    return parseDifference(await gitList(source, args, signal));
  } catch (error) {
    if (error instanceof GitFailed) return null;
    throw error;
  }
}

async function wholeTree(source: GitSource, commit: string, signal?: AbortSignal): Promise<PathChange[]> {
  const listed = await gitList(source, ['ls-tree', '-r', '-z', '--full-tree', commit], signal);
  return parseTree(listed);
}

/** `100644 blob <id>\t<path>\0`. Submodules and symbolic links have no lines of their own. */
function parseTree(listed: Buffer): PathChange[] {
  const changes: PathChange[] = [];
  for (let at = 0; at < listed.length; ) {
    const tab = listed.indexOf(TAB, at);
    const end = listed.indexOf(0, tab);
    const [mode = '', , oid = ''] = listed.toString('latin1', at, tab).split(' ');
    if (isRegular(mode)) changes.push({ path: copyOf(listed, tab + 1, end), oid });
    at = end + 1;
  }
  return changes;
}

/** `:<old mode> <new mode> <old id> <new id> <status>\0<path>\0`. A path that becomes a link or a submodule is gone. */
function parseDifference(listed: Buffer): PathChange[] {
  const changes: PathChange[] = [];
  for (let at = 0; at < listed.length; ) {
    const mid = listed.indexOf(0, at);
    const end = listed.indexOf(0, mid + 1);
    const [, mode = '', , oid = ''] = listed.toString('latin1', at + 1, mid).split(' ');
    changes.push({ path: copyOf(listed, mid + 1, end), oid: isRegular(mode) ? oid : null });
    at = end + 1;
  }
  return changes;
}

/** Old histories have group-writable files (100664), which git itself reads as plain ones. */
function isRegular(mode: string): boolean {
  return mode.startsWith('100');
}

/** Of its own, so that one kept path does not keep the whole list. */
function copyOf(bytes: Buffer, from: number, to: number): Buffer {
  return Buffer.from(bytes.subarray(from, to));
}
