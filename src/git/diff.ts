import { type DiffLimits, DiffParser } from './diff-parser.ts';
import { EMPTY_TREE, isOid } from './objects.ts';
import type { ProcessOutput } from './process-output.ts';
import type { Repository } from './repository.ts';

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

/** What a commit changed against its first parent, or against nothing. */
export function diffCommit(repo: Repository, oid: string, signal?: AbortSignal): Promise<Diff> {
  assertOid(oid);
  return diff(repo, ['--diff-merges=first-parent', oid], signal);
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
  return diff(repo, [from ?? EMPTY_TREE, to], signal);
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

async function diff(repo: Repository, what: string[], signal: AbortSignal | undefined): Promise<Diff> {
  const key = what.join(' ');
  const known = repo.git.caches.diffs.get(repo, key);
  if (known) return known;
  const parser = new DiffParser(DIFF_LIMITS);
  const output = await repo.stream([...ARGS, ...PLAIN, ...what, '--'], { signal, config: CONFIG });
  // leaving the loop ends the process
  for await (const chunk of output) if (!parser.push(chunk)) break;
  const result = parser.end();
  repo.git.caches.diffs.set(repo, key, result);
  return result;
}

function assertOid(oid: string): void {
  if (!isOid(oid)) throw new Error(`not an object id: ${JSON.stringify(oid)}`);
}
