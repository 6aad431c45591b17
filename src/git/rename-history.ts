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
  const output = await repo.run(
    ['log', '-1', '--format=%P', '--raw', '--no-abbrev', '-M', '--diff-filter=R', commit, '--'],
    { signal },
  );
  const [parent, ...lines] = output.toString('utf8').split('\n');
  const line = lines
    .map((text) => text.split('\t'))
    .find((columns) => unquotePath(columns[2] ?? '') === path);
  const found = line && parent ? { path: unquotePath(line[1]!), parent } : null;
  repo.git.caches.facts.set(repo, key, found ? JSON.stringify(found) : '');
  return found;
}
