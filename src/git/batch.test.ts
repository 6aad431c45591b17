import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { readCommit, readCommits } from './objects.ts';
import type { Repository } from './repository.ts';
import { openTestGit } from './testing.ts';

/** The reader processes that a handle starts from now on. */
function watchReaders(repo: Repository): ChildProcess[] {
  const started: ChildProcess[] = [];
  const spawn = repo.spawn.bind(repo);
  repo.spawn = (...args) => {
    const child = spawn(...args);
    started.push(child);
    return child;
  };
  return started;
}

describe('object readers', () => {
  it('answer many questions of one turn in order', async () => {
    await using host = await openTestGit();
    const work = await host.workTree();
    const ids: string[] = [];
    for (let n = 0; n < 20; n++) ids.push(await work.save({ f: `${n}` }, `m${n}`));
    const repo = await host.import(work);
    const asked = Array.from({ length: 300 }, (_, n) => ids[n % 20]!);
    const replies = await Promise.all(asked.map((oid) => host.git.batch.contents(repo, oid)));
    assert.deepEqual(
      replies.map((reply) => reply?.oid),
      asked,
    );
  });

  it('are bounded; more repositories than readers still all get answers', async () => {
    await using host = await openTestGit({ maxReaders: 2 });
    const work = await host.workTree();
    const commit = await work.save({ a: '1' });
    const repos = await Promise.all(Array.from({ length: 7 }, () => host.import(work)));
    const started = repos.map(watchReaders);
    const rounds = Array.from({ length: 5 }, () => repos).flat();
    const replies = await Promise.all(rounds.map((repo) => host.git.batch.info(repo, commit)));
    assert.ok(replies.every((reply) => reply?.oid === commit));
    const alive = () =>
      started.flat().filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
    // One that made room is told to end, and takes a moment to be gone.
    while (alive().length > 2) await Promise.race(alive().map((child) => once(child, 'exit')));
    assert.equal(alive().length, 2);
  });

  it('are replaced when they die, without an error to anybody', async () => {
    await using host = await openTestGit();
    const work = await host.workTree();
    const commit = await work.save({ a: '1' });
    const repo = await host.import(work);
    const started = watchReaders(repo);
    await host.git.batch.info(repo, commit);
    started[0]!.kill('SIGSTOP'); // so that the questions are under way when it dies
    const replies = [commit, `${commit}^{tree}`, commit].map((rev) => host.git.batch.info(repo, rev));
    started[0]!.kill('SIGKILL');
    assert.deepEqual(
      (await Promise.all(replies)).map((reply) => reply?.type),
      ['commit', 'tree', 'commit'],
    );
  });

  it('do not let a broken object take its neighbours along', async () => {
    await using host = await openTestGit();
    const work = await host.workTree();
    const good = await work.save({ a: '1' });
    const repo = await host.empty();
    await work.run(['push', '--quiet', repo.path, 'main']);
    const broken = execFileSync('git', ['--git-dir', repo.path, 'hash-object', '-w', '--stdin'], {
      input: 'x',
    })
      .toString()
      .trim();
    const file = join(repo.path, 'objects', broken.slice(0, 2), broken.slice(2));
    chmodSync(file, 0o644);
    writeFileSync(file, 'not zlib');
    const asked = [good, broken, good, good].map((oid) => host.git.batch.contents(repo, oid));
    const [first, second, third, fourth] = await Promise.allSettled(asked);
    for (const result of [first, third, fourth]) assert.equal(result?.status, 'fulfilled');
    assert.ok(second?.status === 'rejected' || second?.value === null);
  });

  it('see objects that another process has just written or packed', async () => {
    await using host = await openTestGit();
    const work = await host.workTree();
    const repo = await host.empty();
    for (let n = 0; n < 5; n++) {
      const commit = await work.save({ f: `${n}` });
      assert.equal(await readCommit(repo, commit), null);
      await work.run(['push', '--quiet', repo.path, 'main']);
      assert.equal((await readCommit(repo, commit))?.id, commit);
      assert.equal((await host.git.batch.info(repo, commit.slice(0, 10)))?.oid, commit);
      if (n % 2 === 1) execFileSync('git', ['--git-dir', repo.path, 'repack', '-adq']);
    }
  });

  it('leave out what is above the limit and stay in step', async () => {
    await using host = await openTestGit();
    const work = await host.workTree();
    const commit = await work.save({ big: Buffer.alloc(500_000, 'line\n'), small: 'x' });
    const repo = await host.import(work);
    const [big, small] = await Promise.all([
      host.git.batch.contents(repo, `${commit}:big`, { maxBytes: 10 }),
      host.git.batch.contents(repo, `${commit}:small`, { maxBytes: 10 }),
    ]);
    assert.equal(big?.size, 500_000);
    assert.equal(big?.data, null);
    assert.equal(small?.data?.toString(), 'x');
  });

  it('stop waiting when asked to', async () => {
    await using host = await openTestGit();
    const work = await host.workTree();
    const commit = await work.save({ a: '1' });
    const repo = await host.import(work);
    const controller = new AbortController();
    const pending = host.git.batch.info(repo, commit, controller.signal);
    controller.abort(new Error('enough'));
    await assert.rejects(pending, /enough/);
    assert.deepEqual(
      (await readCommits(repo, [commit])).map((c) => c?.id),
      [commit],
    );
  });
});
