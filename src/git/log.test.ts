import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ListCommits, lastCommitFor, listCommits } from './log.ts';
import { readCommit } from './objects.ts';
import type { Repository } from './repository.ts';
import { openTestGit, type TestGit, type WorkTree } from './testing.ts';

describe('history', () => {
  let host: TestGit;
  let work: WorkTree;
  let repo: Repository;
  let tip: string;

  /** Two lines of work that overlap in time, merged, with a file renamed twice on the way. */
  before(async () => {
    host = await openTestGit();
    work = await host.workTree();
    const text = (n: number) => `${'same line\n'.repeat(30)}${n}\n`;
    await work.save({ 'old.txt': text(0), other: '0' }, 'Start', { at: 1000 });
    await work.save({ 'old.txt': text(1) }, 'Old one', { at: 2000, author: 'Bob', email: 'bob@x' });
    await work.git('mv', 'old.txt', 'mid.txt');
    await work.save({ other: '1' }, 'Rename once', { at: 3000 });
    await work.git('checkout', '-q', '-b', 'side');
    await work.save({ side: '1' }, 'Side one', { at: 4000 });
    await work.save({ side: '2' }, 'Side two\n\nwith a body\n', { at: 6000, author: 'bob', email: 'b@x' });
    await work.git('checkout', '-q', 'main');
    await work.save({ 'mid.txt': text(2) }, 'Mid one', { at: 5000 });
    await work.save({ other: '2' }, 'Other', { at: 7000, author: 'Bo[b', email: 'b@y' });
    await work.run(['merge', '-q', '--no-ff', '-m', 'Merge side', 'side'], {
      env: { GIT_COMMITTER_DATE: '@8000 +0000', GIT_AUTHOR_DATE: '@8000 +0000' },
    });
    await work.git('mv', 'mid.txt', 'new name.txt');
    await work.save({}, 'Rename twice', { at: 9000 });
    tip = await work.save({ 'new name.txt': text(3) }, 'New one', { at: 10_000 });
    repo = await host.import(work);
  });
  after(() => host[Symbol.asyncDispose]());

  const ids = async (options: Omit<ListCommits, 'limit'> & { limit?: number }) =>
    (await listCommits(repo, { limit: 100, from: tip, ...options })).map(({ id }) => id);
  const log = async (...args: string[]) => {
    const output = await work.git('log', '--format=%H', ...args);
    return output === '' ? [] : output.split('\n');
  };

  it('is in the order of git log', async () => {
    assert.deepEqual(await ids({}), await log('main'));
    assert.deepEqual(await ids({ order: 'topo' }), await log('--topo-order', 'main'));
    assert.notDeepEqual(await ids({}), await ids({ order: 'topo' }));
    assert.deepEqual(await ids({ firstParent: true }), await log('--first-parent', 'main'));
  });

  it('gives the same commits as reading each one', async () => {
    const listed = await listCommits(repo, { from: tip, limit: 100 });
    const other = await host.import(work);
    for (const commit of listed) assert.deepEqual(commit, await readCommit(other, commit.id));
  });

  it('comes in pages', async () => {
    const all = await log('main');
    for (const [skip, limit] of [
      [0, 3],
      [3, 3],
      [9, 3],
      [100, 3],
      [0, 0],
    ] as const)
      assert.deepEqual(await ids({ skip, limit }), all.slice(skip, skip + limit));
  });

  it('takes ranges', async () => {
    const from = await work.git('rev-parse', 'main~2');
    assert.deepEqual(await ids({ from: `${from}..${tip}` }), await log('main~2..main'));
    assert.deepEqual(await ids({ from: `${tip}..${from}` }), []);
  });

  it('is limited by committer date, both ends included', async () => {
    const iso = (seconds: number) => new Date(seconds * 1000).toISOString();
    const dated = async (options: Partial<ListCommits>) =>
      (await listCommits(repo, { from: tip, limit: 100, ...options })).map(
        ({ committer }) => committer.date / 1000,
      );
    assert.deepEqual(await dated({ since: 8_000_000 }), [10_000, 9000, 8000]);
    assert.deepEqual(await dated({ since: iso(8000), until: iso(9000) }), [9000, 8000]);
    assert.deepEqual(await dated({ since: 8_000_001 }), [10_000, 9000]);
    assert.deepEqual(await dated({ until: 1_000_000 }), [1000]);
    assert.deepEqual(await dated({ until: -5 }), []);
    assert.equal((await dated({ until: Number.MAX_SAFE_INTEGER })).length, 10);
    await assert.rejects(dated({ since: 'soon' }), /not a date/);
  });

  it('is limited by author as git log --author', async () => {
    for (const author of ['Bob', 'bob', 'bob@x', 'B.b', '^Ann', 'nobody', 'Bo\\[b'])
      assert.deepEqual(await ids({ author }), await log(`--author=${author}`, 'main'), author);
    for (const author of ['Bo[b', 'a\0b', '--all']) assert.deepEqual(await ids({ author }), [], author);
    assert.deepEqual(await ids({ author: '' }), await log('main'));
  });

  it('of a path is that of git log', async () => {
    for (const path of ['other', 'side', 'mid.txt', 'nope'])
      assert.deepEqual(await ids({ path }), await log('main', '--', path), path);
    assert.deepEqual(await ids({ path: '/other' }), await log('main', '--', 'other'));
    assert.deepEqual(await ids({ path: '' }), await log('main'));
    for (const path of ['../x', 'a/../../b', 'a\0b', '*', ':(glob)**', ':/'])
      assert.deepEqual(await ids({ path }), [], path);
  });

  it('of a path follows renames, in exact pages', async () => {
    const whole = await log('--follow', 'main', '--', 'new name.txt');
    assert.equal(whole.length, 6);
    const path = 'new name.txt';
    assert.deepEqual(await ids({ path, follow: true }), whole);
    for (let skip = 0; skip < 8; skip++)
      for (let limit = 1; limit < 8; limit++) {
        const fresh = await listCommits(repo, { from: tip, path, follow: true, skip, limit });
        assert.deepEqual(
          fresh.map(({ id }) => id),
          whole.slice(skip, skip + limit),
          `${skip} ${limit}`,
        );
      }
    assert.deepEqual(await ids({ path }), await log('main', '--', path));
  });

  it('of a path follows it out of a folder that is no more, and out of one that stays', async () => {
    const moved = await host.workTree();
    const text = 'the same ten words in every one of these files\n';
    await moved.save({ 'old/deep/a': text, 'kept/b': text.toUpperCase(), 'kept/c': '1' }, 'Old');
    await moved.git('rm', '-q', 'old/deep/a');
    await moved.save({ 'new/a': text }, 'Moved with its folder');
    await moved.git('rm', '-q', 'kept/b');
    const last = await moved.save({ 'new/b': text.toUpperCase() }, 'Moved alone');
    const bare = await host.import(moved);
    for (const [path, subjects] of [
      ['new/a', ['Moved with its folder', 'Old']],
      ['new/b', ['Moved alone', 'Old']],
      ['kept/c', ['Old']],
    ] as const) {
      const found = await listCommits(bare, { from: last, path, follow: true, limit: 9 });
      assert.deepEqual(
        found.map(({ message }) => message.trim()),
        subjects,
      );
    }
  });

  it('of a renamed path can be limited as well', async () => {
    const path = 'new name.txt';
    assert.deepEqual(
      await ids({ path, follow: true, author: 'Bob' }),
      await log('--author=Bob', 'main', '--', 'old.txt'),
    );
    assert.deepEqual(
      await ids({ path, follow: true, until: 5_000_000 }),
      (await log('--follow', 'main', '--', path)).slice(2),
    );
    assert.deepEqual(await ids({ path, follow: true, author: 'Bob', skip: 1 }), []);
    const base = await work.git('rev-parse', ':/Old one');
    assert.deepEqual(
      await ids({ path, follow: true, from: `${base}..${tip}` }),
      (await log('--follow', 'main', '--', path)).slice(0, 4),
    );
  });

  it('is the same with a commit-graph and its changed-path filters', async () => {
    const graphed = await host.import(work);
    await graphed.run(['commit-graph', 'write', '--reachable', '--changed-paths']);
    const options = { from: tip, path: 'new name.txt', follow: true, limit: 100 };
    assert.deepEqual(
      (await listCommits(graphed, options)).map(({ id }) => id),
      await log('--follow', 'main', '--', 'new name.txt'),
    );
  });

  it('of all refs has what no branch of the page has', async () => {
    await work.git('checkout', '-q', '--orphan', 'alone');
    const alone = await work.save({ z: '1' }, 'Alone', { at: 20_000 });
    await work.git('checkout', '-q', 'main');
    const all = await host.import(work);
    const found = await listCommits(all, { all: true, limit: 2 });
    assert.deepEqual(
      found.map(({ id }) => id),
      [alone, tip],
    );
    assert.deepEqual(await listCommits(await host.empty(), { all: true, limit: 2 }), []);
  });

  it('costs one process the first time and none the second', async () => {
    const fresh = await host.import(work);
    const runs = countRuns(fresh);
    const options = { from: tip, limit: 20 };
    await listCommits(fresh, options);
    assert.equal(runs.length, 1);
    await listCommits(fresh, options);
    assert.equal(runs.length, 1);
  });

  it('takes nothing that is not an id', async () => {
    for (const from of ['main', '--all', '-n1', `${tip} --all`, `^${tip}`, ''])
      assert.deepEqual(await ids({ from }), [], from);
  });

  it('names the last commit of a path', async () => {
    assert.equal(await lastCommitFor(repo, tip, 'side'), (await log('main', '--', 'side'))[0]);
    assert.equal(await lastCommitFor(repo, tip, 'nope'), null);
  });

  it('reads names, mails and messages in odd encodings', async () => {
    const odd = await host.workTree();
    await odd.run(['config', 'i18n.commitEncoding', 'ISO-8859-1']);
    await odd.save({ a: '1' }, 'latin');
    await odd.run(['commit', '-q', '--amend', '-F', '-'], { input: Buffer.from('caf\xe9\n', 'latin1') });
    const latin = await odd.run(['cat-file', 'commit', 'HEAD']);
    // git commit itself would repair this one
    const raw = Buffer.from(latin.toString('latin1').replace('encoding ISO-8859-1\n', ''), 'latin1');
    const broken = (await odd.run(['hash-object', '-w', '-t', 'commit', '--stdin'], { input: raw }))
      .toString()
      .trim();
    await odd.git('update-ref', 'refs/heads/broken', broken);
    const here = await host.import(odd);
    const messages = async (from: string) =>
      (await listCommits(here, { from, limit: 5 })).map(({ message }) => message);
    assert.deepEqual(await messages(broken), ['caf\ufffd\n']);
    assert.deepEqual(await messages(await odd.git('rev-parse', 'main')), ['café\n']);
  });
});

function countRuns(repo: Repository): string[][] {
  const runs: string[][] = [];
  const tryRun = repo.tryRun.bind(repo);
  const spawn = repo.spawn.bind(repo);
  repo.tryRun = (args, options) => {
    runs.push(args);
    return tryRun(args, options);
  };
  repo.spawn = (args, options) => {
    runs.push(args);
    return spawn(args, options);
  };
  return runs;
}
