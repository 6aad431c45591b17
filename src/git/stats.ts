import { isOid } from './objects.ts';
import type { Repository } from './repository.ts';
import type { DiffKind } from './standing-diffs.ts';

export interface CommitStats {
  additions: number;
  deletions: number;
}

const ARGS = ['diff-tree', '--stdin', '-r', '--root', '-M', '--shortstat', '--diff-merges=first-parent'];

const KIND: DiffKind = { name: 'stats', args: [...ARGS, '--always'] };

/** Lines added and removed against the first parent, by commit id; binary files count nothing. One process for all that are not known yet. */
export async function commitStats(
  repo: Repository,
  oids: string[],
  signal?: AbortSignal,
): Promise<Map<string, CommitStats>> {
  const found = new Map<string, CommitStats>();
  const unknown = new Set<string>();
  for (const oid of oids.filter(isOid)) {
    const stats = repo.git.caches.stats.get(repo, oid);
    if (stats) found.set(oid, stats);
    else unknown.add(oid);
  }
  if (unknown.size === 0) return found;
  const output = await printed(repo, [...unknown], signal);
  for (const oid of unknown) found.set(oid, { additions: 0, deletions: 0 }); // git is silent about an empty change
  for (const [oid, stats] of parse(output.toString('latin1'))) found.set(oid, stats);
  for (const oid of unknown) repo.git.caches.stats.set(repo, oid, found.get(oid)!);
  return found;
}

async function printed(repo: Repository, oids: string[], signal?: AbortSignal): Promise<Buffer> {
  const parts: Buffer[] = [];
  const take = (part: Buffer) => parts.push(part) > 0;
  const [only, ...others] = oids;
  const isFed =
    only !== undefined &&
    others.length === 0 &&
    (await repo.git.diffs.feed(repo, KIND, only, { signal, take }));
  if (isFed) return Buffer.concat([Buffer.from(`${only}\n`), ...parts]);
  return repo.run(ARGS, { input: oids.map((oid) => `${oid}\n`).join(''), signal });
}

/** `<oid>`, then ` 2 files changed, 3 insertions(+), 1 deletion(-)`. */
function* parse(output: string): Generator<[string, CommitStats]> {
  let oid = '';
  for (const line of output.split('\n')) {
    if (isOid(line)) oid = line;
    else if (line.includes('changed'))
      yield [oid, { additions: count(line, /(\d+) insertion/), deletions: count(line, /(\d+) deletion/) }];
  }
}

function count(line: string, pattern: RegExp): number {
  return Number(pattern.exec(line)?.[1] ?? 0);
}
