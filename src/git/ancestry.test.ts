import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { countCommits, isAncestor, mergeBase, refsContaining } from './ancestry.ts';
import { updateRefs } from './ref-update.ts';
import type { Repository } from './repository.ts';
import { openTestGit, type TestGit } from './testing.ts';

describe('ancestry', () => {
  let host: TestGit;
  let repo: Repository;
  let root: string;
  let side: string;
  let merge: string;
  let alone: string;

  before(async () => {
    host = await openTestGit();
    const work = await host.workTree();
    root = await work.save({ a: '1' });
    await work.git('checkout', '-q', '-b', 'side');
    await work.save({ b: '1' });
    side = await work.save({ b: '2' });
    await work.git('checkout', '-q', 'main');
    await work.save({ c: '1' });
    await work.git('merge', '-q', '--no-ff', '-m', 'merge', 'side');
    merge = await work.git('rev-parse', 'HEAD');
    await work.git('tag', '-a', 'v1', '-m', 'v1', root);
    await work.git('tag', 'light', side);
    await work.git('update-ref', 'refs/other/x', merge);
    await work.git('checkout', '-q', '--orphan', 'alone');
    alone = await work.save({ z: '1' });
    repo = await host.import(work);
  });
  after(() => host[Symbol.asyncDispose]());

  it('counts commits', async () => {
    assert.equal(await countCommits(repo, merge), 5);
    assert.equal(await countCommits(repo, merge, { firstParent: true }), 3);
    assert.equal(await countCommits(repo, `${root}..${merge}`), 4);
    await assert.rejects(countCommits(repo, '--all'), /not an object id/);
  });

  it('finds merge bases', async () => {
    assert.equal(await mergeBase(repo, [merge, side]), side);
    assert.equal(await mergeBase(repo, [`${merge}`, root]), root);
    assert.equal(await mergeBase(repo, [merge, alone]), null);
    await assert.rejects(mergeBase(repo, ['--all', root]), /not an object id/);
  });

  it('knows ancestors', async () => {
    assert.equal(await isAncestor(repo, root, merge), true);
    assert.equal(await isAncestor(repo, merge, root), false);
    assert.equal(await isAncestor(repo, root, root), true);
    await assert.rejects(isAncestor(repo, 'f'.repeat(40), root));
  });

  it('names branches and then tags that contain a commit, fresh after each push', async () => {
    const branch = (name: string) => ({ type: 'branch', name });
    const tag = (name: string) => ({ type: 'tag', name });
    assert.deepEqual(await refsContaining(repo, root, 'all'), [
      branch('main'),
      branch('side'),
      tag('light'),
      tag('v1'),
    ]);
    assert.deepEqual(await refsContaining(repo, root, 'tag'), [tag('light'), tag('v1')]);
    assert.deepEqual(await refsContaining(repo, merge, 'branch'), [branch('main')]);
    await updateRefs(repo, [{ ref: 'refs/heads/a/new', old: null, new: merge }]);
    assert.deepEqual(await refsContaining(repo, merge, 'branch'), [branch('a/new'), branch('main')]);
    await updateRefs(repo, [{ ref: 'refs/heads/a/new', old: merge, new: null }]);
    assert.deepEqual(await refsContaining(repo, merge, 'branch'), [branch('main')]);
  });
});
