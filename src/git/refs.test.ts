import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { isValidBranchName, isValidRefName } from './ref-name.ts';
import { listRefs, resolveRef } from './refs.ts';
import type { Repository } from './repository.ts';
import { openTestGit, type TestGit } from './testing.ts';

describe('refs', () => {
  let host: TestGit;
  before(async () => {
    host = await openTestGit();
  });
  after(() => host[Symbol.asyncDispose]());

  async function asGit(repo: Repository, prefix = 'refs/'): Promise<string[]> {
    const output = await repo.run(['for-each-ref', '--format=%(objectname) %(refname)', prefix]);
    return output.toString('utf8').split('\n').slice(0, -1);
  }
  const shown = async (repo: Repository, prefix?: string) =>
    (await listRefs(repo, prefix)).map(({ oid, name }) => `${oid} ${name}`);

  async function withRefs(): Promise<{ repo: Repository; oids: string[] }> {
    const work = await host.workTree();
    const oids = [await work.save({ a: '1' }), await work.save({ a: '2' }), await work.save({ a: '3' })];
    await work.git('tag', '-a', 'v1', '-m', 'v1', oids[0]!);
    await work.git('tag', 'light', oids[1]!);
    for (const name of ['feature/x', 'feature/y/z', 'zed', 'a']) await work.git('branch', name, oids[1]!);
    return { repo: await host.import(work), oids };
  }

  it('are what for-each-ref lists, loose or packed or both', async () => {
    const { repo, oids } = await withRefs();
    assert.deepEqual(await shown(repo), await asGit(repo));
    await repo.run(['pack-refs', '--all']);
    assert.deepEqual(await shown(repo), await asGit(repo));
    await repo.run(['update-ref', 'refs/heads/zed', oids[2]!]); // now loose above its packed value
    await repo.run(['update-ref', '-d', 'refs/heads/a']);
    assert.deepEqual(await shown(repo), await asGit(repo));
    assert.deepEqual(await shown(repo, 'refs/heads/feature/'), await asGit(repo, 'refs/heads/feature/'));
    const tag = (await listRefs(repo, 'refs/tags/v1'))[0];
    assert.equal(tag?.peeled, oids[0]);
  });

  it('are the same array while nothing changes, and fresh as soon as another process writes', async () => {
    const { repo, oids } = await withRefs();
    for (let round = 0; round < 40; round++) {
      const oid = oids[round % 3]!;
      execFileSync('git', ['--git-dir', repo.path, 'update-ref', 'refs/heads/feature/x', oid]);
      assert.equal(await resolveRef(repo, 'refs/heads/feature/x'), oid);
      assert.equal((await listRefs(repo, 'refs/heads/feature/x'))[0]?.oid, oid);
    }
    execFileSync('git', ['--git-dir', repo.path, 'pack-refs', '--all', '--prune']);
    assert.deepEqual(await shown(repo), await asGit(repo));
    await new Promise((resolve) => setTimeout(resolve, 120)); // until the last change is no longer fresh
    await listRefs(repo);
    assert.equal(await listRefs(repo), await listRefs(repo));
  });

  it('are found by name in packed-refs of any size', async () => {
    const { repo, oids } = await withRefs();
    const lines = Array.from({ length: 500 }, (_, n) => `create refs/heads/many/${n} ${oids[n % 3]}\n`);
    await repo.run(['update-ref', '--stdin'], { input: lines.join('') });
    await repo.run(['pack-refs', '--all', '--prune']);
    for (const line of await asGit(repo)) {
      const [oid, name] = line.split(' ') as [string, string];
      assert.equal(await resolveRef(repo, name), oid, name);
    }
    for (const name of ['refs/heads/0', 'refs/heads/many', 'refs/heads/many/5000', 'refs/zzz/x', 'refs/a'])
      assert.equal(await resolveRef(repo, name), null, name);
  });

  it('may stand in packed-refs in any order', async () => {
    const { repo, oids } = await withRefs();
    await repo.run(['pack-refs', '--all', '--prune']);
    const tag = await resolveRef(repo, 'refs/tags/v1');
    await writeFile(
      join(repo.path, 'packed-refs'),
      `# pack-refs with: peeled \n${oids[0]} refs/heads/z\n${tag} refs/tags/v1\n^${oids[0]}\n${oids[1]} refs/heads/b\n`,
    );
    assert.equal(await resolveRef(repo, 'refs/heads/b'), oids[1]);
    assert.equal(await resolveRef(repo, 'refs/heads/z'), oids[0]);
    assert.equal((await listRefs(repo, 'refs/tags/'))[0]?.peeled, oids[0]);
  });

  it('may be symbolic; one that leads nowhere or round and round does not exist', async () => {
    const { repo, oids } = await withRefs();
    await repo.run(['symbolic-ref', 'refs/heads/alias', 'refs/heads/main']);
    await repo.run(['symbolic-ref', 'refs/heads/dangling', 'refs/heads/none']);
    await writeFile(join(repo.path, 'refs/heads/loop'), 'ref: refs/heads/loop\n');
    assert.equal(await resolveRef(repo, 'refs/heads/alias'), oids[2]);
    assert.equal(await resolveRef(repo, 'refs/heads/dangling'), null);
    assert.equal(await resolveRef(repo, 'refs/heads/loop'), null);
    assert.equal(await resolveRef(repo, 'HEAD'), oids[2]);
  });

  it('are none in an empty repository, and none under a hostile name', async () => {
    const repo = await host.empty();
    assert.deepEqual(await listRefs(repo), []);
    assert.equal(await resolveRef(repo, 'HEAD'), null);
    for (const name of [
      'refs/../HEAD',
      '../x',
      'refs/heads/a\0b',
      'config',
      '',
      'refs/heads/../../config',
      'refs',
    ])
      assert.equal(await resolveRef(repo, name), null);
  });

  it('are not lock files, nor what other programs leave there', async () => {
    const { repo } = await withRefs();
    await mkdir(join(repo.path, 'refs/heads/folder'), { recursive: true });
    await writeFile(join(repo.path, 'refs/heads/main.lock'), '');
    await writeFile(join(repo.path, 'refs/heads/empty'), '');
    assert.deepEqual(
      (await shown(repo)).filter((line) => /lock|empty|folder/.test(line)),
      [],
    );
    await rm(join(repo.path, 'refs/heads/main.lock'));
  });
});

describe('ref names', () => {
  const names = [
    ...[
      'main',
      'feature/x',
      'a.b',
      'ünïcode',
      'x'.repeat(200),
      'a@b',
      'a-b',
      "a'b",
      'a"b',
      'a;b',
      'a{b',
      '{',
      'a$b',
    ],
    ...[
      '',
      '/',
      '/a',
      'a/',
      'a//b',
      '.a',
      'a/.b',
      'a.',
      'a..b',
      'a.lock',
      'a.lock/b',
      'a b',
      'a~b',
      'a^b',
      'a:b',
    ],
    ...[
      'a?b',
      'a*b',
      'a[b',
      'a\\b',
      'a@{b',
      'a\tb',
      'a\x7fb',
      'a\nb',
      'a.lockb',
      'lock',
      '.',
      '..',
      'a/..',
      '@/x',
    ],
  ];

  it('are valid exactly when git says so', async () => {
    for (const name of names) {
      const full = `refs/heads/${name}`;
      let allowed = true;
      try {
        execFileSync('git', ['check-ref-format', full], { stdio: 'ignore' });
      } catch {
        allowed = false; // its exit code is the answer
      }
      assert.equal(isValidRefName(full), allowed, JSON.stringify(name));
    }
  });

  it('for branches leave out what reads as an option, a full ref or HEAD', () => {
    for (const name of [
      '-a',
      'HEAD',
      '@',
      'refs/heads/a',
      'refs/remotes/a/b',
      'a\0b',
      '\ud800',
      'x'.repeat(300),
    ])
      assert.equal(isValidBranchName(name), false, JSON.stringify(name));
    for (const name of ['main', 'HEADS', 'refs', 'a/HEAD', 'deadbeef'])
      assert.equal(isValidBranchName(name), true, name);
  });
});
