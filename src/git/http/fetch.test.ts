import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { FLUSH, packet } from './pkt-line.ts';
import type { BodyRequest } from './smart-http.ts';
import { GitTestServer } from './test-server.ts';

const MB = 1024 * 1024;

describe('fetching over smart HTTP', () => {
  let server: GitTestServer;
  let head: string;
  let trees = 0;

  before(async () => {
    server = await GitTestServer.start();
    await server.workTree('w', 30);
    await server.git('w', 'tag', '-a', '-m', 'One', 'v1');
    await server.git('w', 'push', 'origin', 'main', 'v1');
    head = await server.git('w', 'rev-parse', 'HEAD');
    await server.git('project.git', 'update-ref', 'refs/keep-around/x', head);
    await server.git('project.git', 'update-ref', 'refs/merge-requests/1/head', `${head}~3`);
  });
  after(() => server.close());

  const clone = async (...args: string[]) => {
    const tree = `clone${++trees}`;
    await server.git(
      '.',
      ...args.slice(0, args.indexOf('clone')),
      'clone',
      '-q',
      ...args.slice(args.indexOf('clone') + 1),
      server.url,
      tree,
    );
    return tree;
  };
  const uploadPack = (body: Buffer, more: Partial<BodyRequest> = {}) =>
    server.http.uploadPack({ path: server.path, body: Readable.from([body]), ...more });

  for (const version of [0, 1, 2]) {
    it(`clones with protocol version ${version}`, async () => {
      const from = server.requests.length;
      const tree = await clone('-c', `protocol.version=${version}`, 'clone');
      assert.equal(await server.git(tree, 'rev-parse', 'HEAD', 'v1^{commit}'), `${head}\n${head}`);
      await server.git(tree, 'fsck', '--strict');
      const header = server.requests[from]?.headers['git-protocol'];
      assert.equal(header, version === 0 ? undefined : `version=${version}`);
    });
  }

  it('speaks the version that was asked for, and no other', async () => {
    const first = async (protocol?: string) => {
      const reply = await server.http.advertiseRefs({
        path: server.path,
        service: 'git-upload-pack',
        protocol,
      });
      return (await text(reply.stream)).slice(0, 48);
    };
    assert.match(await first(), /^001e# service=git-upload-pack\n0000[0-9a-f]{4}[0-9a-f]/);
    assert.match(await first('version=1'), /^001e# service=git-upload-pack\n0000000eversion 1/);
    assert.match(await first('version=2'), /^000eversion 2\n/);
    assert.match(await first('version=1:version=2'), /^000eversion 2\n/);
    assert.match(await first('version=2;rm -rf /\n'), /^001e# service/);
  });

  it('sends the headers of git http-backend', async () => {
    for (const service of ['git-upload-pack', 'git-receive-pack'] as const) {
      const { headers, stream } = await server.http.advertiseRefs({ path: server.path, service });
      assert.deepEqual(headers, {
        'content-type': `application/x-${service}-advertisement`,
        expires: 'Fri, 01 Jan 1980 00:00:00 GMT',
        pragma: 'no-cache',
        'cache-control': 'no-cache, max-age=0, must-revalidate',
      });
      assert.match(await text(stream), new RegExp(`^[0-9a-f]{4}# service=${service}\n`));
    }
    assert.equal((await uploadPack(FLUSH)).headers['content-type'], 'application/x-git-upload-pack-result');
  });

  it('offers a push atomic updates and push options', async () => {
    const { stream } = await server.http.advertiseRefs({
      path: server.path,
      service: 'git-receive-pack',
      protocol: 'version=2',
    });
    const advertised = await text(stream);
    assert.match(advertised, /\0[^\n]*\batomic\b[^\n]* push-options/);
    assert.doesNotMatch(advertised, /refs\/merge-requests|refs\/keep-around/);
  });

  it('hides the refs of the service and shows those that CI fetches', async () => {
    for (const version of [0, 2]) {
      const refs = await server.git('w', '-c', `protocol.version=${version}`, 'ls-remote', 'origin');
      assert.doesNotMatch(refs, /keep-around/);
      assert.match(refs, /refs\/merge-requests\/1\/head/);
    }
  });

  it('makes a shallow clone and deepens it', async () => {
    const tree = await clone('clone', '--depth', '1');
    assert.equal(await server.git(tree, 'rev-list', '--count', 'HEAD'), '1');
    await server.git(tree, 'fetch', '-q', '--deepen', '4');
    assert.equal(await server.git(tree, 'rev-list', '--count', 'HEAD'), '5');
    await server.git(tree, 'fetch', '-q', '--unshallow');
    assert.equal(await server.git(tree, 'rev-list', '--count', 'HEAD'), '30');
  });

  it('makes a partial clone that fetches its files later', async () => {
    const tree = await clone('clone', '--filter=blob:none', '--no-checkout');
    const missing = await server.git(tree, 'rev-list', '--objects', '--missing=print', 'HEAD');
    assert.equal(missing.split('\n').filter((line) => line.startsWith('?')).length, 30);
    assert.equal(await server.git(tree, 'show', 'HEAD:w7.txt'), 'content 7 of w');
  });

  it('fetches a commit that no branch ends at', async () => {
    const tree = await clone('clone', '--depth', '1');
    const oid = await server.git('w', 'rev-parse', 'HEAD~12');
    for (const version of [0, 2]) {
      await server.git(
        tree,
        '-c',
        `protocol.version=${version}`,
        'fetch',
        '-q',
        '--depth',
        '1',
        'origin',
        oid,
      );
      assert.equal(await server.git(tree, 'rev-parse', 'FETCH_HEAD'), oid);
    }
  });

  it('clones an empty repository with the name of its default branch', async () => {
    await server.git('.', 'init', '-q', '--bare', '-b', 'trunk', 'empty.git');
    const path = join(server.directory, 'empty.git');
    const { stream } = await server.http.advertiseRefs({
      path,
      service: 'git-upload-pack',
      protocol: 'version=2',
    });
    assert.match(await text(stream), /ls-refs=unborn/);
  });

  it('inflates what git compresses when it has much to say', async () => {
    const tree = await clone('clone', '--no-local');
    await server.history(tree, 200);
    await server.commit('w', 'later.txt', 'later');
    await server.git('w', 'push', '-q', 'origin', 'main');
    const from = server.requests.length;
    await server.git(tree, '-c', 'protocol.version=0', 'fetch', '-q', 'origin');
    const encodings = server.requests.slice(from).map(({ headers }) => headers['content-encoding']);
    assert.ok(encodings.includes('gzip'));
    assert.equal(
      await server.git(tree, 'rev-parse', 'origin/main'),
      await server.git('w', 'rev-parse', 'HEAD'),
    );
  });

  it('answers 413 to a request that inflates beyond all measure', async () => {
    const bomb = gzipSync(Buffer.alloc(36 * MB, packet(`have ${'1'.repeat(40)}\n`)));
    const want = packet(`want ${head} multi_ack_detailed no-done side-band-64k\n`);
    const body = Buffer.concat([gzipSync(Buffer.concat([want, FLUSH])), bomb]);
    await assert.rejects(
      uploadPack(body, { contentEncoding: 'gzip' }).then(({ stream }) => text(stream)),
      {
        status: 413,
      },
    );
  });

  it('answers 400 to what is not a request and 415 to an unknown encoding', async () => {
    await assert.rejects(uploadPack(Buffer.from('zzzz')), { status: 400 });
    await assert.rejects(uploadPack(Buffer.from('x'), { contentEncoding: 'gzip' }), { status: 400 });
    await assert.rejects(uploadPack(FLUSH, { contentEncoding: 'br' }), { status: 415 });
  });

  it('tells the client in its own protocol what it cannot have', async () => {
    const body = Buffer.concat([packet(`want ${'1'.repeat(40)} side-band-64k\n`), FLUSH, packet('done\n')]);
    const { stream } = await uploadPack(body);
    assert.match(await text(stream), /ERR upload-pack: not our ref 1{40}/);
  });

  it('rejects when git finds no repository', async () => {
    const path = join(server.directory, 'hooks');
    await assert.rejects(server.http.advertiseRefs({ path, service: 'git-upload-pack' }), {
      name: 'GitFailed',
    });
  });

  it('ends git when the reader goes away', async () => {
    await server.commit('w', 'big.bin', randomBytes(4 * MB));
    await server.git('w', 'push', '-q', 'origin', 'main');
    const want = packet(`want ${await server.git('w', 'rev-parse', 'HEAD')} side-band-64k ofs-delta\n`);
    const { stream } = await uploadPack(Buffer.concat([want, FLUSH, packet('done\n')]));
    assert.ok((await server.transfersRunning()) > 0);
    stream.destroy();
    while ((await server.transfersRunning()) > 0) await new Promise((later) => setTimeout(later, 5));
    await access(server.path);
  });

  it('makes a transfer wait while too many run, and gives its place on', async () => {
    const narrow = await GitTestServer.start({ maxTransfers: 1, maxWaitMs: 50 });
    try {
      const request = { path: server.path, body: Readable.from([FLUSH]) };
      const open = await narrow.http.advertiseRefs({ path: server.path, service: 'git-upload-pack' });
      const held = narrow.http.uploadPack({ ...request, body: new Readable({ read() {} }) });
      await buffer(open.stream);
      held.catch(() => {}); // ended by close below
      await assert.rejects(narrow.http.uploadPack(request), { status: 503 });
    } finally {
      await narrow.close();
    }
  });
});
