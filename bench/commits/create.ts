import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bench } from '../commits.ts';
import type { Gitea } from '../lib/gitea.ts';
import { fetchOk, git, median, ms, type Row, timed, times } from '../lib/measure.ts';

const RUNS = 35;
/** The first of each are not counted. */
const WARM_UP = 5;

/** A commit with one file through the API, against Gitea's contents route, and by the size of the tree. */
export async function createRows(bench: Bench): Promise<Row[]> {
  const { gitea, project, source } = bench;
  const rows: Row[] = [];
  if (gitea) {
    const ours: number[] = [];
    const theirs: number[] = [];
    for (let i = 0; i < RUNS; i++) {
      ours.push(await timed(() => create(bench, project, `bench/create-${i}`)));
      theirs.push(await timed(() => createThere(gitea, i)));
    }
    const ratio = median(theirs.slice(WARM_UP)) / median(ours.slice(WARM_UP));
    rows.push({
      what: 'create a commit with one file',
      ours: ms(median(ours.slice(WARM_UP))),
      theirs: `${ms(median(theirs.slice(WARM_UP)))} (Gitea)`,
      ratio: `${times(ratio)} as fast`,
      goal: 'over 3x',
      met: ratio > 3,
    });
  }
  await bench.ingot.settled();
  const small = await projectOf(bench, source, 'small', 10);
  const large = await projectOf(bench, source, 'large', 100_000);
  await bench.ingot.settled();
  const smallTimes: number[] = [];
  const largeTimes: number[] = [];
  for (let i = 0; i < RUNS; i++) {
    smallTimes.push(await timed(() => create(bench, small, `d0/new-${i}`)));
    largeTimes.push(await timed(() => create(bench, large, `d0/new-${i}`)));
  }
  const [few, many] = [median(smallTimes.slice(WARM_UP)), median(largeTimes.slice(WARM_UP))];
  const growth = many / few;
  rows.push({
    what: 'create a commit: 100,000 files against 10',
    ours: ms(many),
    theirs: `${ms(few)} (10 files)`,
    ratio: times(growth),
    goal: 'under 1.5x',
    met: growth < 1.5,
  });
  return rows;
}

const createThere = ({ url, headers }: Gitea, i: number) =>
  fetchOk(`${url}/api/v1/repos/bar/subject/contents/bench/create-${i}`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ branch: 'main', message: `bench ${i}`, content: 'eA==' }),
  });

const create = ({ ingot }: Bench, project: number, path: string) =>
  ingot.api('POST', `/projects/${project}/repository/commits`, {
    branch: 'main',
    commit_message: `bench ${path}`,
    actions: [{ action: 'create', file_path: path, content: 'x' }],
  });

/** A project whose files are spread over folders of a hundred, as people lay them out. */
async function projectOf({ ingot }: Bench, source: string, name: string, files: number): Promise<number> {
  const folder = join(source, '..', name);
  await mkdir(folder);
  await git(folder, 'init', '-q', '-b', 'main');
  for (let d = 0; d * 100 < files; d++) {
    const inner = join(folder, `d${Math.floor(d / 100)}`, `e${d % 100}`);
    await mkdir(inner, { recursive: true });
    for (let f = 0; f < Math.min(100, files - d * 100); f++)
      await writeFile(join(inner, `f${f}`), `${d} ${f}\n`);
  }
  await git(folder, 'add', '.');
  await git(folder, '-c', 'user.name=b', '-c', 'user.email=b@example.com', 'commit', '-q', '-m', 'all');
  const project = await ingot.api<{ id: number }>('POST', '/projects', { name });
  await git(folder, 'push', '-q', ingot.gitUrl(`root/${name}`), 'main');
  return project.id;
}
