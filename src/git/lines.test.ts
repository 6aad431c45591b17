import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { splitLines } from './lines.ts';
import { GitOutputLimit } from './process.ts';

async function linesOf(chunks: Buffer[], maxBytes?: number): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of splitLines(Readable.from(chunks), maxBytes)) lines.push(line.toString('latin1'));
  return lines;
}

describe('lines of a stream', () => {
  it('are the same however the bytes are cut', async () => {
    const bytes = Buffer.from('one\r\n\ntwo\x00\xfflast', 'latin1');
    for (let size = 1; size <= bytes.length; size++) {
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
        bytes.subarray(n * size, (n + 1) * size),
      );
      assert.deepEqual(await linesOf(chunks), ['one\r', '', 'two\x00\xfflast']);
    }
  });

  it('end without an empty one after the last line feed', async () => {
    assert.deepEqual(await linesOf([Buffer.from('a\nb\n')]), ['a', 'b']);
    assert.deepEqual(await linesOf([]), []);
  });

  it('stop at the limit', async () => {
    await assert.rejects(linesOf([Buffer.alloc(6), Buffer.alloc(5)], 10), GitOutputLimit);
    assert.equal((await linesOf([Buffer.alloc(5), Buffer.alloc(5)], 10)).length, 1);
  });
});
