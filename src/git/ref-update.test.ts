import assert from 'node:assert/strict';
import { access, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { InvalidRef, RefConflict, RefNameClash, updateRefs } from './ref-update.ts';
import { listRefs, resolveRef } from './refs.ts';
import type { Repository } from './repository.ts';
import { breakAbandonedLocks } from './stale-files.ts';
import { openTestGit, type TestGit } from './testing.ts';

describe('ref updates', () => {
  let host: TestGit;
  let repo: Repository;
  let a: string;
  let b: string;
  let tree: string;

  before(async () => {
    host = await openTestGit();
    const work = await host.workTree();
    a = await work.save({ f: '1' });
    b = await work.save({ f: '2' });
    tree = await work.git('rev-parse', 'HEAD^{tree}');
    repo = await host.import(work);
  });
  after(() => host[Symbol.asyncDispose]());

  it('create, move and delete', async () => {
    await updateRefs(repo, [{ ref: 'refs/heads/new', old: null, new: a }]);
    await updateRefs(repo, [{ ref: 'refs/heads/new', old: a, new: b }]);
    assert.equal(await resolveRef(repo, 'refs/heads/new'), b);
    await updateRefs(repo, [{ ref: 'refs/heads/new', new: a }]);
    await updateRefs(repo, [{ ref: 'refs/heads/new', old: a, new: null }]);
    assert.equal(await resolveRef(repo, 'refs/heads/new'), null);
  });

  it('refuse another value than the expected one, packed or loose', async () => {
    await updateRefs(repo, [{ ref: 'refs/heads/held', old: null, new: a }]);
    for (const pack of [false, true]) {
      if (pack) await repo.run(['pack-refs', '--all']);
      await assert.rejects(updateRefs(repo, [{ ref: 'refs/heads/held', old: b, new: b }]), RefConflict);
      await assert.rejects(updateRefs(repo, [{ ref: 'refs/heads/held', old: null, new: b }]), RefConflict);
      await assert.rejects(updateRefs(repo, [{ ref: 'refs/heads/held', old: b, new: null }]), RefConflict);
      await assert.rejects(updateRefs(repo, [{ ref: 'refs/heads/absent', old: a, new: b }]), RefConflict);
      await assert.rejects(updateRefs(repo, [{ ref: 'refs/heads/held', old: null, new: null }]), RefConflict);
    }
    assert.equal(await resolveRef(repo, 'refs/heads/held'), a);
  });

  it('are all or nothing', async () => {
    const updates = [
      { ref: 'refs/heads/one', old: null, new: a },
      { ref: 'refs/heads/main', old: a, new: a },
    ];
    await assert.rejects(updateRefs(repo, updates), RefConflict);
    assert.equal(await resolveRef(repo, 'refs/heads/one'), null);
  });

  it('let exactly one of many rivals win', async () => {
    await updateRefs(repo, [{ ref: 'refs/heads/race', old: null, new: a }]);
    const rivals = Array.from({ length: 8 }, () =>
      updateRefs(repo, [{ ref: 'refs/heads/race', old: a, new: b }]),
    );
    const results = await Promise.allSettled(rivals);
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
    for (const result of results)
      if (result.status === 'rejected')
        assert.ok(result.reason instanceof RefConflict, String(result.reason));
  });

  it('name the clash of a folder and a file', async () => {
    await updateRefs(repo, [{ ref: 'refs/heads/dir/x', old: null, new: a }]);
    await assert.rejects(updateRefs(repo, [{ ref: 'refs/heads/dir', old: null, new: a }]), RefNameClash);
    await assert.rejects(updateRefs(repo, [{ ref: 'refs/heads/dir/x/y', old: null, new: a }]), RefNameClash);
    const both = [
      { ref: 'refs/heads/p', old: null, new: a },
      { ref: 'refs/heads/p/q', old: null, new: a },
    ];
    await assert.rejects(updateRefs(repo, both), RefNameClash);
  });

  it('refuse bad names and values', async () => {
    for (const ref of ['main', 'refs/heads/a b', 'refs/heads/x\0y', 'HEAD', 'refs/heads/../x', '-d'])
      await assert.rejects(updateRefs(repo, [{ ref, new: a }]), InvalidRef);
    for (const value of ['main', 'f'.repeat(40), tree, `${a}\0`])
      await assert.rejects(updateRefs(repo, [{ ref: 'refs/heads/v', new: value }]), InvalidRef, value);
  });

  it('report a lock that nobody gives back as a conflict', async () => {
    await updateRefs(repo, [{ ref: 'refs/heads/locked', old: null, new: a }]);
    await writeFile(join(repo.path, 'refs/heads/locked.lock'), '');
    await assert.rejects(updateRefs(repo, [{ ref: 'refs/heads/locked', old: a, new: b }]), RefConflict);
    await access(join(repo.path, 'refs/heads/locked.lock'));
  });

  it('break the locks that a killed process left, all at once', async () => {
    const leave = async (file: string) => {
      const path = join(repo.path, file);
      await writeFile(path, '');
      const time = Date.now() / 1000 - 11;
      await utimes(path, time, time);
    };
    for (const name of ['one', 'two']) {
      await updateRefs(repo, [{ ref: `refs/heads/${name}`, old: null, new: a }]);
      await leave(`refs/heads/${name}.lock`);
    }
    await leave('packed-refs.lock');
    await leave('packed-refs.new');
    await updateRefs(repo, [
      { ref: 'refs/heads/one', old: a, new: b },
      { ref: 'refs/heads/two', old: a, new: null },
    ]);
    assert.equal(await resolveRef(repo, 'refs/heads/one'), b);
    assert.equal(await resolveRef(repo, 'refs/heads/two'), null);
    await leave('HEAD.lock');
    await repo.setHead('one');
    assert.equal(await repo.head(), 'one');
  });

  it('leave packed refs alone while they are being written', async () => {
    const lock = join(repo.path, 'packed-refs.lock');
    await writeFile(lock, '');
    const time = Date.now() / 1000 - 11;
    await utimes(lock, time, time);
    await writeFile(join(repo.path, 'packed-refs.new'), '');
    assert.deepEqual(await breakAbandonedLocks(repo.path), []);
    await rm(lock);
    await rm(join(repo.path, 'packed-refs.new'));
  });

  it('are seen at once in the list', async () => {
    await listRefs(repo);
    await updateRefs(repo, [{ ref: 'refs/tags/fresh', old: null, new: a }]);
    assert.equal((await listRefs(repo, 'refs/tags/fresh')).length, 1);
  });
});
