import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { ArtifactBench } from '../jobs-artifacts.ts';
import { fetchOk, getOk, now, quantile, type Row, rps, timed, times } from '../lib/measure.ts';
import { takeJobs } from './take-job.ts';

const AMOUNT = 100_000;
const CONTENT = Buffer.alloc(1000, 'x');
/** Not before the service has started again: it sweeps at once. */
const EXPIRES_IN_MS = 8000;
const WARM_UP_SECONDS = 2;

/** 100,000 expired artifacts freed by the sweep, against bare Node that unlinks as many files; and what other routes feel of it. */
export async function expiredRows({ ingot }: ArtifactBench): Promise<Row[]> {
  const [job] = await takeJobs(ingot, 1, 'expired');
  if (!job) throw new Error('no job');
  const url = `${ingot.url}/api/v4/projects/${job.project}`;
  const unlinks = await bareUnlinks();
  let expiry = 0;
  await ingot.pauseFor(() => {
    expiry = seed(ingot.dataDir, job.project);
    execFileSync('sync');
  });
  // The same warm process before and during: what has just started answers slowly by itself.
  await bySeconds(WARM_UP_SECONDS, () => getOk(url, ingot.headers));
  const quiet = await bySeconds(Math.max(4, (expiry - Date.now()) / 1000), () => getOk(url, ingot.headers));
  if ((await freedOf(ingot.url)) > 0)
    throw new Error('swept before its time: the service took too long to start');
  const begin = now();
  await ingot.api('DELETE', `/projects/${job.project}/jobs/${job.id}/artifacts`); // wakes the sweep
  const busy: number[] = [];
  while ((await freedOf(ingot.url)) < AMOUNT) {
    for (let i = 0; i < 50; i++) busy.push(await timed(() => getOk(url, ingot.headers)));
  }
  const perSecond = (AMOUNT / (now() - begin)) * 1000;
  const [before, during] = [quantile(quiet, 0.99), quantile(busy, 0.99)];
  return [
    {
      what: '100,000 expired artifacts freed',
      ours: rps(perSecond),
      theirs: `${rps(unlinks)} (bare unlink)`,
      ratio: `${(perSecond / unlinks).toFixed(2)} of it`,
      goal: 'over 0.5',
      met: perSecond / unlinks > 0.5,
    },
    {
      what: 'GET of a project meanwhile, p99',
      ours: `${during.toFixed(2)} ms`,
      theirs: `${before.toFixed(2)} ms (else)`,
      ratio: times(during / before),
      goal: 'under 2x',
      met: during / before < 2,
    },
  ];
}

async function bySeconds(seconds: number, work: () => Promise<unknown>): Promise<number[]> {
  const took: number[] = [];
  for (const end = now() + seconds * 1000; now() < end; ) took.push(await timed(work));
  return took;
}

async function freedOf(url: string): Promise<number> {
  const text = (await fetchOk(`${url}/-/metrics`)).toString();
  return Number(/^ingot_artifacts_freed_total (\d+)/m.exec(text)?.[1] ?? 0);
}

/** In folders of as many as the service has. */
async function bareUnlinks(): Promise<number> {
  const dir = await mkdtemp(join(tmpdir(), 'ingot-bench-unlink-'));
  const paths = Array.from({ length: AMOUNT }, (_, i) => join(dir, String(Math.floor(i / 1000)), String(i)));
  for (let i = 0; i < AMOUNT; i += 1000) mkdirSync(join(dir, String(i / 1000)));
  for (const path of paths) writeFileSync(path, CONTENT);
  execFileSync('sync'); // what was just written must not be on its way to the disk meanwhile
  const took = await timed(async () => {
    for (const path of paths) await unlink(path);
  });
  await rm(dir, { recursive: true });
  return (AMOUNT / took) * 1000;
}

/** Rows and files as uploads leave them, of pipelines that are not the newest ones. Returns when they will have expired. */
function seed(dataDir: string, project: number): number {
  const database = new DatabaseSync(join(dataDir, 'ingot.db'));
  database.exec('begin');
  const insert = database.prepare(
    `insert into job_artifacts (id, project_id, pipeline_id, job_id, file_type, file_format, filename, size, sha256, created_at, state)
     values (?, ?, ?, ?, 'archive', 'zip', 'artifacts.zip', ?, 'x', 1, 'stored')`,
  );
  for (let i = 0; i < AMOUNT; i++) {
    const id = 1_000_000 + i;
    const folder = join(dataDir, 'objects', 'artifacts', String(Math.floor(id / 1000)));
    if (id % 1000 === 0) mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, String(id)), CONTENT);
    insert.run(id, project, 1_000_000 + Math.floor(i / 10), id, CONTENT.length);
  }
  const expiry = Date.now() + EXPIRES_IN_MS;
  database.prepare('update job_artifacts set expire_at = ? - id % 1000 where id >= 1000000').run(expiry);
  database.exec('commit');
  database.close();
  return expiry;
}
