import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { findEntry, readTree, type TreeEntry } from '../../git/objects.ts';
import type { Repository } from '../../git/repository.ts';
import { fail } from '../../platform/errors.ts';

export interface TreeItem {
  entry: TreeEntry;
  /** From the root of the repository. */
  path: string;
}

interface TreeQuestion {
  /** Commit id. */
  commit: string;
  /** Empty: the root. */
  path: string;
  recursive: boolean;
  signal: AbortSignal;
}

/** Trees read at once. */
const BREADTH = 100;
/** Entries handled before others get their turn: about 1 ms. */
const TURN = 2000;
const ORDER = { tree: 0, blob: 1, commit: 2 } as const;

/** What lies below a folder: folders first, then files, then submodules, each in git's order. 404 when there is no such folder. */
export async function listTree(repo: Repository, question: TreeQuestion): Promise<TreeItem[]> {
  const { commit, recursive, signal } = question;
  const path = cleanPath(question.path);
  const root = path === '' ? commit : await folderAt(repo, commit, path, signal);
  const items: TreeItem[] = [];
  const top = await entriesOf(repo, { oid: root, path }, signal);
  await collect(top, items, recursive ? await subtrees(repo, top, signal) : new Map());
  return items.sort((a, b) => ORDER[a.entry.type] - ORDER[b.entry.type]);
}

function cleanPath(path: string): string {
  return path
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/');
}

async function folderAt(
  repo: Repository,
  commit: string,
  path: string,
  signal: AbortSignal,
): Promise<string> {
  const entry = await findEntry(repo, commit, path, signal);
  if (entry?.type !== 'tree') throw fail.notFound('invalid revision or path');
  return entry.oid;
}

async function entriesOf(
  repo: Repository,
  { oid, path }: { oid: string; path: string },
  signal: AbortSignal,
): Promise<TreeItem[]> {
  const entries = await readTree(repo, oid, signal);
  if (entries === null) throw fail.notFound('Tree');
  const prefix = path === '' ? '' : `${path}/`;
  return entries.map((entry) => ({ entry, path: prefix + entry.name }));
}

type Below = Map<TreeItem, TreeItem[]>;

/** Contents of every folder, a level at a time, so that many trees are read together. */
async function subtrees(repo: Repository, top: TreeItem[], signal: AbortSignal): Promise<Below> {
  const below: Below = new Map();
  let level = top;
  while (level.length > 0) {
    const folders = level.filter(({ entry }) => entry.type === 'tree');
    level = [];
    for (let at = 0; at < folders.length; at += BREADTH) {
      const some = folders.slice(at, at + BREADTH);
      const contents = await Promise.all(
        some.map(({ entry, path }) => entriesOf(repo, { oid: entry.oid, path }, signal)),
      );
      for (const [index, folder] of some.entries()) {
        const inside = contents[index] ?? [];
        below.set(folder, inside);
        for (const item of inside) level.push(item);
      }
      signal.throwIfAborted();
      await yieldToOthers();
    }
  }
  return below;
}

/** Depth first, as `git ls-tree -r -t` prints. */
async function collect(top: TreeItem[], into: TreeItem[], below: Below): Promise<void> {
  const stack = top.toReversed();
  for (let item = stack.pop(); item; item = stack.pop()) {
    into.push(item);
    for (const inside of below.get(item)?.toReversed() ?? []) stack.push(inside);
    if (into.length % TURN === 0) await yieldToOthers();
  }
}
