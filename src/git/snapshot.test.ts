import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, readlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type Repository, RepositoryNotFound } from './repository.ts';
import { snapshot } from './snapshot.ts';
import { openTestGit, type TestGit, type WorkTree } from './testing.ts';

const run = promisify(execFile);

describe('a snapshot', () => {
  let test: TestGit;
  let work: WorkTree;
  before(async () => {
    test = await openTestGit();
    work = await test.workTree();
    await work.save({ 'a.txt': 'a\n', 'big.bin': randomBytes(3_000_000) });
    await work.git('tag', '-a', '-m', 'One', 'v1');
    await work.git('branch', 'topic/one');
  });
  after(() => test[Symbol.asyncDispose]());

  const unpack = async (stream: Readable): Promise<string> => {
    const folder = await mkdtemp(join(test.folder, 'snapshot-'));
    const file = `${folder}.tar`;
    await pipeline(stream, createWriteStream(file));
    await run('tar', ['xf', file, '-C', folder]);
    return folder;
  };
  const git = async (folder: string, ...args: string[]) =>
    (await run('git', [`--git-dir=${folder}`, ...args])).stdout;
  const refsOf = async (repo: Repository) => (await repo.run(['for-each-ref'])).toString();
  const openFilesBelow = async (folder: string) => {
    const handles = await readdir('/proc/self/fd');
    const paths = await Promise.all(handles.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')));
    return paths.filter((path) => path.startsWith(folder));
  };

  it('is a repository that git reads: loose objects', async () => {
    const repo = await test.import(work);
    const folder = await unpack(await snapshot(repo));
    assert.match(await git(folder, 'count-objects', '-v'), /^count: [1-9]\d*\n.*\nin-pack: 0$/ms);
    assert.equal(await git(folder, 'for-each-ref'), await refsOf(repo));
    await git(folder, 'fsck', '--strict');
  });

  it('can be cloned: packs, branches, tags and the default branch', async () => {
    const repo = await test.import(work);
    await repo.run(['repack', '-a', '-d', '-q']);
    await repo.run(['pack-refs', '--all']);
    await repo.setHead('topic/one');
    const folder = await unpack(await snapshot(repo));
    const clone = `${folder}-clone`;
    await run('git', ['clone', '-q', folder, clone]);
    assert.equal(await readFile(join(clone, 'a.txt'), 'utf8'), 'a\n');
    const head = await run('git', ['-C', clone, 'branch', '--show-current']);
    assert.equal(head.stdout, 'topic/one\n');
    assert.equal((await run('git', ['-C', clone, 'tag'])).stdout, 'v1\n');
  });

  it('of an empty repository is an empty repository', async () => {
    const folder = await unpack(await snapshot(await test.empty()));
    assert.equal(await git(folder, 'for-each-ref'), '');
    assert.equal(await git(folder, 'symbolic-ref', 'HEAD'), 'refs/heads/main\n');
  });

  it('leaves out locks, unfinished files and what is no part of the history', async () => {
    const repo = await test.import(work);
    await mkdir(join(repo.path, 'objects/ab'), { recursive: true });
    for (const name of ['packed-refs.lock', 'HEAD.lock', 'objects/ab/tmp_obj_x', 'objects/pack/tmp_pack_x'])
      await writeFile(join(repo.path, name), 'x');
    const names = await readdir(await unpack(await snapshot(repo)), { recursive: true });
    assert.deepEqual(
      names.filter((name) => /lock|tmp_|config/.test(name)),
      [],
    );
  });

  it('stays whole while the repository is repacked', async () => {
    const repo = await test.import(work);
    const stream = await snapshot(repo);
    await repo.run(['repack', '-a', '-d', '-f', '-q']);
    await repo.run(['prune-packed']);
    const folder = await unpack(stream);
    await git(folder, 'fsck', '--strict');
    assert.equal(await git(folder, 'for-each-ref'), await refsOf(repo));
  });

  it('closes its files when the reader leaves', async () => {
    const repo = await test.import(work);
    await repo.run(['repack', '-a', '-d', '-q']);
    const stream = await snapshot(repo);
    for await (const _ of stream) {
      if ((await openFilesBelow(repo.path)).length > 0) break;
    }
    assert.equal(stream.destroyed, true);
    for (let i = 0; i < 200 && (await openFilesBelow(repo.path)).length > 0; i++) await sleep(10);
    assert.deepEqual(await openFilesBelow(repo.path), []);
  });

  it('of a repository that is gone is refused', async () => {
    await assert.rejects(snapshot(test.git.repository('gone.git')), RepositoryNotFound);
  });
});
