import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type Identity, type ObjectType, readCommit } from './objects.ts';
import { type Repository, RepositoryNotFound } from './repository.ts';
import { openTestGit, type TestGit } from './testing.ts';
import { writeCommit, writeObject, writeObjects, writeTree } from './write.ts';

describe('written objects', () => {
  let host: TestGit;
  let repo: Repository;
  before(async () => {
    host = await openTestGit({ fsync: true });
    repo = await host.empty();
  });
  after(() => host[Symbol.asyncDispose]());

  const hash = async (data: Buffer, type = 'blob') =>
    (await repo.run(['hash-object', '-t', type, '--stdin'], { input: data })).toString().trim();

  it('have the ids and contents git gives them', async () => {
    for (const data of [
      Buffer.alloc(0),
      Buffer.from('x\n'),
      randomBytes(100_000),
      Buffer.alloc(3_000_000, 'text '),
    ]) {
      const oid = await writeObject(repo, 'blob', data);
      assert.equal(oid, await hash(data));
      assert.deepEqual(await repo.run(['cat-file', 'blob', oid]), data);
    }
  });

  it('have no place in a repository that is removed meanwhile', async () => {
    const doomed = await host.empty();
    const writing = Array.from({ length: 200 }, (_, i) =>
      writeObject(doomed, 'blob', Buffer.from(`doomed ${i}`)),
    );
    const [, ...ends] = await Promise.allSettled([doomed.remove(), ...writing]);
    for (const end of ends) {
      if (end.status === 'rejected') assert.ok(end.reason instanceof RepositoryNotFound, String(end.reason));
    }
    await assert.rejects(writeObject(doomed, 'blob', Buffer.from('late')), RepositoryNotFound);
  });

  it('may be written twice, also at the same time, and leave no temporary files', async () => {
    const data = Buffer.from('twice');
    const oids = await Promise.all(Array.from({ length: 10 }, () => writeObject(repo, 'blob', data)));
    assert.equal(new Set(oids).size, 1);
    const folder = join(repo.path, 'objects', oids[0]!.slice(0, 2));
    assert.deepEqual(
      (await readdir(folder)).filter((name) => name.startsWith('tmp')),
      [],
    );
  });

  it('become a pack when there are many', async () => {
    const objects = Array.from({ length: 300 }, (_, n) => ({
      type: 'blob' as ObjectType,
      data: Buffer.from(`${n % 250}`.repeat(n)),
    }));
    const oids = await writeObjects(repo, objects);
    for (const n of [0, 1, 17, 299])
      assert.deepEqual(await repo.run(['cat-file', 'blob', oids[n]!]), objects[n]!.data);
    assert.equal(
      (await readdir(join(repo.path, 'objects/pack'))).filter((name) => name.endsWith('.pack')).length,
      1,
    );
    assert.equal((await repo.run(['fsck', '--full'])).toString().includes('error'), false);
  });

  it("are trees in git's order", async () => {
    const blob = await writeObject(repo, 'blob', Buffer.from('b'));
    const folder = await writeTree(repo, [{ mode: '100644', oid: blob, name: 'x' }]);
    const tree = await writeTree(repo, [
      { mode: '100644', oid: blob, name: 'a0' },
      { mode: '040000', oid: folder, name: 'a' },
      { mode: '100644', oid: blob, name: 'a.b' },
      { mode: '100755', oid: blob, name: 'a-b' },
      { mode: '100644', oid: blob, name: Buffer.from([0xff]) },
    ]);
    const listed = (await repo.run(['ls-tree', '-z', '--name-only', tree])).toString('latin1');
    assert.equal(listed, 'a-b\0a.b\0a\0a0\0\xff\0');
    assert.equal((await repo.run(['fsck', '--strict'])).toString().includes('error'), false);
  });

  it('are commits that no name or message can break', async () => {
    const tree = await writeTree(repo, []);
    const author: Identity = {
      name: ' Zoë <b>\nparent x ',
      email: 'z>@\0x',
      date: 1_700_000_000_999,
      offset: '-03:30',
    };
    const committer: Identity = { name: '', email: '', date: -5, offset: 'odd' };
    const first = await writeCommit(repo, {
      tree,
      parents: [],
      author,
      committer,
      message: 'Title\n\nBody\0\n',
    });
    const commit = await readCommit(repo, first);
    assert.deepEqual(commit?.author, {
      name: 'Zoë bparent x',
      email: 'z@x',
      date: 1_700_000_000_000,
      offset: '-03:30',
    });
    assert.deepEqual(commit?.committer, { name: '', email: '', date: 0, offset: '+00:00' });
    assert.equal(commit?.message, 'Title\n\nBody\n');
    const second = await writeCommit(repo, { tree, parents: [first], author, committer, message: '' });
    assert.equal((await repo.run(['rev-list', '--count', second])).toString(), '2\n');
    await assert.rejects(
      writeCommit(repo, { tree: 'x', parents: [], author, committer, message: '' }),
      /not an object id/,
    );
  });
});
