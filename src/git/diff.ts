import { type DiffLimits, DiffParser } from './diff-parser.ts';
import { EMPTY_TREE, isOid } from './objects.ts';
import type { ProcessOutput } from './process-output.ts';
import type { Repository } from './repository.ts';
import type { DiffKind } from './standing-diffs.ts';

export interface DiffFile {
  /** From the first `@@`; empty for a pure rename, a change of mode, an empty file. */
  diff: string;
  oldPath: string;
  newPath: string;
  /** Octal; `0` where the file is not. */
  aMode: string;
  bMode: string;
  newFile: boolean;
  renamedFile: boolean;
  deletedFile: boolean;
  /** The patch is 200 KB or more, and left out. */
  tooLarge: boolean;
  collapsed: boolean;
  binary: boolean;
}

export interface Diff {
  files: DiffFile[];
  /** Files past the limits are missing. */
  overflow: boolean;
}

/** GitLab's defaults. */
export const DIFF_LIMITS: DiffLimits = {
  files: 1000,
  lines: 50_000,
  bytes: 1000 * 5 * 1024,
  patchBytes: 200 * 1024,
};

// Text above this is compared as binary; git would hold both sides of it in memory.
const CONFIG = { 'core.bigFileThreshold': '50m', 'diff.renameLimit': '1000' };

const ARGS = [
  'diff-tree',
  '-r',
  '--root',
  '--no-commit-id',
  '-M30%',
  '--raw',
  '-p',
  '--full-index',
  '--no-color',
];
const PLAIN = ['--no-ext-diff', '--no-textconv', '--submodule=short', '--ignore-submodules=none'];

const KIND: DiffKind = {
  name: 'diff',
  args: [
    ...ARGS.filter((arg) => arg !== '--no-commit-id'),
    ...PLAIN,
    '--stdin',
    '--always',
    '--diff-merges=first-parent',
  ],
  config: CONFIG,
};

/** What a commit changed against its first parent, or against nothing. */
export function diffCommit(repo: Repository, oid: string, signal?: AbortSignal): Promise<Diff> {
  assertOid(oid);
  return known(repo, `commit ${oid}`, async () => {
    const parser = new DiffParser(DIFF_LIMITS);
    const take = (part: Buffer) => parser.push(part);
    if (await repo.git.diffs.feed(repo, KIND, oid, { signal, take })) return parser.end();
    return parsed(repo, ['--diff-merges=first-parent', oid], signal);
  });
}

/** From one tree or commit to another; `from` null is the empty tree. */
export function diffTrees(
  repo: Repository,
  from: string | null,
  to: string,
  signal?: AbortSignal,
): Promise<Diff> {
  if (from) assertOid(from);
  assertOid(to);
  const what = [from ?? EMPTY_TREE, to];
  return known(repo, what.join(' '), () => parsed(repo, what, signal));
}

/** The whole patch between two commits as git prints it, as a stream and without limits; `from` null is the empty tree. */
export function patchOf(
  repo: Repository,
  from: string | null,
  to: string,
  signal?: AbortSignal,
): Promise<ProcessOutput> {
  if (from) assertOid(from);
  assertOid(to);
  const args = ['diff-tree', '-r', '-M30%', '-p', '--binary', '--full-index', '--no-color', ...PLAIN];
  return repo.stream([...args, from ?? EMPTY_TREE, to, '--'], { signal, config: CONFIG });
}

async function known(repo: Repository, key: string, compute: () => Promise<Diff>): Promise<Diff> {
  const kept = repo.git.caches.diffs.get(repo, key);
  if (kept) return kept;
  const result = await compute();
  repo.git.caches.diffs.set(repo, key, result);
  return result;
}

async function parsed(repo: Repository, what: string[], signal?: AbortSignal): Promise<Diff> {
  const parser = new DiffParser(DIFF_LIMITS);
  const output = await repo.stream([...ARGS, ...PLAIN, ...what, '--'], { signal, config: CONFIG });
  // leaving the loop ends the process
  for await (const chunk of output) if (!parser.push(chunk)) break;
  return parser.end();
}

function assertOid(oid: string): void {
  if (!isOid(oid)) throw new Error(`not an object id: ${JSON.stringify(oid)}`);
}
