import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { encodeCursor } from '../src/platform/http/pagination.ts';
import { Ingot } from './lib/ingot.ts';
import { getOk, ms, paired, type Row, report, times } from './lib/measure.ts';
import { freshPostgres, onServer } from './lib/postgres.ts';

/**
 * Lists of jobs in a project of a million against one of a thousand, on both databases, as ratios in one run.
 *
 *   node bench/jobs-list.ts [sqlite] [postgres]
 */

const MANY = 1_000_000;
const FEW = 1000;
const DEPTH = 100_000;
const RUNS = 40;

/** What is asked for; in both projects each finds a full page. */
const QUERIES: [what: string, query: string][] = [
  ['no filter', ''],
  ['a common state', 'scope=success'],
  ['a rare state', 'scope=failed'],
  ['three states', 'scope[]=failed&scope[]=canceled&scope[]=running'],
  ['a name', 'name=job-7'],
  ['the main branch', 'ref=main'],
  ['another branch', 'ref=feature-10'],
  ['what is newer', 'created_after={middle}'],
  ['what is older', 'created_before={middle}'],
  ['a name and a state', 'name=job-7&scope=failed'],
  ['a branch and a state', 'ref=main&scope=failed'],
  ['older and a state', 'created_before={middle}&scope=failed'],
];

/** One pipeline for ten jobs; every twentieth job failed, every tenth is of another branch. `{n}` counts from 1. */
const PIPELINES = `insert into pipelines
  (iid, project_id, sha, ref, source, status, user_id, created_at, updated_at, stages)
  select n, {project}, '{sha}', 'main', 'push', 'success', {user}, {start} + n * 600000, {start}, '[]' from {numbers}`;
const JOBS = `insert into jobs
  (kind, project_id, pipeline_id, name, stage, stage_idx, ref, status, user_id, created_at, updated_at, started_at,
   finished_at, failure_reason)
  select 'build', {project}, {pipeline} + (n - 1) / 10, 'job-' || (n % 50), 'test', 1,
    case when n % 10 = 0 then 'feature-' || (n % 50) else 'main' end,
    case when n % 20 = 7 then 'failed' when n % 20 = 8 then 'canceled' else 'success' end,
    {user}, {start} + n * 60000, {start}, {start} + n * 60000, {start} + n * 60000 + 5000,
    case when n % 20 = 7 then 'script_failure' end
  from {numbers}`;

interface Home {
  id: number;
  jobs: number;
  /** When its first pipeline was. */
  start: number;
}

/** Runs one statement; gives the first column of the first row. */
type Execute = (sql: string) => Promise<unknown>;

async function fill(execute: Execute, series: (count: number) => string, home: Home, sha: string) {
  const user = await execute('select min(id) from users');
  const values: Record<string, unknown> = { project: home.id, sha, user, start: home.start };
  const write = (text: string, count: number) =>
    execute(
      text.replace(/\{(\w+)\}/g, (_, name) => String(name === 'numbers' ? series(count) : values[name])),
    );
  await write(PIPELINES, home.jobs / 10);
  values['pipeline'] = await execute(`select min(id) from pipelines where project_id = ${home.id}`);
  await write(JOBS, home.jobs);
}

async function rowsOn(
  database: string,
  env: NodeJS.ProcessEnv,
  fillAll: (ingot: Ingot, homes: Home[], sha: string) => Promise<void>,
): Promise<Row[]> {
  const ingot = await Ingot.start({ env });
  try {
    const homes = [await newHome(ingot, 'few', FEW), await newHome(ingot, 'many', MANY)];
    // the pages show a commit, and one that both know is the same work in both
    const [commit] = await ingot.api<{ id: string }[]>('GET', `/projects/${homes[0]!.id}/repository/commits`);
    await fillAll(ingot, homes, commit!.id);
    const [few, many] = homes as [Home, Home];
    const rows: Row[] = [];
    for (const [what, query] of QUERIES) {
      rows.push(
        await compare(`${database}, first page: ${what}`, 2, {
          ours: () => page(ingot, many, query),
          theirs: () => page(ingot, few, query),
          against: 'of a thousand',
        }),
      );
    }
    const newest = await page(ingot, many, '');
    const cursor = encodeCursor({ id: newest[0]!.id - DEPTH });
    rows.push(
      await compare(`${database}, page at depth ${DEPTH.toLocaleString('en')} by keyset`, 1.5, {
        ours: () => page(ingot, many, `pagination=keyset&cursor=${cursor}`),
        theirs: () => page(ingot, many, 'pagination=keyset'),
        against: 'the first',
      }),
    );
    return rows;
  } finally {
    await ingot.stop();
  }
}

async function newHome(ingot: Ingot, name: string, jobs: number): Promise<Home> {
  const body = { name, initialize_with_readme: true };
  const { id } = await ingot.api<{ id: number }>('POST', '/projects', body);
  return { id, jobs, start: Date.now() - jobs * 60_000 };
}

async function page(ingot: Ingot, home: Home, query: string): Promise<{ id: number }[]> {
  const middle = new Date(home.start + (home.jobs / 2) * 60_000).toISOString();
  const url = `${ingot.url}/api/v4/projects/${home.id}/jobs?per_page=10&${query.replace('{middle}', middle)}`;
  const jobs: { id: number }[] = JSON.parse((await getOk(url, ingot.headers)).toString());
  if (jobs.length !== 10) throw new Error(`${jobs.length} jobs: ${query}`);
  return jobs;
}

interface Pair {
  ours: () => Promise<unknown>;
  theirs: () => Promise<unknown>;
  against: string;
}

async function compare(what: string, most: number, { ours, theirs, against }: Pair): Promise<Row> {
  await paired(RUNS / 4, ours, theirs);
  const { a, b, ratio } = await paired(RUNS, ours, theirs);
  return {
    what,
    ours: ms(a),
    theirs: `${ms(b)} (${against})`,
    ratio: times(ratio),
    goal: `under ${most}x`,
    met: ratio < most,
  };
}

/** Through the tables, while the service rests: by the API it would take days. */
async function fillSqlite(ingot: Ingot, homes: Home[], sha: string): Promise<void> {
  await ingot.pauseFor(async () => {
    const database = new DatabaseSync(join(ingot.dataDir, 'ingot.db'));
    const execute: Execute = async (sql) => Object.values(database.prepare(sql).get() ?? {})[0];
    const series = (count: number) =>
      `(with recursive c (n) as (select 1 union all select n + 1 from c where n < ${count}) select n from c) as s`;
    database.exec('begin');
    for (const home of homes) await fill(execute, series, home, sha);
    database.exec('commit');
    database.close();
  });
}

/** Vacuumed afterwards, as the server's own housekeeping does within a minute: a throw-away server has none. */
async function fillPostgres(url: string, homes: Home[], sha: string): Promise<void> {
  await onServer(url, async (client) => {
    const execute: Execute = async (sql) =>
      (await client.query<unknown[]>({ text: sql, rowMode: 'array' })).rows[0]?.[0];
    for (const home of homes)
      await fill(execute, (count) => `generate_series(1::bigint, ${count}) as s (n)`, home, sha);
    await client.query('vacuum analyze jobs, pipelines');
  });
}

const wanted = process.argv.slice(2);
const rows: Row[] = [];
if (wanted.length === 0 || wanted.includes('sqlite')) rows.push(...(await rowsOn('SQLite', {}, fillSqlite)));
if (wanted.length === 0 || wanted.includes('postgres')) {
  await using postgres = await freshPostgres();
  const env = { DATABASE_URL: postgres.url };
  rows.push(...(await rowsOn('PostgreSQL', env, (_, homes, sha) => fillPostgres(postgres.url, homes, sha))));
}
report(rows);
process.exitCode = rows.every(({ met }) => met) ? 0 : 1;
