import { type Commit, EMPTY_TREE, isOid, readCommit } from './objects.ts';
import type { Repository } from './repository.ts';
import { writeCommit, writeTree } from './write.ts';

/** Three-way merges of whole trees, without a work tree. Nothing moves a ref; the trees are written and wait for a commit. */

export type MergeResult = { tree: string } | { conflicts: string[] };
export type PickResult = { tree: string } | { conflict: string[] } | { empty: true };

export interface MergeInput {
  /** Commit ids. */
  ours: string;
  theirs: string;
  /** The commit both sides are compared with; absent = what git finds, null = the empty tree. */
  base?: string | null;
  signal?: AbortSignal | undefined;
}

/** The merged tree, or the paths that conflict. */
export async function mergeTrees(repo: Repository, input: MergeInput): Promise<MergeResult> {
  const { base, signal } = input;
  let { ours, theirs } = input;
  if (!isOid(ours) || !isOid(theirs) || (base && !isOid(base))) throw new Error('not an object id');
  if (base !== undefined) [ours, theirs] = await standIns(repo, base, [ours, theirs], signal);
  const args = [
    'merge-tree',
    '--write-tree',
    '-z',
    '--name-only',
    '--no-messages',
    '--allow-unrelated-histories',
  ];
  const result = await repo.tryRun([...args, ours, theirs], { signal });
  if (result.code > 1 || result.code < 0)
    throw new Error(`git merge-tree: ${result.stderr.trim().slice(0, 500)}`);
  const [tree, ...rest] = result.stdout.toString('utf8').split('\0');
  if (result.code === 0) return { tree: tree! };
  return { conflicts: [...new Set(rest.filter((path) => path !== ''))] };
}

/** What `commit` changed against its first parent, applied to `onto`. */
export async function cherryPickTree(
  repo: Repository,
  commit: string,
  onto: string,
  signal?: AbortSignal,
): Promise<PickResult> {
  const picked = await existing(repo, commit, signal);
  const base = picked.parents[0] ?? null;
  return apply(repo, { ours: onto, theirs: commit, base, signal });
}

/** What `commit` changed against its first parent, taken back from `onto`. */
export async function revertTree(
  repo: Repository,
  commit: string,
  onto: string,
  signal?: AbortSignal,
): Promise<PickResult> {
  const reverted = await existing(repo, commit, signal);
  const before = reverted.parents[0] ?? (await emptyCommit(repo));
  return apply(repo, { ours: onto, theirs: before, base: commit, signal });
}

async function apply(repo: Repository, input: MergeInput): Promise<PickResult> {
  const merged = await mergeTrees(repo, input);
  if ('conflicts' in merged) return { conflict: merged.conflicts };
  const before = await existing(repo, input.ours, input.signal);
  return merged.tree === before.tree ? { empty: true } : { tree: merged.tree };
}

/**
 * Commits with the same trees whose only parent is `base`, so that git must take it for the merge base.
 * (`merge-tree --merge-base` says the same from git 2.40 on; this works in every version that has --write-tree.)
 */
async function standIns(
  repo: Repository,
  base: string | null,
  sides: [string, string],
  signal: AbortSignal | undefined,
): Promise<[string, string]> {
  const parent = base ?? (await emptyCommit(repo));
  const [ours, theirs] = await Promise.all(
    sides.map(async (oid) => standIn(repo, (await existing(repo, oid, signal)).tree, [parent])),
  );
  return [ours!, theirs!];
}

// Always the same, so that a second try finds the first one's object.
const NOBODY = { name: 'Ingot', email: 'ingot@localhost', date: 0, offset: '+00:00' };

/** Nothing refers to it, so git's own prune removes it in time. */
function standIn(repo: Repository, tree: string, parents: string[]): Promise<string> {
  return writeCommit(repo, { tree, parents, author: NOBODY, committer: NOBODY, message: 'merge base\n' });
}

async function emptyCommit(repo: Repository): Promise<string> {
  await writeTree(repo, []);
  return standIn(repo, EMPTY_TREE, []);
}

async function existing(repo: Repository, oid: string, signal: AbortSignal | undefined): Promise<Commit> {
  const commit = await readCommit(repo, oid, signal);
  if (!commit) throw new Error(`no commit ${oid}`);
  return commit;
}
