import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { cherryPickTree, mergeTrees, revertTree } from './merge.ts';
import type { Repository } from './repository.ts';
import { openTestGit, type TestGit, type WorkTree } from './testing.ts';

describe('merges', () => {
  let host: TestGit;
  let work: WorkTree;
  let repo: Repository;
  const ids: Record<string, string> = {};

  before(async () => {
    host = await openTestGit();
    work = await host.workTree();
    const lines = (first: string, last: string) => `${first}\n${'same\n'.repeat(10)}${last}\n`;
    ids['root'] = await work.save({ f: lines('a', 'z'), keep: 'k\n' });
    await work.git('checkout', '-q', '-b', 'side');
    ids['side1'] = await work.save({ f: lines('side', 'z') });
    ids['side2'] = await work.save({ added: 'new\n' });
    await work.git('checkout', '-q', 'main');
    ids['main1'] = await work.save({ f: lines('a', 'main') });
    await work.git('checkout', '-q', '-b', 'rival', ids['root']);
    ids['rival'] = await work.save({ f: lines('rival', 'z'), 'odd "name"\n': '1' });
    await work.git('checkout', '-q', 'main');
    await work.git('merge', '-q', '--no-ff', '-m', 'merge', 'side');
    ids['merge'] = await work.git('rev-parse', 'HEAD');
    await work.git('checkout', '-q', '--orphan', 'alone');
    await work.git('rm', '-rfq', '.');
    ids['alone'] = await work.save({ alone: '1\n' });
    await work.git('checkout', '-q', 'main');
    repo = await host.import(work);
  });
  after(() => host[Symbol.asyncDispose]());

  const tree = (name: string) => work.git('rev-parse', `${ids[name]}^{tree}`);

  /** The tree that stock git makes of it in a work tree. */
  async function stock(onto: string, ...command: string[]): Promise<string> {
    await work.git('checkout', '-q', '--detach', ids[onto]!);
    try {
      await work.git(...command);
      return await work.git('rev-parse', 'HEAD^{tree}');
    } finally {
      await work.git('checkout', '-q', '-f', 'main');
    }
  }

  it('of two lines of work give the tree git merge gives', async () => {
    const merged = await mergeTrees(repo, { ours: ids['main1']!, theirs: ids['side2']! });
    assert.deepEqual(merged, { tree: await tree('merge') });
  });

  it('name the paths that conflict', async () => {
    const result = await mergeTrees(repo, { ours: ids['rival']!, theirs: ids['side1']! });
    assert.deepEqual(result, { conflicts: ['f'] });
  });

  it("take a base of the caller's choice, or none", async () => {
    const base = await mergeTrees(repo, { ours: ids['main1']!, theirs: ids['side2']!, base: ids['side1']! });
    assert.deepEqual(base, await cherryPickTree(repo, ids['side2']!, ids['main1']!));
    const apart = await mergeTrees(repo, { ours: ids['main1']!, theirs: ids['alone']!, base: null });
    assert.ok('tree' in apart);
  });

  it('pick one commit as git cherry-pick does', async () => {
    for (const [commit, onto] of [
      ['side2', 'main1'],
      ['side1', 'main1'],
      ['alone', 'main1'],
    ] as const)
      assert.deepEqual(
        await cherryPickTree(repo, ids[commit]!, ids[onto]!),
        { tree: await stock(onto, 'cherry-pick', ids[commit]!) },
        commit,
      );
    assert.deepEqual(await cherryPickTree(repo, ids['merge']!, ids['main1']!), {
      tree: await stock('main1', 'cherry-pick', '-m', '1', ids['merge']!),
    });
  });

  it('tell a conflict from a change that is there already', async () => {
    assert.deepEqual(await cherryPickTree(repo, ids['rival']!, ids['side1']!), { conflict: ['f'] });
    assert.deepEqual(await cherryPickTree(repo, ids['side1']!, ids['merge']!), { empty: true });
    assert.deepEqual(await revertTree(repo, ids['side2']!, ids['main1']!), { empty: true });
    assert.deepEqual(await revertTree(repo, ids['root']!, ids['merge']!), { conflict: ['f'] });
  });

  it('revert as git revert does, also the tip, a merge and a root', async () => {
    assert.deepEqual(await revertTree(repo, ids['side1']!, ids['merge']!), {
      tree: await stock('merge', 'revert', '--no-edit', ids['side1']!),
    });
    assert.deepEqual(await revertTree(repo, ids['merge']!, ids['merge']!), { tree: await tree('main1') });
    assert.deepEqual(await revertTree(repo, ids['side2']!, ids['side2']!), { tree: await tree('side1') });
    const emptied = await revertTree(repo, ids['alone']!, ids['alone']!);
    assert.deepEqual(emptied, { tree: await work.git('hash-object', '-t', 'tree', '/dev/null') });
  });

  it('take only ids', async () => {
    await assert.rejects(mergeTrees(repo, { ours: '--all', theirs: ids['root']! }), /not an object id/);
    await assert.rejects(cherryPickTree(repo, 'f'.repeat(40), ids['root']!), /no commit/);
  });
});
