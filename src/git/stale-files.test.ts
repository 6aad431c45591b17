import assert from 'node:assert/strict';
import { access, mkdir, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Repository } from './repository.ts';
import { removeStaleLocks } from './stale-files.ts';
import { openTestGit, type TestGit, type WorkTree } from './testing.ts';

const HOUR = 3600_000;

describe('what killed git processes leave behind', () => {
  let test: TestGit;
  let work: WorkTree;
  let repo: Repository;

  before(async () => {
    test = await openTestGit();
    work = await test.workTree();
    await work.save({ a: 'a' });
    repo = await test.import(work);
  });
  after(() => test[Symbol.asyncDispose]());

  const leave = async (file: string, hoursAgo: number) => {
    const path = join(repo.path, file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, '');
    const time = (Date.now() - hoursAgo * HOUR) / 1000;
    await utimes(path, time, time);
  };
  const LOCKS = [
    'HEAD.lock',
    'packed-refs.lock',
    'packed-refs.new',
    'refs/heads/main.lock',
    'refs/heads/deep/er/branch.lock',
    'objects/info/commit-graphs/commit-graph-chain.lock',
    'objects/pack/multi-pack-index.lock',
  ];

  it('is removed when it is old', async () => {
    for (const lock of LOCKS) await leave(lock, 1);
    await leave('objects/pack/tmp_pack_x', 25);
    await leave('objects/pack/.tmp-1-pack-x', 25);
    await leave('objects/tmp_objdir-incoming-x/pack/tmp_pack_y', 25);
    const time = (Date.now() - 25 * HOUR) / 1000;
    await utimes(join(repo.path, 'objects/tmp_objdir-incoming-x'), time, time);
    const removed = await removeStaleLocks(repo.path);
    assert.deepEqual(
      removed.sort(),
      [
        ...LOCKS,
        'objects/pack/.tmp-1-pack-x',
        'objects/pack/tmp_pack_x',
        'objects/tmp_objdir-incoming-x',
      ].sort(),
    );
    await work.git('push', '-q', repo.path, 'main:refs/heads/other');
    await repo.run(['pack-refs', '--all']);
    assert.deepEqual(await removeStaleLocks(repo.path), []);
  });

  it('stays while its owner may be at work', async () => {
    for (const lock of LOCKS) await leave(lock, 0);
    await leave('objects/pack/tmp_pack_x', 1);
    await leave('objects/tmp_objdir-incoming-x/pack/y', 1);
    assert.deepEqual(await removeStaleLocks(repo.path), []);
    assert.equal((await removeStaleLocks(repo.path, { lockMs: -1 })).length, LOCKS.length);
    await access(join(repo.path, 'objects/pack/tmp_pack_x'));
  });

  it('is not looked for among other files', async () => {
    await leave('refs/heads/locked', 99);
    await leave('config', 99);
    await leave('objects/pack/pack-1.pack', 99);
    assert.deepEqual(await removeStaleLocks(repo.path), []);
    assert.deepEqual(await removeStaleLocks(join(repo.path, 'no-such-repository')), []);
  });
});
