import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { readCommit } from './objects.ts';
import { listRefs } from './refs.ts';
import { type Repository, RepositoryExists, RepositoryNotFound } from './repository.ts';
import { openTestGit, type TestGit } from './testing.ts';

describe('repositories', () => {
  let host: TestGit;
  before(async () => {
    host = await openTestGit();
  });
  after(() => host[Symbol.asyncDispose]());

  it('are made as git itself would make them', async () => {
    const repo = host.git.repository('@hashed/ab/cd/1.git');
    assert.equal(await repo.exists(), false);
    await repo.create({ defaultBranch: 'trunk' });
    assert.equal(await repo.exists(), true);
    assert.equal(await repo.head(), 'trunk');
    assert.equal((await repo.run(['rev-parse', '--is-bare-repository'])).toString(), 'true\n');
    assert.equal((await repo.run(['fsck'])).toString(), '');
    await assert.rejects(repo.create({ defaultBranch: 'main' }), RepositoryExists);
  });

  it('are made once when many try, with nothing left beside them', async () => {
    const repo = host.git.repository('race/1.git');
    const tries = await Promise.allSettled(
      Array.from({ length: 5 }, () => repo.create({ defaultBranch: 'main' })),
    );
    assert.equal(tries.filter(({ status }) => status === 'fulfilled').length, 1);
    assert.deepEqual(await readdir(join(host.git.dir, 'race')), ['1.git']);
  });

  it('have no other path than below their folder', () => {
    for (const path of [
      '../x.git',
      '/etc/x.git',
      'a/../x.git',
      'x',
      '-x.git',
      '.x.git',
      'a//b.git',
      'a b.git',
      'a\0.git',
      '',
    ])
      assert.throws(() => host.git.repository(path), /not a repository path/, path);
  });

  it('change their default branch, also to one that does not exist', async () => {
    const repo = await host.empty();
    await repo.setHead('feature/next');
    assert.equal(await repo.head(), 'feature/next');
    assert.equal((await repo.run(['symbolic-ref', 'HEAD'])).toString(), 'refs/heads/feature/next\n');
    const names = ['one', 'two', 'three', 'four'];
    await Promise.all(names.map((name) => repo.setHead(name)));
    assert.ok(names.includes(await repo.head()), 'all at once: each waits for the others');
    await assert.rejects(repo.setHead('a b'), /not a branch name/);
    await assert.rejects(repo.setHead('x\nref: y'), /not a branch name/);
  });

  it('say that they are not there', async () => {
    const repo = host.git.repository('nothing/here.git');
    await assert.rejects(repo.head(), RepositoryNotFound);
    await assert.rejects(repo.run(['log']), RepositoryNotFound);
    await assert.rejects(readCommit(repo, 'a'.repeat(40)), RepositoryNotFound);
    assert.deepEqual(await listRefs(repo), []);
    await repo.remove();
  });

  it('are forgotten when removed', async () => {
    const work = await host.workTree();
    const commit = await work.save({ a: '1' });
    const repo = await host.import(work, 'gone.git');
    assert.ok(await readCommit(repo, commit));
    await repo.remove();
    assert.equal(await repo.exists(), false);
    await repo.create({ defaultBranch: 'main' });
    assert.equal(await readCommit(repo, commit), null);
  });

  it('go with what killed processes left beside them', async () => {
    const repo = host.git.repository('half/made.git');
    await repo.create({ defaultBranch: 'main' });
    const folder = dirname(repo.path);
    for (const name of ['.made.git.new-a1', '.made.git.gone-b2', '.made.git2.new-c3'])
      await mkdir(join(folder, name, 'objects'), { recursive: true });
    await repo.remove();
    assert.deepEqual(await readdir(folder), ['.made.git2.new-c3']);
  });

  it('can be copied, and then live on their own', async () => {
    const work = await host.workTree();
    const commit = await work.save({ a: '1' });
    await work.git('branch', 'feature/x');
    await work.git('tag', '-a', 'v1', '-m', 'v1');
    await work.git('update-ref', 'refs/hidden/1', commit);
    const source = await host.import(work);
    await source.setHead('feature/x');
    const copy = host.git.repository('forks/1.git');
    await copy.cloneFrom(source);
    const names = async (repo: Repository) => (await listRefs(repo)).map(({ name, oid }) => `${oid} ${name}`);
    assert.deepEqual(await names(copy), await names(source));
    assert.equal(await copy.head(), 'feature/x');
    assert.doesNotMatch(await readFile(join(copy.path, 'config'), 'utf8'), /remote/);
    await source.remove();
    assert.equal((await copy.run(['fsck', '--full'])).toString(), '');
    assert.equal((await readCommit(copy, commit))?.id, commit);
    await assert.rejects(copy.cloneFrom(await host.empty()), RepositoryExists);
  });

  it('can be copied while empty', async () => {
    const copy = host.git.repository('forks/empty.git');
    await copy.cloneFrom(await host.empty());
    assert.deepEqual(await listRefs(copy), []);
    assert.equal(await copy.head(), 'main');
  });

  it('take in branches and tags of a repository on disk, and its default branch', async () => {
    const work = await host.workTree();
    await work.save({ a: '1' });
    await work.git('checkout', '-q', '-b', 'develop');
    await work.git('tag', 'light');
    await work.git('update-ref', 'refs/notes/commits', 'HEAD');
    const repo = await host.import(work);
    assert.equal(await repo.head(), 'develop');
    assert.deepEqual(
      (await listRefs(repo)).map(({ name }) => name),
      ['refs/heads/develop', 'refs/heads/main', 'refs/tags/light'],
    );
  });

  it('never look at a repository in the folders above', async () => {
    execFileSync('git', ['init', '--quiet', host.folder]);
    const repo = await host.empty();
    execFileSync('rm', [join(repo.path, 'HEAD')]);
    await assert.rejects(repo.run(['rev-parse', '--git-dir']), /not a git repository/);
    await assert.rejects(readCommit(repo, 'a'.repeat(40)), RepositoryNotFound);
  });
});
