import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import {
  BlobTooLarge,
  blobStream,
  findEntry,
  readBlob,
  readCommit,
  readCommitAt,
  readInfo,
  readSignature,
  readTag,
  readTree,
} from './objects.ts';
import { openTestGit, type TestGit, type WorkTree } from './testing.ts';

/** An object of any shape, as a client may push it. */
async function raw(work: WorkTree, type: string, content: Buffer | string): Promise<string> {
  const args = ['hash-object', '-w', '-t', type, '--stdin', '--literally'];
  return (await work.run(args, { input: content })).toString().trim();
}

describe('objects', () => {
  let host: TestGit;
  before(async () => {
    host = await openTestGit();
  });
  after(() => host[Symbol.asyncDispose]());

  /** A bare handle on the work tree's own repository, so that unreachable objects are there too. */
  async function shared(work: WorkTree) {
    await work.save({ 'a.txt': 'A\n' });
    const repo = await host.empty();
    await work.run(['config', 'core.bare', 'false']);
    await repo.remove();
    await work.run(['clone', '--quiet', '--bare', '--template=', '.', repo.path]);
    return repo;
  }

  it('reads commits as git cat-file prints them', async () => {
    const work = await host.workTree();
    const first = await work.save({ a: '1' }, 'First\n\nBody\n\n', { zone: '-0330' });
    const second = await work.save({ a: '2' }, 'Second', { author: 'Zoë', email: 'z@x' });
    const repo = await host.import(work);
    const commit = await readCommit(repo, second);
    assert.equal(commit?.tree, await work.git('rev-parse', 'HEAD^{tree}'));
    assert.deepEqual(commit?.parents, [first]);
    assert.equal(commit?.author.name, 'Zoë');
    assert.equal(commit?.message, 'Second');
    const root = await readCommit(repo, first);
    assert.equal(root?.message, 'First\n\nBody\n\n');
    assert.equal(root?.author.offset, '-03:30');
    assert.equal(root?.author.date, 1_700_000_060_000);
  });

  it('decodes a message by its encoding header and replaces what is not valid', async () => {
    const work = await host.workTree();
    await work.save({ a: '1' });
    const tree = await work.git('rev-parse', 'HEAD^{tree}');
    const head = (extra: string) => `tree ${tree}\nauthor A <a> 1 +0000\ncommitter A <a> 1 +0000\n${extra}\n`;
    const cases: [extra: string, bytes: Buffer, text: string][] = [
      ['encoding ISO-8859-1\n', Buffer.from('caf\xe9 \x80', 'latin1'), 'café \x80'],
      ['encoding EUC-JP\n', Buffer.from([0xc6, 0xfc]), '日'],
      ['encoding no-such-thing\n', Buffer.from('caf\xe9', 'latin1'), 'caf\ufffd'],
      ['', Buffer.from('caf\xe9', 'latin1'), 'caf\ufffd'],
      ['', Buffer.from('before\0after'), 'before'],
    ];
    const oids = [];
    for (const [extra, bytes] of cases)
      oids.push(await raw(work, 'commit', Buffer.concat([Buffer.from(head(extra)), bytes])));
    const repo = await shared(work);
    await work.run(['push', '--quiet', repo.path, ...oids.map((oid, n) => `${oid}:refs/heads/b${n}`)]);
    for (const [index, oid] of oids.entries())
      assert.equal((await readCommit(repo, oid))?.message, cases[index]![2]);
  });

  it('gives a value for every broken part of a commit', async () => {
    const work = await host.workTree();
    await work.save({ a: '1' });
    const tree = await work.git('rev-parse', 'HEAD^{tree}');
    const oids = [
      await raw(work, 'commit', `tree ${tree}\nauthor nobody\ncommitter X <x> 99999999999999999 +9999\n\nm`),
      await raw(work, 'commit', `tree ${tree}\nauthor A > <b> c> 5 -0100\ncommitter X <x>\n\nm`),
      await raw(work, 'commit', `tree ${tree}\nauthor A <a> 7 +051800\ncommitter A <a> 7 +0000`),
    ];
    const repo = await shared(work);
    for (const oid of oids) await repo.run(['unpack-objects', '-q'], { input: await packed(work, oid) });
    const [broken, brackets, zone] = await Promise.all(oids.map((oid) => readCommit(repo, oid)));
    assert.deepEqual(broken?.author, { name: 'nobody', email: '', date: 0, offset: '+00:00' });
    assert.equal(broken?.committer.date, 0);
    assert.deepEqual(brackets?.author, { name: 'A >', email: 'b', date: 5000, offset: '-01:00' });
    assert.deepEqual(zone?.author, { name: 'A', email: 'a', date: 7000, offset: '+00:00' });
    assert.equal(zone?.message, '');
  });

  it('finds a signature and what was signed', async () => {
    const work = await host.workTree();
    const plain = await work.save({ a: '1' });
    const body = await work.run(['cat-file', 'commit', plain]);
    const at = body.indexOf('\n\n') + 1;
    const header = 'gpgsig -----BEGIN PGP SIGNATURE-----\n \n abc\n -----END PGP SIGNATURE-----\n';
    const signed = await raw(
      work,
      'commit',
      Buffer.concat([body.subarray(0, at), Buffer.from(header), body.subarray(at)]),
    );
    await work.git('update-ref', 'refs/heads/signed', signed);
    const repo = await host.import(work);
    const found = await readSignature(repo, signed);
    assert.equal(found?.signature, '-----BEGIN PGP SIGNATURE-----\n\nabc\n-----END PGP SIGNATURE-----');
    assert.deepEqual(found?.payload, body);
    assert.equal(await readSignature(repo, plain), null);
  });

  it('reads trees with links, submodules, programs and names in any encoding', async () => {
    const work = await host.workTree();
    await work.save({ 'run.sh': '#!', 'd/x': '1', 'quo"te\n': '2' });
    const blob = await work.git('rev-parse', 'HEAD:run.sh');
    const commit = await work.git('rev-parse', 'HEAD');
    await work.git('update-index', '--add', '--cacheinfo', `120000,${blob},link`);
    await work.git('update-index', '--add', '--cacheinfo', `160000,${commit},sub`);
    await work.git('update-index', '--chmod=+x', 'run.sh');
    const line = Buffer.concat([Buffer.from(`100644 ${blob} 0\tcaf`), Buffer.from([0xe9, 0])]);
    await work.run(['update-index', '-z', '--index-info'], { input: line });
    const tree = await work.git('write-tree');
    await work.git('update-ref', 'refs/heads/odd', await work.git('commit-tree', tree, '-m', 'odd'));
    const repo = await host.import(work);
    const entries = await readTree(repo, tree);
    const listed = (await work.run(['ls-tree', '-z', tree])).toString('utf8').split('\0').slice(0, -1);
    assert.deepEqual(
      entries?.map(({ mode, type, oid, name }) => `${mode} ${type} ${oid}\t${name}`),
      listed,
    );
    assert.deepEqual(entries?.[0]?.rawName, Buffer.from('caf\xe9', 'latin1'));
  });

  it('finds an entry by its path', async () => {
    const work = await host.workTree();
    const commit = await work.save({ 'a/b/c.txt': 'deep' });
    const repo = await host.import(work);
    assert.equal(
      (await findEntry(repo, commit, 'a/b/c.txt'))?.oid,
      await work.git('rev-parse', 'HEAD:a/b/c.txt'),
    );
    assert.equal((await findEntry(repo, commit, 'a/b'))?.type, 'tree');
    for (const path of ['a/x', 'a/b/c.txt/d', '', 'a\0b', '../a'])
      assert.equal(await findEntry(repo, commit, path), null);
  });

  it('refuses a blob above the limit and streams it instead', async () => {
    const work = await host.workTree();
    const big = Buffer.alloc(300_000, 'abcdefg\n');
    await work.save({ big, small: 'x' });
    const repo = await host.import(work);
    const oid = await work.git('rev-parse', 'HEAD:big');
    await assert.rejects(
      readBlob(repo, oid, { maxBytes: 1000 }),
      (error) => error instanceof BlobTooLarge && error.size === 300_000,
    );
    assert.deepEqual(await readBlob(repo, oid), big);
    assert.deepEqual(await buffer(await blobStream(repo, oid)), big);
    assert.equal(await readBlob(repo, await work.git('rev-parse', 'HEAD')), null);
  });

  it('reads annotated tags', async () => {
    const work = await host.workTree();
    const commit = await work.save({ a: '1' });
    await work.git('tag', '-a', 'v1', '-m', 'One\n\nmore');
    const repo = await host.import(work);
    const tag = await readTag(repo, await work.git('rev-parse', 'v1'));
    assert.equal(tag?.object, commit);
    assert.equal(tag?.type, 'commit');
    assert.equal(tag?.name, 'v1');
    assert.equal(tag?.tagger?.email, 'cid@example.com');
    assert.equal(tag?.message, 'One\n\nmore\n');
    assert.equal(await readTag(repo, commit), null);
    const oid = tag?.id ?? '';
    assert.equal((await readCommitAt(repo, oid))?.id, commit, 'what the tag ends at');
    assert.equal(await readCommit(repo, oid), null, 'the id is no commit’s');
  });

  it('answers missing for names that would break the protocol', async () => {
    const work = await host.workTree();
    const commit = await work.save({ a: '1' });
    const repo = await host.import(work);
    const names = [
      '',
      '-h',
      '--batch',
      `${commit}\n${commit}`,
      `${commit}\0`,
      'x'.repeat(9000),
      'no such',
      '0'.repeat(40),
    ];
    for (const name of names) assert.equal(await readInfo(repo, name), null, JSON.stringify(name));
    assert.equal((await readInfo(repo, commit))?.type, 'commit');
  });
});

async function packed(work: WorkTree, oid: string): Promise<Buffer> {
  return work.run(['pack-objects', '--stdout', '-q'], { input: `${oid}\n` });
}
