import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CHUNK_BYTES } from '../chunks.ts';
import { literal, searchAll, TestSegments } from '../testing.ts';

/** Lines `1`, `2` ... with the word on some of them. */
function numbered(count: number, hits: readonly number[], end = '\n'): Buffer {
  const lines = Array.from({ length: count }, (_, i) => `${i + 1}${hits.includes(i + 1) ? ' hit' : ''}`);
  return Buffer.from(lines.join(end) + end);
}

function find(bytes: Buffer, limit?: number) {
  using segments = new TestSegments();
  return searchAll(segments.build([bytes]), literal('hit'), limit).get(0);
}

describe('stretches', () => {
  it('have two lines before and after the matching one', () => {
    assert.deepEqual(find(numbered(9, [4])), [{ startLine: 2, data: '2\n3\n4 hit\n5\n6\n' }]);
  });

  it('end where the file does', () => {
    assert.deepEqual(find(numbered(9, [1])), [{ startLine: 1, data: '1 hit\n2\n3\n' }]);
    assert.deepEqual(find(numbered(9, [8])), [{ startLine: 6, data: '6\n7\n8 hit\n9\n' }]);
    assert.deepEqual(find(numbered(1, [1])), [{ startLine: 1, data: '1 hit\n' }]);
  });

  it('are one when their lines touch: matches five lines apart', () => {
    const data = '1\n2\n3 hit\n4\n5\n6\n7\n8 hit\n9\n10\n';
    assert.deepEqual(find(numbered(12, [3, 8])), [{ startLine: 1, data }]);
  });

  it('are two when a line lies between: matches six lines apart', () => {
    assert.deepEqual(find(numbered(12, [3, 9])), [
      { startLine: 1, data: '1\n2\n3 hit\n4\n5\n' },
      { startLine: 7, data: '7\n8\n9 hit\n10\n11\n' },
    ]);
  });

  it('keep CRLF, and end the last line of a file that does not', () => {
    assert.deepEqual(find(numbered(3, [2], '\r\n')), [{ startLine: 1, data: '1\r\n2 hit\r\n3\r\n' }]);
    assert.deepEqual(find(Buffer.from('hit\r\nlast')), [{ startLine: 1, data: 'hit\r\nlast\n' }]);
  });

  it('are no more than asked for, each of them whole', () => {
    const bytes = numbered(40, [3, 8, 20, 22, 24, 40]);
    const all = find(bytes)!;
    assert.deepEqual(
      all.map(({ startLine }) => startLine),
      [1, 18, 38],
    );
    for (let limit = 0; limit <= 4; limit++) {
      assert.deepEqual(find(bytes, limit) ?? [], all.slice(0, limit));
    }
  });

  it('take their context from the pieces before and after', () => {
    const long = 'x'.repeat(CHUNK_BYTES + 1);
    const lines = ['a', long, long, 'hit', long, long, 'b'];
    assert.deepEqual(find(Buffer.from(lines.join('\n'))), [
      { startLine: 2, data: `${lines.slice(1, 6).join('\n')}\n` },
    ]);
  });
});
