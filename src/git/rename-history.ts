import { readCommit, readTree, type TreeEntry } from './objects.ts';
import { unquotePath } from './quoted-path.ts';
import type { Repository } from './repository.ts';

/** A stretch of history in which a file keeps its name. */
export interface Segment {
  /** A commit id or `<oid>..<oid>`. */
  from: string;
  path: string;
}

/** Where the history goes on below `created`, the oldest commit found for the path: under an older name, or null when it was new there. */
export async function nextSegment(
  repo: Repository,
  { from, path }: Segment,
  created: string,
  signal?: AbortSignal,
): Promise<Segment | null> {
  const source = await renameSource(repo, created, path, signal);
  if (!source) return null;
  const excluded = /^(.{40})\.\./.exec(from)?.[1];
  const parent = `${source.parent}`;
  return { from: excluded ? `${excluded}..${parent}` : parent, path: source.path };
}

/** The name a path had in the only parent of the commit that brought it; null when it was not renamed there. */
async function renameSource(
  repo: Repository,
  commit: string,
  path: string,
  signal: AbortSignal | undefined,
): Promise<{ path: string; parent: string } | null> {
  const key = `renamed ${commit} ${path}`;
  const known = repo.git.caches.facts.get(repo, key);
  if (known !== undefined) return known === '' ? null : JSON.parse(known);
  const found = (await mayRename(repo, commit, signal)) ? await askGit(repo, commit, path, signal) : null;
  repo.git.caches.facts.set(repo, key, found ? JSON.stringify(found) : '');
  return found;
}

async function askGit(
  repo: Repository,
  commit: string,
  path: string,
  signal: AbortSignal | undefined,
): Promise<{ path: string; parent: string } | null> {
  const output = await repo.run(
    ['log', '-1', '--format=%P', '--raw', '--no-abbrev', '-M', '--diff-filter=R', commit, '--'],
    { signal },
  );
  const [parent, ...lines] = output.toString('utf8').split('\n');
  const line = lines
    .map((text) => text.split('\t'))
    .find((columns) => unquotePath(columns[2] ?? '') === path);
  return line && parent ? { path: unquotePath(line[1]!), parent } : null;
}

/** More changed folders than this take longer to read one by one than git's own process. */
const MAX_FOLDERS = 100;

/** A file that is renamed is gone from where it was: most commits that bring a file remove none, and need no process (10 ms). */
async function mayRename(repo: Repository, commit: string, signal?: AbortSignal): Promise<boolean> {
  const [parent, ...others] = (await readCommit(repo, commit, signal))?.parents ?? [];
  // git shows no changes of merges here, and a first commit renames nothing
  if (parent === undefined || others.length > 0) return false;
  const pairs: [before: string, after: string][] = [[parent, commit]];
  for (let at = 0; at < pairs.length; at++) {
    const below = at < MAX_FOLDERS ? await changedFolders(repo, pairs[at]!, signal) : null;
    if (below === null) return true;
    pairs.push(...below);
  }
  return false;
}

/** The folders of both trees that differ; null when something is gone, or when a tree cannot be read. */
async function changedFolders(
  repo: Repository,
  [before, after]: [string, string],
  signal?: AbortSignal,
): Promise<[string, string][] | null> {
  const [old, present] = await Promise.all([before, after].map((tree) => readTree(repo, tree, signal)));
  if (!old || !present) return null;
  const name = ({ rawName }: TreeEntry) => rawName.toString('latin1');
  const kept = new Map(present.map((entry) => [name(entry), entry]));
  const below: [string, string][] = [];
  for (const entry of old) {
    const still = kept.get(name(entry));
    if (still?.type !== entry.type) return null;
    if (entry.type === 'tree' && still.oid !== entry.oid) below.push([entry.oid, still.oid]);
  }
  return below;
}
