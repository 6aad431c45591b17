import { isOid, readInfo } from './objects.ts';
import { PIPELINES } from './ref-name.ts';
import { updateRefs } from './ref-update.ts';
import { resolveRef } from './refs.ts';
import type { Repository } from './repository.ts';

/** Where a runner fetches the commit of a pipeline, whatever has become of its branch. */
export const pipelineRef = (id: number): string => PIPELINES + id;

/**
 * Sees to it that the ref is there. One that is costs a look at a file and no process. False where the commit itself is gone:
 * whoever fetches it is told so.
 */
export async function keepPipelineRef(
  repo: Repository,
  { id, sha }: { id: number; sha: string },
): Promise<boolean> {
  const ref = pipelineRef(id);
  if ((await resolveRef(repo, ref)) === sha) return true;
  if (!isOid(sha) || !(await readInfo(repo, sha))) return false;
  await updateRefs(repo, [{ ref, new: sha }]);
  return true;
}

/** For pipelines of which nothing runs any more. Those without a ref are passed over. */
export async function dropPipelineRefs(repo: Repository, ids: readonly number[]): Promise<void> {
  const updates: { ref: string; new: null }[] = [];
  for (const ref of ids.map(pipelineRef)) {
    if ((await resolveRef(repo, ref)) !== null) updates.push({ ref, new: null });
  }
  await updateRefs(repo, updates);
}
