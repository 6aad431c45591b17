import type { Core } from '../../../core/core.ts';
import { diffTrees } from '../../../git/diff.ts';
import { EMPTY_TREE, isOid, readCommit } from '../../../git/objects.ts';
import type { Repository } from '../../../git/repository.ts';
import type { MergeRequestTarget } from '../targets.ts';
import { isCommitOf, wasOffered } from './offered-store.ts';
import { type AskedPosition, invalidPlace, lineCodeOf, placeInDiff } from './place-in-diff.ts';
import type { NotePosition } from './position.ts';

/**
 * The place of a thread in the diff of a merge request: of any version of it, or of one of its commits. Throws 400 where
 * that diff has no such line or file.
 */
export async function mergeRequestPosition(
  core: Core,
  { row, project }: MergeRequestTarget,
  asked: AskedPosition,
  signal: AbortSignal,
): Promise<{ position: NotePosition; lineCode: string | null }> {
  const { base_sha: base, start_sha: start, head_sha: head } = asked;
  if (![base, start, head].every(isOid)) throw invalidPlace('position', 'is invalid');
  const repo = core.repositoryOf(project);
  const known =
    (await wasOffered(core.db, row.id, { base, head })) ||
    ((await isCommitOf(core.db, row.id, head)) && (await parentOf(repo, head, signal)) === base);
  if (!known) throw invalidPlace('position', 'is invalid');
  const { files } = await diffTrees(repo, base === EMPTY_TREE ? null : base, head, signal);
  const position = placeInDiff(files, asked, asked);
  return { position, lineCode: lineCodeOf(files, position) };
}

async function parentOf(repo: Repository, oid: string, signal: AbortSignal): Promise<string> {
  return (await readCommit(repo, oid, signal))?.parents[0] ?? EMPTY_TREE;
}

/** The commit that a thread is about; 400 when the merge request does not have it. */
export async function demandCommitOf(core: Core, { row }: MergeRequestTarget, sha: string): Promise<string> {
  if (!isOid(sha) || !(await isCommitOf(core.db, row.id, sha))) throw invalidPlace('commit_id', 'is invalid');
  return sha;
}
