import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CHUNK_BYTES, chunkEnd } from './chunks.ts';

function cut(bytes: Buffer): string[] {
  const chunks: string[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = chunkEnd(bytes, start);
    chunks.push(bytes.toString('latin1', start, end));
    start = end;
  }
  return chunks;
}

describe('chunks', () => {
  it('are whole lines, as many as there is room for', () => {
    const line = `${'x'.repeat(999)}\n`;
    const chunks = cut(Buffer.from(line.repeat(200)));
    assert.deepEqual(
      chunks.map(({ length }) => length),
      [65_000, 65_000, 65_000, 5000],
    );
  });

  it('may be full to the last byte', () => {
    const full = `${'x'.repeat(CHUNK_BYTES - 1)}\n`;
    assert.deepEqual(cut(Buffer.from(full)), [full]);
    assert.deepEqual(cut(Buffer.from(`${full}y`)), [full, 'y']);
  });

  it('hold a line that is longer alone', () => {
    for (const length of [CHUNK_BYTES, CHUNK_BYTES + 1, 10 * CHUNK_BYTES]) {
      const long = `${'x'.repeat(length)}\n`;
      assert.deepEqual(cut(Buffer.from(`a\nb\n${long}c\nd`)), ['a\nb\n', long, 'c\nd']);
      assert.deepEqual(
        cut(Buffer.from(long.trimEnd())),
        length > CHUNK_BYTES ? [long.trimEnd()] : [long.trimEnd()],
      );
    }
  });
});
