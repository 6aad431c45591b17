import type { Bench } from '../commits.ts';
import {
  getOk,
  git,
  loadPair,
  median,
  ms,
  paired,
  type Row,
  rps,
  run,
  sequential,
  timed,
  times,
} from '../lib/measure.ts';

const FORMAT = '--format=raw';

/** The list of commits: warm against Gitea and the floor, cold against one git process, by path against git with its filters. */
export async function historyRows(bench: Bench): Promise<Row[]> {
  const rows = [...(await warm(bench)), await afterPush(bench)];
  // What keeps the repository fast after pushes works in the background, on the same two cores.
  await bench.ingot.settled();
  return [...rows, ...(await byPath(bench))];
}

const listUrl = ({ ingot, project }: Bench, query = '') =>
  `${ingot.url}/api/v4/projects/${project}/repository/commits${query}`;

async function warm(bench: Bench): Promise<Row[]> {
  const { ingot, gitea, floor, bare } = bench;
  const rows: Row[] = [];
  const body = await getOk(listUrl(bench), ingot.headers);
  const floorUrl = await floor.serve(body);
  for (const connections of [1, 8]) {
    const what = `list newest 20, warm, c=${connections}`;
    const ours = { url: listUrl(bench), headers: ingot.headers };
    rows.push(ratioRow(what, await loadPair(ours, { url: floorUrl }, connections), 'bare Fastify', 0.25));
    if (!gitea) continue;
    const theirs = { url: `${gitea.url}/api/v1/repos/bar/subject/commits?limit=20`, headers: gitea.headers };
    rows.push(ratioRow(what, await loadPair(ours, theirs, connections), 'Gitea', 500));
  }
  const p50 = await sequential(listUrl(bench), ingot.headers);
  const process = median(await repeat(20, () => timed(() => git(bare, 'log', '-20', FORMAT))));
  rows.push({
    what: 'list newest 20, warm, p50',
    ours: ms(p50),
    theirs: `${ms(process)} (git log -20)`,
    ratio: times(p50 / process),
    goal: 'under 0.25x',
    met: p50 / process < 0.25,
  });
  return rows;
}

/** Each run moves the branch by one commit through the API and asks for the list for the first time. */
async function afterPush(bench: Bench): Promise<Row> {
  const { ingot, project, bare } = bench;
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let i = 0; i < 20; i++) {
    await ingot.api('POST', `/projects/${project}/repository/commits`, {
      branch: 'main',
      commit_message: `bench ${i}`,
      actions: [{ action: 'create', file_path: `bench/after-push-${i}`, content: String(i) }],
    });
    ours.push(await timed(() => getOk(listUrl(bench), ingot.headers)));
    theirs.push(await timed(() => git(bare, 'log', '-20', FORMAT, 'main')));
  }
  const ratio = median(ours.map((value, i) => value / (theirs[i] ?? Number.NaN)));
  return {
    what: 'list newest 20, first time after a push',
    ours: ms(median(ours)),
    theirs: `${ms(median(theirs))} (git log -20)`,
    ratio: times(ratio),
    goal: 'at most 1.5x',
    met: ratio <= 1.5,
  };
}

async function byPath(bench: Bench): Promise<Row[]> {
  const { ingot, bare, source } = bench;
  const files = (await run('git', ['ls-tree', '-r', '--name-only', 'HEAD'], { cwd: source })).split('\n');
  const paths = files.filter((file) => /\.(c|h|sh|txt)$/.test(file) && !file.includes(' '));
  const chosen = Array.from({ length: 15 }, (_, i) => paths[Math.floor((i * paths.length) / 15)] ?? '');
  const url = (path: string) => listUrl(bench, `?path=${encodeURIComponent(path)}`);
  const cold = await paired(
    chosen.length,
    (i) => getOk(url(chosen[i] ?? ''), ingot.headers),
    (i) => git(bare, 'log', '-20', FORMAT, 'main', '--', chosen[i] ?? ''),
  );
  const known = url(chosen[0] ?? '');
  const second = await paired(
    300,
    () => getOk(known, ingot.headers),
    () => getOk(listUrl(bench), ingot.headers),
  );
  return [
    {
      what: 'path history, first page, first time',
      ours: ms(cold.a),
      theirs: `${ms(cold.b)} (git log -20 -- path)`,
      ratio: times(cold.ratio),
      goal: 'at most 1.3x',
      met: cold.ratio <= 1.3,
    },
    {
      what: 'path history, second time',
      ours: ms(second.a),
      theirs: `${ms(second.b)} (the warm list)`,
      ratio: times(second.ratio),
      goal: 'as fast (1.2x)',
      met: second.ratio <= 1.2,
    },
  ];
}

export function ratioRow(
  what: string,
  { ours, theirs, ratio }: Awaited<ReturnType<typeof loadPair>>,
  name: string,
  goal: number,
): Row {
  return {
    what,
    ours: rps(ours),
    theirs: `${rps(theirs)} (${name})`,
    ratio: times(ratio),
    goal: `over ${goal}x`,
    met: ratio > goal,
  };
}

export async function repeat(count: number, work: (i: number) => Promise<number>): Promise<number[]> {
  const values: number[] = [];
  for (let i = 0; i < count; i++) values.push(await work(i));
  return values;
}
