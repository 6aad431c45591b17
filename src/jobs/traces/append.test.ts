import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { crc32 } from 'node:zlib';
import { LogAppender } from './append.ts';
import { secretBytes } from './cover-secrets.ts';
import { LiveFiles } from './live-files.ts';

describe('pieces of a log', () => {
  let dir: string;
  let files: LiveFiles;
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'ingot-traces-'));
    files = new LiveFiles(dir);
  });
  after(() => rm(dir, { recursive: true }));

  const text = async (jobId: number) =>
    String(await readFile(join(dir, (jobId % 256).toString(16).padStart(2, '0'), `${jobId}.log`)));
  const piece = (
    start: number,
    content: string | Buffer,
    more: { secrets?: string[]; maxBytes?: number } = {},
  ) => ({
    start,
    bytes: Buffer.from(content),
    secrets: secretBytes(more.secrets ?? []),
    maxBytes: more.maxBytes ?? 1e9,
  });

  it('are added one after the other; one that comes again changes nothing', async () => {
    const logs = new LogAppender(files);
    assert.deepEqual(await logs.append(1, piece(0, 'one ')), { outcome: 'written', size: 4, masked: false });
    assert.deepEqual(await logs.append(1, piece(4, 'two')), { outcome: 'written', size: 7, masked: false });
    assert.deepEqual(await logs.append(1, piece(4, 'two')), { outcome: 'known', size: 7, masked: false });
    assert.deepEqual(await logs.append(1, piece(7, '')), { outcome: 'known', size: 7, masked: false });
    assert.equal(await text(1), 'one two');
  });

  it('are refused where they leave a gap or overlap', async () => {
    const logs = new LogAppender(files);
    await logs.append(2, piece(0, 'hello'));
    for (const [start, content] of [
      [6, 'x'],
      [2, 'xxxxxx'],
      [0, 'he'],
      [99, ''],
    ] as const) {
      assert.deepEqual(await logs.append(2, piece(start, content)), {
        outcome: 'gap',
        size: 5,
        masked: false,
      });
    }
    assert.equal(await text(2), 'hello');
  });

  it('lose their secrets, also one that comes in two or three pieces', async () => {
    const logs = new LogAppender(files);
    const secrets = ['secret-token', 'another-one'];
    const sent = ['a secr', 'et-to', 'ken, another-one and another-', 'one.'];
    let start = 0;
    const masked: boolean[] = [];
    for (const content of sent) {
      masked.push((await logs.append(3, piece(start, content, { secrets }))).masked);
      start += content.length;
    }
    assert.equal(await text(3), 'a xxxxxxxxxxxx, xxxxxxxxxxx and xxxxxxxxxxx.');
    assert.deepEqual(masked, [false, false, true, true]);
    assert.equal(logs.checksum(3, start), crc32(sent.join('')), 'the checksum is that of what was sent');
  });

  it('lose secrets that another process has begun to write', async () => {
    const secrets = ['secret-token'];
    await new LogAppender(files).append(4, piece(0, 'a secr', { secrets }));
    const other = new LogAppender(files);
    await other.append(4, piece(6, 'et-token b', { secrets }));
    assert.equal(await text(4), 'a xxxxxxxxxxxx b');
    assert.equal(other.checksum(4, 16), null, 'it has not seen the beginning');
  });

  it('stop at the limit', async () => {
    const logs = new LogAppender(files);
    await logs.append(5, piece(0, '12345', { maxBytes: 8 }));
    assert.deepEqual(await logs.append(5, piece(5, '67890', { maxBytes: 8 })), {
      outcome: 'full',
      size: 8,
      masked: false,
    });
    assert.deepEqual(await logs.append(5, piece(8, 'x', { maxBytes: 8 })), {
      outcome: 'full',
      size: 8,
      masked: false,
    });
    assert.equal(await text(5), '12345678');
  });

  it('are written one at a time', async () => {
    const logs = new LogAppender(files);
    const replies = await Promise.all([logs.append(6, piece(0, 'one')), logs.append(6, piece(0, 'one'))]);
    assert.deepEqual(replies.map(({ outcome }) => outcome).sort(), ['busy', 'written']);
  });

  it('keep the longer of two logs where it began anew', async () => {
    const logs = new LogAppender(files);
    await logs.append(7, piece(0, 'the former log'));
    await files.startOver(7);
    logs.forget(7);
    assert.equal(await files.size(7), null);
    await logs.append(7, piece(0, 'the for'));
    await files.settle(7);
    assert.equal(await text(7), 'the former log');
    await files.remove(7);
    assert.equal(await files.size(7), null);
  });
});
