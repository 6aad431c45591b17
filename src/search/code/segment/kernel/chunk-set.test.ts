import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bitsOf, bytesOf, emptyBitmap, setBit } from '../bitmap.ts';
import { isDense } from '../format.ts';
import { riceParameter } from '../rice.ts';
import { randomNumbers, riceListOf } from '../testing.ts';
import { type ChunkList, CommonChunks } from './chunk-set.ts';

const random = randomNumbers(11);

const numbersBelow = (end: number, share: number) =>
  Array.from({ length: end }, (_, at) => at).filter(() => random() < share);

/** As a segment has it. */
function listOf(numbers: readonly number[], chunks: number): ChunkList {
  if (!isDense(numbers.length, chunks)) return riceList(numbers, chunks);
  const bitmap = emptyBitmap(chunks);
  for (const number of numbers) setBit(bitmap, number);
  return { bytes: bytesOf(bitmap), count: numbers.length, parameter: null };
}

const riceList = (numbers: readonly number[], chunks: number): ChunkList => ({
  bytes: riceListOf(numbers, chunks),
  count: numbers.length,
  parameter: riceParameter(Math.max(1, numbers.length), chunks),
});

function common(chunks: number, lists: readonly ChunkList[]): number[] {
  const set = new CommonChunks(chunks);
  for (const list of lists) set.keep(list);
  const found = [...bitsOf(set.toBitmap())];
  if (lists.length > 0) assert.equal(set.size, found.length);
  return found;
}

describe('the chunks that lists have in common', () => {
  it('are in each of them, whatever their shares', () => {
    for (const chunks of [1, 31, 32, 33, 127, 128, 129, 1000, 48_000]) {
      for (const shares of [[1], [0.5], [0.001], [0], [0.3, 0.05], [0.05, 0.3, 0.9], [0.01, 0.002, 0.1]]) {
        const lists = shares.map((share) => numbersBelow(chunks, share));
        const others = lists.slice(1).map((numbers) => new Set(numbers));
        const expected = lists[0]!.filter((number) => others.every((other) => other.has(number)));
        const found = common(
          chunks,
          lists.map((numbers) => listOf(numbers, chunks)),
        );
        assert.deepEqual(found, expected, `${shares} of ${chunks}`);
      }
    }
  });

  it('are those of a list with wide gaps, whose code has hundreds of zeros in a row', () => {
    const chunks = 100_000;
    for (const numbers of [[99_999], [0, 99_999], [500, 99_000, 99_001]]) {
      // The parameter of a list with many more numbers.
      const list = riceListOf(numbers, chunks, 4);
      assert.deepEqual(common(chunks, [{ bytes: list, count: numbers.length, parameter: 4 }]), numbers);
    }
  });

  it('are fewer, and nothing worse, where a list is damaged', () => {
    const chunks = 5000;
    const numbers = numbersBelow(chunks, 0.1);
    const whole = riceList(numbers, chunks);
    for (let length = 0; length < whole.bytes.length; length += 7) {
      const cut = { ...whole, bytes: whole.bytes.subarray(0, length) };
      const found = common(chunks, [cut]);
      assert.deepEqual(found, numbers.slice(0, found.length));
    }
    for (let round = 0; round < 500; round++) {
      const bytes = Uint8Array.from({ length: Math.floor(random() * 100) }, () => random() * 256);
      const parameter = Math.floor(random() * 17);
      const found = common(chunks, [{ bytes, count: Math.floor(random() * 2 ** 32), parameter }, whole]);
      assert.ok(found.every((number) => numbers.includes(number)));
    }
  });
});
