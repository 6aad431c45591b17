import { isOid } from './objects.ts';
import { type Ref, resolveRef } from './refs.ts';
import type { Repository } from './repository.ts';

/** Names of one git command: more would not fit on its command line. */
const BATCH = 500;

/**
 * Which of the refs point at commits that `into` (a commit id) contains, `into` itself included; ids of those commits. One
 * process for what is not known yet, none when it is.
 */
export async function mergedTips(
  repo: Repository,
  refs: readonly Ref[],
  into: string,
  signal?: AbortSignal,
): Promise<Set<string>> {
  if (!isOid(into)) throw new Error(`not an object id: ${JSON.stringify(into)}`);
  const merged = new Set<string>([into]);
  const unknown: Ref[] = [];
  for (const ref of refs) {
    const known = ref.oid === into ? 'yes' : repo.git.caches.facts.get(repo, keyOf(ref.oid, into));
    if (known === 'yes') merged.add(ref.oid);
    else if (known === undefined) unknown.push(ref);
  }
  for (let at = 0; at < unknown.length; at += BATCH) {
    const asked = unknown.slice(at, at + BATCH);
    const found = await ask(repo, asked, into, signal);
    for (const { name, oid } of asked) {
      if (found.has(oid)) merged.add(oid);
      // A ref that has moved since it was listed is missing in the answer for that reason only.
      const certain = found.has(oid) || (await resolveRef(repo, name)) === oid;
      if (certain) repo.git.caches.facts.set(repo, keyOf(oid, into), found.has(oid) ? 'yes' : 'no');
    }
  }
  return merged;
}

/** By name, because that is what git filters. */
async function ask(repo: Repository, refs: Ref[], into: string, signal?: AbortSignal): Promise<Set<string>> {
  const names = refs.map((ref) => ref.name);
  const args = ['for-each-ref', '--format=%(objectname)', `--merged=${into}`, ...names];
  const output = await repo.run(args, { signal });
  return new Set(output.toString('latin1').split('\n'));
}

/** The same key as `isAncestor`: what one has found out, the other knows. */
const keyOf = (oid: string, into: string) => `ancestor ${oid} ${into}`;
