import { readdir, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { GitConfig } from './environment.ts';
import { removeStaleLocks } from './stale-files.ts';

/** Runs one git command in the background and gives its output. */
export type BackgroundGit = (args: string[], config?: GitConfig) => Promise<string>;

export interface MaintenanceLimits {
  /** Loose refs from which they are put into packed-refs. */
  looseRefs: number;
  /** Loose objects from which they are packed. */
  looseObjects: number;
  /** Packs from which small ones are rolled into larger ones. */
  packs: number;
  /** Objects from which a clone is worth a bitmap. */
  bitmapObjects: number;
  /** How often unreachable objects are looked for. */
  cruftEveryMs: number;
}

export const MAINTENANCE_LIMITS: MaintenanceLimits = {
  looseRefs: 100,
  looseObjects: 1000,
  packs: 10,
  bitmapObjects: 5000,
  cruftEveryMs: 7 * 24 * 60 * 60_000,
};

export type Task = 'locks' | 'pack-refs' | 'repack' | 'cruft' | 'commit-graph';

/** Git's own default: whatever a request wrote and has not yet hung on a ref is safe for two weeks. */
const EXPIRE = '2.weeks.ago';
/** One core is left to the requests, whatever the size of the repository. */
const PACK_CONFIG: GitConfig = {
  'pack.threads': '1',
  'pack.windowMemory': '256m',
  'pack.writeReverseIndex': 'true',
};
/** Its time of change says when unreachable objects were last looked for. */
const CRUFT_MARK = 'ingot-cruft';

/** The work on one repository, in order: each step is a function that says whether it had anything to do. */
export function maintenanceTasks(
  path: string,
  git: BackgroundGit,
  limits: MaintenanceLimits,
  now: number,
): [Task, () => Promise<boolean>][] {
  let graph: 'extend' | 'replace' = 'extend';
  const cruft = async () => {
    const done = await dropCruft(path, git, limits, now);
    // A graph that still names a commit that is gone is refused by git as broken.
    if (done) graph = 'replace';
    return done;
  };
  return [
    ['locks', async () => (await removeStaleLocks(path, { now })).length > 0],
    ['pack-refs', () => packRefs(path, git, limits)],
    ['cruft', cruft],
    ['repack', () => repack(path, git, limits)],
    ['commit-graph', () => writeCommitGraph(git, graph)],
  ];
}

async function packRefs(path: string, git: BackgroundGit, limits: MaintenanceLimits): Promise<boolean> {
  const entries = await readdir(join(path, 'refs'), { recursive: true, withFileTypes: true });
  if (entries.filter((entry) => entry.isFile()).length < limits.looseRefs) return false;
  await git(['pack-refs', '--all', '--prune']);
  return true;
}

/**
 * Rolls loose objects and small packs into larger ones, so that their number stays logarithmic and no push pays for the whole
 * repository. Takes every object along, reachable or not.
 */
async function repack(path: string, git: BackgroundGit, limits: MaintenanceLimits): Promise<boolean> {
  const { count = 0, packs = 0, 'in-pack': inPack = 0 } = await countObjects(git);
  const wantsBitmap = count + inPack >= limits.bitmapObjects && !(await hasBitmap(path));
  if (count < limits.looseObjects && packs < limits.packs && !wantsBitmap) return false;
  await git(['repack', '-d', '-q', '--geometric=2', '--write-midx', '--write-bitmap-index'], PACK_CONFIG);
  return true;
}

async function countObjects(git: BackgroundGit): Promise<Record<string, number>> {
  const lines = (await git(['count-objects', '-v'])).split('\n');
  return Object.fromEntries(
    lines.map((line) => line.split(': ')).map(([name, value]) => [name, Number(value)]),
  );
}

async function hasBitmap(path: string): Promise<boolean> {
  return (await readdir(join(path, 'objects/pack'))).some((name) => name.endsWith('.bitmap'));
}

/**
 * Once in a while: everything reachable into one pack, the rest into a pack of its own that remembers when each object was
 * last used, and away with what has been unreachable for two weeks.
 */
async function dropCruft(
  path: string,
  git: BackgroundGit,
  limits: MaintenanceLimits,
  now: number,
): Promise<boolean> {
  const mark = join(path, CRUFT_MARK);
  const last = await lastTime(mark);
  if (last !== undefined && now - last < limits.cruftEveryMs) return false;
  await writeFile(mark, '');
  await utimes(mark, now / 1000, now / 1000);
  if (last === undefined) return false; // a new repository; the clock starts here
  const packing = ['repack', '-d', '-q', '--cruft', `--cruft-expiration=${EXPIRE}`];
  await git([...packing, '--write-midx', '--write-bitmap-index'], PACK_CONFIG);
  await git(['prune', `--expire=${EXPIRE}`]);
  return true;
}

async function lastTime(file: string): Promise<number | undefined> {
  try {
    return (await stat(file)).mtimeMs;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Changed-path filters are only ever computed for the commits of a new layer. They are therefore never limited in number, and
 * every layer is written with them: then each commit has its filter, after an import of any size as after a push.
 */
async function writeCommitGraph(git: BackgroundGit, graph: 'extend' | 'replace'): Promise<boolean> {
  await git([
    'commit-graph',
    'write',
    '--reachable',
    '--changed-paths',
    '--max-new-filters=-1',
    '--no-progress',
    graph === 'replace' ? '--split=replace' : '--split',
    '--size-multiple=4',
    // A reader that has just read the list of layers finds those that a merge made superfluous.
    '--expire-time=1.hour.ago',
  ]);
  return true;
}
