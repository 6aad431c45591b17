import { isOid, readInfo } from './objects.ts';
import type { Repository } from './repository.ts';

// upload-pack is a process of its own that drops our configuration, also that the owner may be another user
const UPLOAD_PACK =
  "--upload-pack=git -c safe.directory='*' -c uploadpack.allowAnySHA1InWant=true upload-pack";

const TIMEOUT_MS = 10 * 60_000;

/**
 * Brings a commit and all it needs from another repository of the service. No ref points at it here: the caller makes one
 * soon, or a later prune takes it away. Throws GitFailed when the other does not have it.
 */
export async function borrowCommit(
  repo: Repository,
  other: Repository,
  oid: string,
  signal?: AbortSignal,
): Promise<void> {
  if (!isOid(oid)) throw new Error(`not an object id: ${JSON.stringify(oid)}`);
  if ((await readInfo(repo, oid, signal)) !== null) return;
  const args = ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', UPLOAD_PACK, '--', other.path, oid];
  await repo.run(args, { config: { 'protocol.file.allow': 'always' }, timeoutMs: TIMEOUT_MS, signal });
}
