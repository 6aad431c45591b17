import { pipeline } from 'node:stream/promises';
import { patchOf } from './diff.ts';
import { isOid } from './objects.ts';
import { ProcessOutput } from './process-output.ts';
import type { Repository } from './repository.ts';

/**
 * What `git patch-id --stable` says of the changes from one commit to another: the same for the same changes, wherever they
 * stand. `from` null is the empty tree. Null where nothing changed.
 */
export async function patchId(
  repo: Repository,
  from: string | null,
  to: string,
  signal?: AbortSignal,
): Promise<string | null> {
  const key = `patch-id ${from} ${to}`;
  const kept = repo.git.caches.facts.get(repo, key);
  if (kept !== undefined) return kept || null;
  const id = await compute(repo, await patchOf(repo, from, to, signal), signal);
  repo.git.caches.facts.set(repo, key, id);
  return id || null;
}

async function compute(repo: Repository, patch: ProcessOutput, signal?: AbortSignal): Promise<string> {
  // takes no place of its own: it only waits for the process that prints the patch and has one
  const child = repo.spawn(['patch-id', '--stable']);
  const output = new ProcessOutput(child, { signal });
  const [printed] = await Promise.all([
    (async () => Buffer.concat(await output.toArray()).toString('latin1'))(),
    pipeline(patch, child.stdin),
  ]).catch((error: unknown) => {
    output.destroy(); // a patch that broke off has no id, and nobody waits for the process any more
    throw error;
  });
  const id = printed.slice(0, 40);
  return isOid(id) ? id : '';
}
