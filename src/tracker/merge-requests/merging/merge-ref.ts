import type { Core } from '../../../core/core.ts';
import { mergeTrees } from '../../../git/merge.ts';
import { readCommit } from '../../../git/objects.ts';
import { resolveRef } from '../../../git/refs.ts';
import { writeCommit } from '../../../git/write.ts';
import type { MergeRequestRow } from '../../tables.ts';
import type { Sides } from '../branches.ts';
import { mergeRef, pointRef } from '../versions/refs.ts';
import { tipOf } from '../versions/version.ts';

/**
 * Points `refs/merge-requests/N/merge` at what merging would give now, and returns that commit; null when the two conflict or
 * a branch is gone. The same two commits always give the same one, so that asking twice writes nothing.
 */
export async function keepMergeRef(
  core: Core,
  row: MergeRequestRow,
  { target }: Sides,
  signal?: AbortSignal,
): Promise<string | null> {
  const targetTip = await tipOf(core, target);
  if (row.state !== 'opened' || row.sha === null || targetTip === null) return null;
  const repo = core.repositoryOf(target.project);
  const present = await resolveRef(repo, mergeRef(row.iid));
  const known = present && (await readCommit(repo, present, signal));
  if (known && known.parents[0] === targetTip && known.parents[1] === row.sha) return known.id;
  const merged = await mergeTrees(repo, { ours: targetTip, theirs: row.sha, signal });
  const source = await readCommit(repo, row.sha, signal);
  if (!('tree' in merged) || !source) return null;
  const commit = await writeCommit(repo, {
    tree: merged.tree,
    parents: [targetTip, row.sha],
    author: source.committer,
    committer: source.committer,
    message: `Merge ${row.sha} into ${targetTip}`,
  });
  await pointRef(core, target.project, mergeRef(row.iid), commit);
  return commit;
}
