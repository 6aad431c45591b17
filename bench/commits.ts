import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { branchRows } from './commits/branches.ts';
import { cloneRow } from './commits/clone.ts';
import { createRows } from './commits/create.ts';
import { detailRows } from './commits/details.ts';
import { historyRows } from './commits/history.ts';
import { soakRows } from './commits/soak.ts';
import { startRows } from './commits/start.ts';
import { startFloor } from './lib/floor.ts';
import { startGitea } from './lib/gitea.ts';
import { Ingot } from './lib/ingot.ts';
import { git, type Row, report } from './lib/measure.ts';

/**
 * The commits area under load, as ratios in one run: against git itself, against a bare Fastify route that sends the same
 * bytes, and against Gitea where its script is to be had.
 *
 *   node bench/commits.ts [--no-gitea] PATH_TO_A_BARE_REPOSITORY_OF_OVER_50000_COMMITS [PART ...]
 *
 * Parts: history, details, branches, create, clone, start, soak; all of them without a choice.
 */

export interface Bench {
  ingot: Ingot;
  gitea: Awaited<ReturnType<typeof startGitea>>;
  floor: Awaited<ReturnType<typeof startFloor>>;
  /** Working copy of the repository, with the ids that the parts ask for. */
  source: string;
  /** Id of the project in Ingot that holds it. */
  project: number;
  /** Where Ingot keeps its repository. */
  bare: string;
}

const PARTS: Record<string, (bench: Bench) => Promise<Row[]>> = {
  history: historyRows,
  details: detailRows,
  branches: branchRows,
  create: createRows,
  clone: cloneRow,
  start: startRows,
  soak: soakRows,
};

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { gitea: { type: 'boolean', default: true } },
  allowNegative: true,
});
const [path, ...chosen] = positionals;
if (path === undefined) throw new Error('usage: node bench/commits.ts REPOSITORY [PART ...]');

const work = await mkdtemp(join(tmpdir(), 'ingot-bench-source-'));
const source = join(work, 'source.git');
await cp(path, source, { recursive: true });
const ingot = await Ingot.start();
const project = await ingot.api<{ id: number }>('POST', '/projects', {
  name: 'subject',
  default_branch: 'main',
});
console.error('pushing to Ingot …');
await git(source, 'push', '-q', ingot.gitUrl('root/subject'), 'HEAD:refs/heads/main');
if (values.gitea) console.error('pushing to Gitea …');
const gitea = values.gitea ? await startGitea({ subject: source }) : null;
const bench: Bench = {
  ingot,
  gitea,
  floor: await startFloor(),
  source,
  project: project.id,
  bare: join(ingot.dataDir, 'repositories', await ingot.storagePath(project.id)),
};

try {
  await ingot.settled();
  for (const [name, part] of Object.entries(PARTS)) {
    if (chosen.length > 0 && !chosen.includes(name)) continue;
    console.error(`${name} …`);
    report(await part(bench));
  }
} finally {
  bench.floor.stop();
  await gitea?.stop();
  await ingot.stop();
  await rm(work, { recursive: true, force: true });
}
