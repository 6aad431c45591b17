import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PathGrams } from './path-grams.ts';

/** The same texts at each run. */
function* numbers(seed: number): Generator<number> {
  for (let state = seed; ; ) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    yield state >>> 8;
  }
}

describe('the trigrams of paths', () => {
  it('find what indexOf finds, wherever it lies', () => {
    const next = numbers(7);
    const letters = 'abcde/._\0é';
    let text = '';
    while (text.length < 60_000) text += letters[next.next().value! % letters.length];
    const grams = new PathGrams(text);
    for (let round = 0; round < 3000; round++) {
      const at = next.next().value! % text.length;
      const length = next.next().value! % (round % 10 === 0 ? 600 : 12);
      const needle = text.slice(at, at + length) + (round % 3 === 0 ? 'a' : '');
      const from = round % 2 === 0 ? 0 : next.next().value! % text.length;
      assert.equal(grams.indexOf(needle, from), text.indexOf(needle, from), `${round}`);
    }
  });

  it('know what crosses from one block into the next', () => {
    for (const start of [8180, 8190, 8191, 8192, 16_383]) {
      const text = `${'-'.repeat(start)}needle${'-'.repeat(9000)}`;
      assert.equal(new PathGrams(text).indexOf('needle', 0), start);
    }
  });

  it('find nothing in nothing', () => {
    assert.equal(new PathGrams('').indexOf('abc', 0), -1);
    assert.equal(new PathGrams('ab').indexOf('abc', 0), -1);
    assert.equal(new PathGrams('abc').indexOf('abc', 1), -1);
  });
});
