import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { patchId } from './patch-id.ts';
import { openTestGit, type TestGit, type WorkTree } from './testing.ts';

describe('patch ids', () => {
  let host: TestGit;
  let work: WorkTree;
  before(async () => {
    host = await openTestGit();
    work = await host.workTree();
    await work.save({ base: 'base\n' });
  });
  after(() => host[Symbol.asyncDispose]());

  it('are the same for the same changes in another place, and other ones for other changes', async () => {
    const base = await work.git('rev-parse', 'HEAD');
    const one = await work.save({ a: 'a\n' });
    await work.git('checkout', '--quiet', '-B', 'elsewhere', base);
    const other = await work.save({ b: 'b\n' });
    const again = await work.save({ a: 'a\n' });
    const repo = await host.import(work);
    const id = await patchId(repo, base, one);
    assert.match(id ?? '', /^[0-9a-f]{40}$/);
    assert.equal(await patchId(repo, other, again), id);
    assert.notEqual(await patchId(repo, base, other), id);
    assert.equal(await patchId(repo, base, one), id);
  });

  it('are null where nothing changed, and there for what begins with nothing', async () => {
    const head = await work.git('rev-parse', 'HEAD');
    const repo = await host.import(work);
    assert.equal(await patchId(repo, head, head), null);
    assert.match((await patchId(repo, null, head)) ?? '', /^[0-9a-f]{40}$/);
  });

  it('fail for commits that are not there', async () => {
    const repo = await host.import(work);
    await assert.rejects(patchId(repo, null, 'e'.repeat(40)));
  });
});
