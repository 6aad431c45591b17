import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readRice, riceParameter } from './rice.ts';
import { randomNumbers, riceListOf, varintsOf } from './testing.ts';

const random = randomNumbers(7);

function decoded(bytes: Uint8Array, count: number, end: number): number[] {
  const out = new Uint32Array(count);
  return [...out.subarray(0, readRice(bytes, riceParameter(count, end), count, out))];
}

describe('a list of gaps, Rice coded', () => {
  it('is read as it was written, whatever the share of numbers', () => {
    for (const end of [1, 2, 7, 64, 1000, 16_000, 300_000]) {
      for (const share of [1, 0.7, 0.3, 0.1, 0.01, 0.0001]) {
        const numbers = Array.from({ length: end }, (_, at) => at).filter(() => random() < share);
        if (numbers.length === 0) numbers.push(Math.floor(random() * end));
        assert.deepEqual(
          decoded(riceListOf(numbers, end), numbers.length, end),
          numbers,
          `${share} of ${end}`,
        );
      }
    }
  });

  it('holds one number anywhere, many at one end, and runs', () => {
    const end = 20_000;
    const lists = [
      [0],
      [end - 1],
      [0, end - 1],
      Array.from({ length: 900 }, (_, at) => at),
      Array.from({ length: 900 }, (_, at) => end - 900 + at),
      [...Array.from({ length: 900 }, (_, at) => at), end - 1],
    ];
    for (const numbers of lists)
      assert.deepEqual(decoded(riceListOf(numbers, end), numbers.length, end), numbers);
  });

  it('is shorter than as varints', () => {
    const numbers = Array.from({ length: 16_000 }, (_, at) => at).filter(() => random() < 0.03);
    assert.ok(riceListOf(numbers, 16_000).length < varintsOf(numbers).length * 0.85);
  });

  it('ends where its bytes do', () => {
    const numbers = Array.from({ length: 100 }, (_, at) => at * 50 + 3);
    const bytes = riceListOf(numbers, 5000);
    const cut = decoded(bytes.subarray(0, bytes.length / 2), 100, 5000);
    assert.ok(cut.length < 60);
    assert.deepEqual(cut.slice(0, 40), numbers.slice(0, 40));
    assert.deepEqual(decoded(new Uint8Array(100), 5, 5000), []);
  });
});
