import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { refsContaining } from './ancestry.ts';
import { keepAround } from './keep-around.ts';
import { listCommits } from './log.ts';
import { listRefs, refSnapshot } from './refs.ts';
import { openTestGit, type TestGit } from './testing.ts';

describe('a commit that is kept around', () => {
  let host: TestGit;
  before(async () => {
    host = await openTestGit();
  });
  after(() => host[Symbol.asyncDispose]());

  async function withLeftCommit() {
    const work = await host.workTree();
    const main = await work.save({ a: '1' });
    await work.git('checkout', '--quiet', '-b', 'topic');
    const left = await work.save({ a: '2' }, 'Left');
    const repo = await host.import(work);
    return { repo, main, left };
  }

  it('outlives its branch and a prune', async () => {
    const { repo, left } = await withLeftCommit();
    await keepAround(repo, [left, left, 'f'.repeat(40), 'no id']);
    await keepAround(repo, [left]);
    await repo.run(['update-ref', '-d', 'refs/heads/topic']);
    await repo.run(['repack', '-a', '-d', '-q']);
    await repo.run(['prune', '--expire=now']);
    assert.equal((await repo.tryRun(['cat-file', '-e', left])).code, 0);
    assert.equal((await repo.tryRun(['cat-file', '-e', `${left}~1`])).code, 0);
  });

  it('is in no list, whether its ref is loose or packed', async () => {
    const { repo, main, left } = await withLeftCommit();
    await keepAround(repo, [main, left]);
    await repo.run(['update-ref', '-d', 'refs/heads/topic']);
    for (const pack of [false, true]) {
      if (pack) await repo.run(['pack-refs', '--all', '--prune']);
      assert.deepEqual(
        (await listRefs(repo)).map(({ name }) => name),
        ['refs/heads/main'],
      );
      const all = await listCommits(repo, { all: true, limit: 10 });
      assert.deepEqual(
        all.map(({ id }) => id),
        [main],
      );
      assert.deepEqual(await refsContaining(repo, left, 'all'), []);
      await keepAround(repo, [left]);
    }
  });

  it('disturbs nothing that is remembered of the refs', async () => {
    const { repo, main, left } = await withLeftCommit();
    await keepAround(repo, [main]);
    await new Promise((resolve) => setTimeout(resolve, 120)); // until the last change is no longer fresh
    const { version } = await refSnapshot(repo);
    await keepAround(repo, [left]);
    assert.equal((await refSnapshot(repo)).version, version);
  });
});
