import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bitmapOfVarints, bitsOf, bytesOf, countBits, numbersOfBitmap } from '../bitmap.ts';
import { MAX_VARINT_BYTES } from '../format.ts';
import { TRIGRAM_CODES } from '../grams/trigrams.ts';
import { randomNumbers } from '../testing.ts';
import { PostingArena } from './posting-arena.ts';

const CHUNKS = 90_000;

describe('postings', () => {
  it('come back as they were noted, short lists and long ones, near gaps and far ones', () => {
    const random = randomNumbers(3);
    const arena = new PostingArena();
    const expected = new Map<number, number[]>([
      [0, [0, CHUNKS - 1]],
      [TRIGRAM_CODES - 1, [CHUNKS - 1]],
      [77, Array.from({ length: CHUNKS / 3 }, (_, i) => i * 3)],
    ]);
    for (let i = 0; i < 3000; i++) expected.set(1000 + i * 31, ascending(random, 1 + (i % 60)));
    const byChunk = Map.groupBy(
      [...expected].flatMap(([code, chunks]) => chunks.map((chunk) => ({ code, chunk }))),
      ({ chunk }) => chunk,
    );
    for (const [chunk, rows] of [...byChunk].sort(([a], [b]) => a - b)) {
      arena.add(
        Uint32Array.from(rows, ({ code }) => code),
        chunk,
      );
    }
    assert.deepEqual(
      [...arena.codes()],
      [...expected.keys()].sort((a, b) => a - b),
    );
    const varints = new Uint8Array(CHUNKS * MAX_VARINT_BYTES);
    const numbers = new Uint32Array(CHUNKS);
    for (const [code, chunks] of expected) {
      assert.equal(arena.count(code), chunks.length);
      const list = varints.subarray(0, arena.copy(code, varints));
      const bitmap = bitmapOfVarints(list, CHUNKS);
      assert.equal(countBits(bitmap), chunks.length);
      assert.deepEqual([...bitsOf(bitmap)], chunks);
      assert.deepEqual([...numbers.subarray(0, numbersOfBitmap(bytesOf(bitmap), numbers))], chunks);
    }
  });
});

function ascending(random: () => number, count: number): number[] {
  const numbers = new Set(Array.from({ length: count }, () => Math.floor(random() * CHUNKS)));
  return [...numbers].sort((a, b) => a - b);
}
