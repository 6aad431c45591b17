import { isOid } from './objects.ts';
import { refSnapshot } from './refs.ts';
import type { Repository } from './repository.ts';

/** Answers about how commits hang together. All of them are named by ids and kept; every id must be a full one. */

const RANGE = /^[0-9a-f]{40}(?:\.{2,3}[0-9a-f]{40})?$/;

/** Commits reachable from an id (itself included) or in a range; with firstParent along first parents only. */
export async function countCommits(
  repo: Repository,
  oidOrRange: string,
  options: { firstParent?: boolean; signal?: AbortSignal | undefined } = {},
): Promise<number> {
  if (!RANGE.test(oidOrRange)) throw new Error(`not an object id: ${JSON.stringify(oidOrRange)}`);
  const flags = options.firstParent ? ['--first-parent'] : [];
  return Number(
    await fact(repo, `count ${oidOrRange} ${flags}`, async () => {
      const args = ['rev-list', '--count', ...flags, oidOrRange, '--'];
      return (await repo.run(args, { signal: options.signal })).toString('latin1').trim();
    }),
  );
}

/** The best common ancestor; null when the histories are unrelated. */
export async function mergeBase(
  repo: Repository,
  oids: string[],
  signal?: AbortSignal,
): Promise<string | null> {
  assertOids(oids);
  const base = await fact(repo, `base ${oids.join(' ')}`, async () => {
    const result = await repo.tryRun(['merge-base', ...oids], { signal });
    if (result.code > 1) throw new Error(`git merge-base: ${result.stderr.trim()}`);
    return result.stdout.toString('latin1').trim();
  });
  return base || null;
}

/** A commit counts as its own ancestor. */
export async function isAncestor(
  repo: Repository,
  ancestor: string,
  descendant: string,
  signal?: AbortSignal,
): Promise<boolean> {
  assertOids([ancestor, descendant]);
  if (ancestor === descendant) return true;
  const answer = await fact(repo, `ancestor ${ancestor} ${descendant}`, async () => {
    const result = await repo.tryRun(['merge-base', '--is-ancestor', ancestor, descendant], { signal });
    if (result.code > 1) throw new Error(`git merge-base: ${result.stderr.trim()}`);
    return result.code === 0 ? 'yes' : 'no';
  });
  return answer === 'yes';
}

export type RefKind = 'branch' | 'tag' | 'all';

export interface ContainingRef {
  type: 'branch' | 'tag';
  name: string;
}

const FOLDERS = { branch: ['refs/heads/'], tag: ['refs/tags/'], all: ['refs/heads/', 'refs/tags/'] };

/** Branches, then tags, each by name, from which the commit can be reached. Kept until any ref moves. */
export async function refsContaining(
  repo: Repository,
  oid: string,
  kind: RefKind,
  signal?: AbortSignal,
): Promise<ContainingRef[]> {
  assertOids([oid]);
  const { version } = await refSnapshot(repo);
  const names = await fact(repo, `contains ${version} ${oid} ${kind}`, async () => {
    const args = ['for-each-ref', '--format=%(refname)', `--contains=${oid}`, ...FOLDERS[kind]];
    return (await repo.run(args, { signal })).toString('utf8');
  });
  return names.split('\n').slice(0, -1).map(containingRef);
}

function containingRef(refname: string): ContainingRef {
  const type = refname.startsWith('refs/heads/') ? 'branch' : 'tag';
  return { type, name: refname.slice(refname.indexOf('/', 'refs/'.length) + 1) };
}

async function fact(repo: Repository, key: string, find: () => Promise<string>): Promise<string> {
  const known = repo.git.caches.facts.get(repo, key);
  if (known !== undefined) return known;
  const found = await find();
  repo.git.caches.facts.set(repo, key, found);
  return found;
}

function assertOids(oids: string[]): void {
  for (const oid of oids) if (!isOid(oid)) throw new Error(`not an object id: ${JSON.stringify(oid)}`);
}
