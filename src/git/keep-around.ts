import { isOid, readInfo } from './objects.ts';
import { KEEP_AROUND } from './ref-name.ts';
import { updateRefs } from './ref-update.ts';
import { resolveRef } from './refs.ts';
import type { Repository } from './repository.ts';

/**
 * Keeps these commits from being pruned when no branch has them any more. A ref that is there costs a look at a file and no
 * process. The refs are never moved nor shown, so nobody has to be told of them; ids that are no object here are passed over.
 */
export async function keepAround(repo: Repository, oids: readonly string[]): Promise<void> {
  const updates: { ref: string; new: string }[] = [];
  for (const oid of new Set(oids)) {
    const ref = KEEP_AROUND + oid;
    if (!isOid(oid) || (await resolveRef(repo, ref)) !== null) continue;
    if (await readInfo(repo, oid)) updates.push({ ref, new: oid });
  }
  await updateRefs(repo, updates);
}
