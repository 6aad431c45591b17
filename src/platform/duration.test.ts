import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { secondsOf, secondsOrNever } from './duration.ts';

describe('durations as people write them', () => {
  const texts: [text: string, seconds: number | undefined][] = [
    ['42', 42],
    ['0', 0],
    ['30 days', 2_592_000],
    ['2 hrs 20 min', 8400],
    ['2h20min', 8400],
    ['3 mins 4 sec', 184],
    ['6 mos 1 day', 15_638_400],
    ['47 yrs 6 mos and 4d', 47 * 31_557_600 + 6 * 2_592_000 + 4 * 86_400],
    ['3 weeks and 2 days', 1_987_200],
    ['1.5 h', 5400],
    ['1 Week', 604_800],
    ['1 day, 2 hours', 93_600],
    ['1:30', 90],
    ['1:30:00', 5400],
    ['2 dys + 3 mths', 2 * 86_400 + 3 * 2_592_000],
    ['1:2:3:4', undefined],
    ['1:300', undefined],
    ['never', undefined],
    ['', undefined],
    ['soon', undefined],
    ['5 bananas', undefined],
    ['-5 days', undefined],
    ['1 day extra', undefined],
    ['9999999 years', undefined],
    [`${'1 day '.repeat(50)}`, undefined],
  ];
  for (const [text, seconds] of texts) {
    it(`${JSON.stringify(text.slice(0, 30))} is ${seconds}`, () => assert.equal(secondsOf(text), seconds));
  }

  it('may be without end', () => {
    assert.deepEqual(['Never ', '1 day', 'soon'].map(secondsOrNever), [null, 86_400, undefined]);
  });
});
