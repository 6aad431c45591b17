import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Ingot } from '../lib/ingot.ts';
import { getOk, ms, paired, type Row, timed, times } from '../lib/measure.ts';
import { freshPostgres, onServer } from '../lib/postgres.ts';

const ISSUES = 200_000;
const WORDS =
  'the pipeline fails when a runner takes its job while another one waits for the lock of this branch and nobody looks'.split(
    ' ',
  );
/** Whatever takes longer is asked less often: its median needs no hundred runs. */
const SLOW_MS = 500;
/** Words, how many hits they have on the first page, and how they lie among the issues. */
const SEARCHES = [
  ['rare', 'zebra77777', 1],
  ['common', 'pipeline', 20],
  ['absent', 'nowhere-to-be-found', 0],
  ['once common', 'antique', 20],
] as const;

/** Issues with descriptions of a kilobyte: searches for words rare and common, against a list of 20 by key, on both databases. */
export async function issueRows(): Promise<Row[]> {
  const sqlite = await rowsOn('SQLite', {}, (ingot, projectId) =>
    ingot.pauseFor(() => insertIntoSqlite(join(ingot.dataDir, 'ingot.db'), projectId)),
  );
  await using postgres = await freshPostgres();
  const env = { DATABASE_URL: postgres.url };
  return [
    ...sqlite,
    ...(await rowsOn('PostgreSQL', env, (_, projectId) => insertIntoPostgres(postgres.url, projectId))),
  ];
}

async function rowsOn(
  database: string,
  env: NodeJS.ProcessEnv,
  fill: (ingot: Ingot, projectId: number) => Promise<void>,
): Promise<Row[]> {
  const ingot = await Ingot.start({ env });
  try {
    const project = await ingot.api<{ id: number }>('POST', '/projects', { name: 'issues' });
    await fill(ingot, project.id);
    const rows: Row[] = [];
    for (const search of SEARCHES) rows.push(await rowOf(ingot, project.id, database, search));
    return rows;
  } finally {
    await ingot.stop();
  }
}

async function rowOf(
  ingot: Ingot,
  projectId: number,
  database: string,
  [what, word, hits]: (typeof SEARCHES)[number],
): Promise<Row> {
  const listUrl = `${ingot.url}/api/v4/projects/${projectId}/issues`;
  const list = () => getOk(listUrl, ingot.headers);
  const search = async () => {
    const url = `${ingot.url}/api/v4/search?scope=issues&search=${word}`;
    const found: unknown[] = JSON.parse((await getOk(url, ingot.headers)).toString());
    if (found.length !== hits) throw new Error(`${found.length} hits of ${word}`);
  };
  const runs = (await timed(search)) < SLOW_MS ? 100 : 5;
  await paired(runs / 5, search, list);
  const { a, b, ratio } = await paired(runs, search, list);
  return {
    what: `${database}: a ${what} word in ${ISSUES.toLocaleString('en')} issues`,
    ours: ms(a),
    theirs: `${ms(b)} (a list of 20)`,
    ratio: times(ratio),
    goal: 'under 10x',
    met: ratio < 10,
  };
}

interface Issue {
  iid: number;
  description: string;
  created: number;
}

/** The older half has a word of its own, one in a thousand another. */
function* issues(): Generator<Issue> {
  const start = Date.now() - ISSUES * 1000;
  for (let iid = 1; iid <= ISSUES; iid++) {
    let description = iid <= ISSUES / 2 ? 'antique ' : '';
    if (iid % 1000 === 777) description += `zebra${iid} `;
    for (let w = 0; description.length < 1000; w++)
      description += `${WORDS[(iid * 7 + w * (1 + (iid % 5))) % WORDS.length]}${w % 9 === 0 ? iid : ''} `;
    yield { iid, description, created: start + iid * 1000 };
  }
}

const INSERT = `insert into issues
  (iid, project_id, title, description, author_id, relative_position, created_at, updated_at)`;
const COUNT = `insert into tracker_counters (project_id, kind, last_iid) values`;

/** Through the tables, while the service rests: by the API it would take a quarter of an hour. The indexes follow by themselves. */
function insertIntoSqlite(file: string, projectId: number): void {
  const database = new DatabaseSync(file);
  const author = database.prepare('select min(id) as id from users').get()?.['id'] as number;
  const insert = database.prepare(`${INSERT} values (?, ?, ?, ?, ?, ?, ?, ?)`);
  database.exec('begin');
  for (const { iid, description, created } of issues())
    insert.run(iid, projectId, `Issue ${iid}`, description, author, iid, created, created);
  database.exec(`${COUNT} (${projectId}, 'issue', ${ISSUES})`);
  database.exec('commit');
  database.close();
}

const BATCH = 2000;

/** Vacuumed afterwards, as the server's own housekeeping does within a minute: a throw-away server has none. */
async function insertIntoPostgres(url: string, projectId: number): Promise<void> {
  await onServer(url, async (client) => {
    const insert = (batch: Issue[]) =>
      client.query(
        `${INSERT} select iid, $1, 'Issue ' || iid, description, (select min(id) from users), iid, created, created
         from unnest($2::bigint[], $3::text[], $4::bigint[]) as given (iid, description, created)`,
        [
          projectId,
          batch.map(({ iid }) => iid),
          batch.map(({ description }) => description),
          batch.map(({ created }) => created),
        ],
      );
    let batch: Issue[] = [];
    for (const issue of issues()) {
      if (batch.push(issue) < BATCH) continue;
      await insert(batch);
      batch = [];
    }
    await insert(batch);
    await client.query(`${COUNT} ($1, 'issue', $2)`, [projectId, ISSUES]);
    await client.query('vacuum analyze issues');
  });
}
