import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bench } from '../commits.ts';
import { git, loadPair, type Row, run } from '../lib/measure.ts';
import { ratioRow } from './history.ts';

const BRANCHES = 1000;

/**
 * Twenty of a thousand branches, each at a commit of its own. In a repository that has nothing else, because Gitea takes
 * minutes for as many new branches of a large one.
 */
export async function branchRows({ ingot, gitea, source }: Bench): Promise<Row[]> {
  if (!gitea) return [];
  const folder = join(source, '..', 'branches.git');
  await branchy(folder);
  const project = await ingot.api<{ id: number }>('POST', '/projects', { name: 'branches' });
  const all = 'refs/heads/*:refs/heads/*';
  await git(folder, 'push', '-q', ingot.gitUrl('root/branches'), all);
  const token = gitea.headers['authorization']?.split(' ')[1];
  await git(folder, 'push', '-q', `${gitea.url.replace('//', `//bar:${token}@`)}/bar/branches.git`, all);
  await ingot.settled();
  const ours = {
    url: `${ingot.url}/api/v4/projects/${project.id}/repository/branches`,
    headers: ingot.headers,
  };
  const theirs = { url: `${gitea.url}/api/v1/repos/bar/branches/branches?limit=20`, headers: gitea.headers };
  const rows: Row[] = [];
  for (const connections of [1, 8]) {
    const name = `branches, 20 of 1,000, c=${connections}`;
    rows.push(ratioRow(name, await loadPair(ours, theirs, connections), 'Gitea', 20));
  }
  return rows;
}

/** Written as a stream of `git fast-import`: a thousand calls of git would take half a minute. */
async function branchy(folder: string): Promise<void> {
  await mkdir(folder);
  await git(folder, 'init', '-q', '--bare', '-b', 'main');
  const commit = (ref: string, mark: number, from?: number) =>
    `commit refs/heads/${ref}\nmark :${mark}\ncommitter Ann <ann@example.com> ${1_700_000_000 + mark} +0000\n` +
    `data 5\nwork\n\n${from ? `from :${from}\n` : ''}M 100644 inline file-${mark}\ndata 2\n${mark % 10}\n\n`;
  let stream = commit('main', 1);
  for (let i = 0; i < BRANCHES; i++) {
    stream += commit(`bench/branch-${String(i).padStart(4, '0')}`, i + 2, 1);
  }
  await run('git', ['fast-import', '--quiet'], { cwd: folder, input: stream });
}
