import type { Bench } from '../commits.ts';
import { getOk, git, loadPair, ms, paired, type Row, times } from '../lib/measure.ts';
import { ratioRow } from './history.ts';

/** One commit with its stats, and its diff: warm against Gitea and the floor, cold against one git process. */
export async function detailRows(bench: Bench): Promise<Row[]> {
  const { ingot, gitea, floor, project, bare, source } = bench;
  const list = await git(source, 'log', '--no-merges', '-400', '--format=%H', 'HEAD~2000');
  const shas = list.trim().split('\n');
  const base = `${ingot.url}/api/v4/projects/${project}/repository/commits`;
  const rows: Row[] = [];
  await ingot.settled();
  for (const [what, suffix, command, theirPath] of [
    [
      'one commit with stats',
      '',
      ['diff-tree', '--root', '--numstat', '-r'],
      (sha: string) => `${sha}?stat=true`,
    ],
    [
      'the diff of a commit',
      '/diff',
      ['diff-tree', '--root', '-p', '-r', '-M30%'],
      (sha: string) => `${sha}.diff`,
    ],
  ] as const) {
    const offset = suffix === '' ? 0 : 100;
    const cold = await paired(
      60,
      (i) => getOk(`${base}/${shas[offset + i]}${suffix}`, ingot.headers),
      (i) => git(bare, ...command, shas[offset + i] ?? ''),
    );
    rows.push({
      what: `${what}, cold`,
      ours: ms(cold.a),
      theirs: `${ms(cold.b)} (one git process)`,
      ratio: times(cold.ratio),
      goal: 'at most 1.3x',
      met: cold.ratio <= 1.3,
    });
    const url = `${base}/${shas[0]}${suffix}`;
    const floorUrl = await floor.serve(await getOk(url, ingot.headers));
    for (const connections of [1, 8]) {
      const name = `${what}, warm, c=${connections}`;
      const ours = { url, headers: ingot.headers };
      rows.push(ratioRow(name, await loadPair(ours, { url: floorUrl }, connections), 'bare Fastify', 0.25));
      if (!gitea) continue;
      const theirs = {
        url: `${gitea.url}/api/v1/repos/bar/subject/git/commits/${theirPath(shas[0] ?? '')}`,
        headers: gitea.headers,
      };
      rows.push(ratioRow(name, await loadPair(ours, theirs, connections), 'Gitea', 20));
    }
  }
  return rows;
}
