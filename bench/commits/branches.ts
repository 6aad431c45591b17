import type { Bench } from '../commits.ts';
import { git, loadPair, type Row } from '../lib/measure.ts';
import { ratioRow } from './history.ts';

/** Twenty of a thousand branches. The same ones are pushed to both. */
export async function branchRows(bench: Bench): Promise<Row[]> {
  const { ingot, gitea, project, source } = bench;
  const shas = (await git(source, 'log', '-1000', '--format=%H', 'HEAD')).trim().split('\n');
  const refspecs = Array.from(
    { length: 1000 },
    (_, i) => `${shas[i % shas.length]}:refs/heads/bench/branch-${String(i).padStart(4, '0')}`,
  );
  await git(source, 'push', '-q', ingot.gitUrl('root/subject'), ...refspecs);
  if (!gitea) return [];
  const token = gitea.headers['authorization']?.split(' ')[1];
  await git(
    source,
    'push',
    '-q',
    `${gitea.url.replace('//', `//bar:${token}@`)}/bar/subject.git`,
    ...refspecs,
  );
  await ingot.settled();
  const rows: Row[] = [];
  for (const connections of [1, 8]) {
    const pair = await loadPair(
      { url: `${ingot.url}/api/v4/projects/${project}/repository/branches`, headers: ingot.headers },
      { url: `${gitea.url}/api/v1/repos/bar/subject/branches?limit=20`, headers: gitea.headers },
      connections,
    );
    rows.push(ratioRow(`branches, 20 of 1,000, c=${connections}`, pair, 'Gitea', 20));
  }
  return rows;
}
