import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { request } from 'node:http';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { FLUSH, packet } from './pkt-line.ts';
import { GitTestServer } from './test-server.ts';

const ZERO = '0'.repeat(40);
const MB = 1024 * 1024;

describe('the transfer of a push', () => {
  let server: GitTestServer;
  beforeEach(async () => {
    server = await GitTestServer.start();
  });
  afterEach(() => server.close());

  const quarantines = async () =>
    (await readdir(join(server.path, 'objects'))).filter((name) => name.startsWith('tmp_'));
  const until = async (holds: () => Promise<boolean>) => {
    while (!(await holds())) await new Promise((later) => setTimeout(later, 10));
  };
  /** A push of one ref with this pack, as a client would send it. */
  const pushBody = (oid: string, pack: Buffer, capabilities = ' report-status side-band-64k') =>
    Buffer.concat([packet(`${ZERO} ${oid} refs/heads/main\0${capabilities}`), FLUSH, pack]);
  const packOf = async (tree: string) =>
    server.runner.run(['pack-objects', '--revs', '--stdout', '-q'], {
      cwd: join(server.directory, tree),
      input: 'HEAD\n',
    });
  const post = (body: Readable, contentEncoding?: string) =>
    server.http.receivePack({
      path: server.path,
      body,
      contentEncoding,
      ...server.decisions,
      maxBytes: server.maxBytes,
    });

  it('takes a large push in chunks, with Expect: 100-continue', async () => {
    await server.workTree('w');
    const oid = await server.commit('w', 'large.bin', randomBytes(3 * MB));
    await server.git(
      'w',
      '-c',
      'http.postBuffer=65536',
      '-c',
      'http.extraHeader=Expect: 100-continue',
      'push',
      'origin',
      'main',
    );
    const { headers } = server.requests.at(-1)!;
    assert.equal(headers['transfer-encoding'], 'chunked');
    assert.equal(headers.expect, '100-continue');
    assert.deepEqual(await server.refs(), [`refs/heads/main ${oid}`]);
  });

  it('moves no ref and keeps no object when the client goes away halfway', async () => {
    await server.workTree('w');
    const oid = await server.commit('w', 'large.bin', randomBytes(2 * MB));
    const body = pushBody(oid, await packOf('w'));
    const client = request(`${server.url}/git-receive-pack`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-git-receive-pack-request', 'content-length': body.length },
    });
    client.on('error', () => {}); // the test breaks the connection itself
    client.write(body.subarray(0, MB));
    await until(async () => (await quarantines()).length > 0);
    client.destroy();
    await until(async () => (await quarantines()).length === 0 && (await server.transfersRunning()) === 0);
    assert.deepEqual(await server.refs(), []);
    assert.deepEqual(server.pushes, []);
    assert.deepEqual((await readdir(join(server.path, 'objects'))).sort(), ['info', 'pack']);
  });

  it('moves no ref when the client goes away while its push is being checked', async () => {
    await server.workTree('w');
    const gone = new AbortController();
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<{ refuse?: string }>();
    server.decisions.authorize = () => {
      asked.resolve();
      return answer.promise;
    };
    const reply = server.http.receivePack({
      path: server.path,
      body: Readable.from([pushBody(await server.git('w', 'rev-parse', 'HEAD'), await packOf('w'))]),
      signal: gone.signal,
      ...server.decisions,
    });
    await asked.promise;
    gone.abort();
    answer.resolve({});
    await assert.rejects(reply.then(({ stream }) => text(stream)));
    await until(async () => (await server.transfersRunning()) === 0);
    assert.deepEqual(server.pushes, []);
    assert.deepEqual(await quarantines(), []);
  });

  it('takes no more of a body than git does', async () => {
    let sent = 0;
    const oid = '1'.repeat(40);
    const header = Buffer.from('5041434b00000002000003e8', 'hex'); // a pack that announces 1000 objects
    const chunk = Buffer.alloc(64 * 1024);
    const body = new Readable({
      read() {
        sent += chunk.length;
        this.push(sent === chunk.length ? pushBody(oid, header) : chunk);
        if (sent > 64 * MB) this.push(null);
      },
    });
    server.runner.stopNext = true;
    const reply = post(body);
    let before = -1;
    await until(async () => {
      const settled = sent === before;
      before = sent;
      await new Promise((later) => setTimeout(later, 100));
      return settled;
    });
    assert.ok(sent < 4 * MB, `${sent} bytes were taken from the client while git took none`);
    server.runner.last?.kill('SIGCONT');
    await text((await reply).stream);
  });

  it('flushes what it brings before its refs move, unless told not to', async () => {
    for (const [fsync, expected] of [
      [true, /"fsync\/(?:hardware-flush|writeout-only)"/],
      [false, /^(?!.*"fsync\/)/s],
    ] as const) {
      const flushing = await GitTestServer.start({ fsync });
      try {
        await flushing.workTree('w', 3);
        const trace = join(flushing.directory, 'trace');
        flushing.runner.environment = { GIT_TRACE2_EVENT: trace };
        await flushing.git('w', 'push', 'origin', 'main');
        assert.match(await readFile(trace, 'utf8'), expected);
      } finally {
        await flushing.close();
      }
    }
  });

  it('refuses a pack above the limit and says so', async () => {
    await server.workTree('w');
    await server.commit('w', 'large.bin', randomBytes(2 * MB));
    server.maxBytes = MB;
    const { code, stderr } = await server.tryGit('w', 'push', 'origin', 'main');
    assert.equal(code, 1);
    assert.match(stderr, /pack exceeds maximum allowed size/);
    assert.deepEqual(await server.refs(), []);
    assert.deepEqual(await quarantines(), []);
  });

  it('answers 408 to a client that stops sending, and gives its place on', async () => {
    const impatient = await GitTestServer.start({ stallMs: 20, maxTransfers: 1 });
    try {
      const body = new Readable({ read() {} });
      body.push(packet(`${ZERO} ${'1'.repeat(40)} refs/heads/main\0 report-status`));
      const request = { path: impatient.path, ...impatient.decisions };
      await assert.rejects(impatient.http.receivePack({ ...request, body }), { status: 408 });
      await text((await impatient.http.receivePack({ ...request, body: Readable.from([FLUSH]) })).stream);
    } finally {
      await impatient.close();
    }
  });

  it('inflates a compressed push', async () => {
    await server.workTree('w');
    const oid = await server.git('w', 'rev-parse', 'HEAD');
    const { stream } = await post(Readable.from([gzipSync(pushBody(oid, await packOf('w')))]), 'gzip');
    assert.match(await text(stream), /unpack ok/);
    assert.deepEqual(await server.refs(), [`refs/heads/main ${oid}`]);
  });

  it('answers 413 to commands that inflate beyond the limit', async () => {
    const command = packet(`${'1'.repeat(40)} ${ZERO} refs/heads/main`);
    const bomb = gzipSync(Buffer.alloc(40 * MB, command));
    assert.ok(bomb.length < MB);
    await assert.rejects(post(Readable.from([bomb]), 'gzip'), { status: 413 });
  });

  it('answers 400 to what is not a push and 415 to an unknown encoding', async () => {
    for (const body of ['zzzz', '0003', '0009hello0000', '<html>']) {
      await assert.rejects(post(Readable.from([Buffer.from(body)])), { status: 400 }, body);
    }
    await assert.rejects(post(Readable.from([Buffer.from('0000')]), 'br'), { status: 415 });
    await assert.rejects(post(Readable.from([Buffer.from('not gzip')]), 'gzip'), { status: 400 });
  });

  it('answers the empty probe that git sends before a large push', async () => {
    const { stream } = await post(Readable.from([FLUSH]));
    assert.equal(await text(stream), '');
  });

  it('refuses commands that no git sends', async () => {
    const oid = '1'.repeat(40);
    const line = (command: string) => packet(`${command}\0 report-status side-band-64k delete-refs`);
    const cases: [Buffer[], RegExp][] = [
      [[line(`${oid} ${ZERO} refs/heads/a..b`)], /ref name .* is not valid/],
      [[line(`${oid} ${ZERO} HEAD`)], /ref name "HEAD" is not valid/],
      [
        [line(`${oid} ${ZERO} refs/heads/a`), packet(`${oid} ${ZERO} refs/heads/a`)],
        /names refs\/heads\/a twice/,
      ],
      [[line(`${ZERO} ${ZERO} refs/heads/a`)], /refs\/heads\/a does not exist/],
    ];
    for (const [packets, expected] of cases) {
      const { stream } = await post(Readable.from([Buffer.concat([...packets, FLUSH])]));
      assert.match(await text(stream), expected);
    }
    assert.deepEqual(server.pushes, []);
  });

  it('fails when the service is no longer there to move the refs', async () => {
    await server.workTree('w');
    server.decisions.authorize = async () => {
      for (const socket of server.runner.last!.stdio.slice(3)) (socket as Socket).destroy();
      return {};
    };
    const { code, stderr } = await server.tryGit('w', 'push', 'origin', 'main');
    assert.equal(code, 1);
    assert.match(stderr, /remote rejected/);
    assert.deepEqual(await server.refs(), []);
  });
});
