import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { listCommits } from './log.ts';
import { dropPipelineRefs, keepPipelineRef, pipelineRef } from './pipeline-refs.ts';
import { listRefs, resolveRef } from './refs.ts';
import { openTestGit, type TestGit } from './testing.ts';

describe('the ref of a pipeline', () => {
  let host: TestGit;
  before(async () => {
    host = await openTestGit();
  });
  after(() => host[Symbol.asyncDispose]());

  it('keeps its commit to be fetched, in no list, until it is dropped', async () => {
    const work = await host.workTree();
    const main = await work.save({ a: '1' });
    await work.git('checkout', '--quiet', '-b', 'topic');
    const left = await work.save({ a: '2' }, 'Left');
    const repo = await host.import(work);
    await keepPipelineRef(repo, { id: 7, sha: left });
    await keepPipelineRef(repo, { id: 7, sha: left });
    await repo.run(['update-ref', '-d', 'refs/heads/topic']);
    assert.equal(await resolveRef(repo, pipelineRef(7)), left);
    assert.deepEqual(
      (await listRefs(repo)).map(({ name }) => name),
      ['refs/heads/main'],
    );
    const all = await listCommits(repo, { all: true, limit: 10 });
    assert.deepEqual(
      all.map(({ id }) => id),
      [main],
    );
    await dropPipelineRefs(repo, [7, 8]);
    assert.equal(await resolveRef(repo, pipelineRef(7)), null);
  });

  it('is not made for a commit that is not there', async () => {
    const work = await host.workTree();
    await work.save({ a: '1' });
    const repo = await host.import(work);
    assert.equal(await keepPipelineRef(repo, { id: 1, sha: 'f'.repeat(40) }), false);
    assert.equal(await resolveRef(repo, pipelineRef(1)), null);
  });
});
