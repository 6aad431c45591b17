import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bitsOf, emptyBitmap, intersect, keepNumbers, setBit } from './bitmap.ts';
import { randomNumbers } from './testing.ts';

const random = randomNumbers(11);

function numbersBelow(end: number, share: number): Uint32Array {
  return Uint32Array.from({ length: end }, (_, at) => at).filter(() => random() < share);
}

function bitmapOf(numbers: Uint32Array, end: number) {
  const bitmap = emptyBitmap(end);
  for (const number of numbers) setBit(bitmap, number);
  return bitmap;
}

describe('a set of chunks', () => {
  it('keeps the same of a list as of its bitmap', () => {
    for (const end of [1, 31, 32, 33, 1000]) {
      for (const share of [0, 0.001, 0.05, 0.5, 1]) {
        const set = numbersBelow(end, 0.4);
        const list = numbersBelow(end, share);
        const [byBitmap, byList] = [bitmapOf(set, end), bitmapOf(set, end)];
        intersect(byBitmap, bitmapOf(list, end));
        keepNumbers(byList, list);
        assert.deepEqual([...bitsOf(byList)], [...bitsOf(byBitmap)], `${share} of ${end}`);
      }
    }
  });

  it('is not troubled by numbers that are too large for it, as a damaged list may give', () => {
    const set = bitmapOf(numbersBelow(100, 1), 100);
    keepNumbers(set, Uint32Array.of(3, 70, 5000, 0xffffffff));
    assert.deepEqual([...bitsOf(set)], [3, 70]);
  });
});
