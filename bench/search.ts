import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Ingot } from './lib/ingot.ts';
import { git, type Row, report, times } from './lib/measure.ts';
import { startZoekt } from './lib/zoekt.ts';
import { memoryRow, pushRow, questionRows, randomRows } from './search/code.ts';
import { issueRows } from './search/issues.ts';
import { loadRows } from './search/load.ts';
import { visibleRows } from './search/visible.ts';

/**
 * Search, as ratios in one run: of code against Zoekt on the same tree and against `git grep`, of the tracker against a
 * list by key.
 *
 *   node bench/search.ts [--no-zoekt] PATH_TO_A_BARE_REPOSITORY_OF_A_LARGE_TREE [PART ...]
 *
 * Parts: build, questions, random, memory, load, push (of that repository), visible, issues (of services of their own).
 * `docs` in bench/results.md says how the tree of the Linux kernel gets into a repository.
 */

export interface Bench {
  ingot: Ingot;
  zoekt: Awaited<ReturnType<typeof startZoekt>>;
  project: number;
  bare: string;
  /** Waits until the index is at rest. */
  indexed(): Promise<void>;
}

const CODE_PARTS: Record<string, (bench: Bench) => Promise<Row[]>> = {
  build: buildRows,
  questions: questionRows,
  random: randomRows,
  memory: memoryRow,
  load: loadRows,
  push: pushRow,
};
const OTHER_PARTS: Record<string, () => Promise<Row[]>> = { visible: visibleRows, issues: issueRows };

interface Status {
  state: string;
  pending_projects: number;
  indexed_blobs: number;
}

export async function indexed(ingot: Ingot): Promise<void> {
  for (;;) {
    const status = await ingot.api<Status>('GET', '/admin/search/status');
    if (status.state === 'idle' && status.pending_projects === 0 && status.indexed_blobs > 0) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** From an empty folder, with nothing else to do; and what lies on the disk then. */
async function buildRows({ ingot, zoekt }: Bench): Promise<Row[]> {
  if (!zoekt) return [];
  let seconds = 0;
  await ingot.pauseFor(async () => {
    const begin = Date.now();
    await ingot.command('index', '--rebuild');
    seconds = (Date.now() - begin) / 1000;
  });
  const bytes = sizeOf(join(ingot.dataDir, 'code-index'));
  const rows: Row[] = [
    {
      what: 'index build',
      ours: `${seconds.toFixed(1)} s`,
      theirs: `${zoekt.buildSeconds} s (Zoekt)`,
      ratio: times(seconds / zoekt.buildSeconds),
      goal: 'under 0.17x',
      met: seconds / zoekt.buildSeconds < 0.17,
    },
    {
      what: 'index on disk',
      ours: `${Math.round(bytes / 1e6)} MB`,
      theirs: `${Math.round(zoekt.bytes / 1e6)} MB (Zoekt)`,
      ratio: times(bytes / zoekt.bytes),
      goal: 'under 0.15x',
      met: bytes / zoekt.bytes < 0.15,
    },
  ];
  return rows;
}

function sizeOf(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

if (import.meta.main) await main();

async function main(): Promise<void> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { zoekt: { type: 'boolean', default: true } },
    allowNegative: true,
  });
  const [path, ...chosen] = positionals;
  if (path === undefined) throw new Error('usage: node bench/search.ts REPOSITORY [PART ...]');
  const isChosen = (name: string) => chosen.length === 0 || chosen.includes(name);
  if (Object.keys(CODE_PARTS).some(isChosen)) await codeParts(path, { isChosen, zoekt: values.zoekt });
  for (const [name, part] of Object.entries(OTHER_PARTS)) {
    if (!isChosen(name)) continue;
    console.error(`${name} …`);
    report(await part());
  }
}

async function codeParts(
  path: string,
  { isChosen, zoekt: withZoekt }: { isChosen: (name: string) => boolean; zoekt: boolean },
): Promise<void> {
  const ingot = await Ingot.start();
  const project = await ingot.api<{ id: number }>('POST', '/projects', { name: 'kernel' });
  console.error('pushing to Ingot …');
  await git(path, 'push', '-q', ingot.gitUrl('root/kernel'), 'HEAD:refs/heads/main');
  await indexed(ingot);
  const bare = join(ingot.dataDir, 'repositories', await ingot.storagePath(project.id));
  if (withZoekt) console.error('indexing with Zoekt …');
  const zoekt = withZoekt ? await startZoekt(path) : null;
  const bench: Bench = { ingot, zoekt, project: project.id, bare, indexed: () => indexed(ingot) };
  try {
    for (const [name, part] of Object.entries(CODE_PARTS)) {
      if (!isChosen(name)) continue;
      console.error(`${name} …`);
      report(await part(bench));
    }
  } finally {
    await zoekt?.stop();
    await ingot.stop();
  }
}
