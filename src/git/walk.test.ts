import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openTestGit, type WorkTree } from './testing.ts';
import { walkCommits } from './walk.ts';

/** A tangle of merges with clocks that are wrong and often equal. Returns the tip. */
async function tangle(work: WorkTree, commits: number): Promise<string> {
  let seed = 42;
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed / 2_147_483_648) * below);
  };
  const lines: string[] = [];
  for (let n = 1; n <= commits; n++) {
    const time = 1_000_000_000 + Math.floor(n / 4) * 100 - random(3) * 200;
    lines.push('commit refs/heads/main', `mark :${n}`, `committer C <c> ${time} +0000`, 'data 1', 'm');
    if (n > 1) lines.push(`from :${n - 1}`);
    const others = new Set([random(n), random(n), random(n)].filter((m) => m > 0 && m < n - 1));
    if (n % 2 === 0) for (const other of others) lines.push(`merge :${other}`);
    lines.push('');
  }
  await work.run(['fast-import', '--quiet', '--force'], { input: lines.join('\n') });
  return work.git('rev-parse', 'main');
}

describe('a walk through history', () => {
  it('has the order of git log, whatever the clocks say', async () => {
    await using host = await openTestGit();
    const work = await host.workTree();
    const tip = await tangle(work, 200);
    const repo = await host.import(work);
    for (const firstParent of [false, true]) {
      const flags = firstParent ? ['--first-parent'] : [];
      const expected = (await work.git('log', '--format=%H', ...flags, 'main')).split('\n');
      const walked = await walkCommits(repo, tip, { count: 500, firstParent });
      assert.deepEqual(
        walked?.map(({ id }) => id),
        expected,
      );
      const part = await walkCommits(repo, tip, { count: 7, firstParent });
      assert.deepEqual(
        part?.map(({ id }) => id),
        expected.slice(0, 7),
      );
    }
  });

  it('gives up where a commit is missing', async () => {
    await using host = await openTestGit();
    const work = await host.workTree();
    const commit = await work.save({ a: '1' });
    const repo = await host.import(work);
    const raw = (await work.run(['cat-file', 'commit', commit]))
      .toString()
      .replace('author', `parent ${'f'.repeat(40)}\nauthor`);
    const orphan = await repo.run(['hash-object', '-w', '-t', 'commit', '--stdin', '--literally'], {
      input: raw,
    });
    assert.equal(await walkCommits(repo, orphan.toString().trim(), { count: 5 }), null);
    assert.equal(await walkCommits(repo, 'f'.repeat(40), { count: 5 }), null);
  });
});
