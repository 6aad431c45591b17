import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatDuration, parseDuration } from './duration.ts';

const HOUR = 3600;

describe('durations', () => {
  const good: [text: string, seconds: number][] = [
    ['1mo', 160 * HOUR],
    ['2w', 80 * HOUR],
    ['3d', 24 * HOUR],
    ['4h', 4 * HOUR],
    ['5m', 300],
    ['6s', 6],
    ['1mo 2w 3d 4h 5m', (160 + 80 + 24 + 4) * HOUR + 300],
    ['3h30m', 3.5 * HOUR],
    ['1.5h', 1.5 * HOUR],
    ['3', 3 * HOUR],
    ['0', 0],
    ['0h', 0],
    ['-1h 30m', -1.5 * HOUR],
    ['- 2d', -16 * HOUR],
    ['+1h', HOUR],
    ['  1h  ', HOUR],
    ['1 week, 3 days and 2 hours', (40 + 24 + 2) * HOUR],
    ['2 Hours 5 MINS', 2 * HOUR + 300],
    ['1 month', 160 * HOUR],
    ['90m', 1.5 * HOUR],
    ['1h, ', HOUR],
  ];
  for (const [text, seconds] of good) {
    it(`reads ${text}`, () => assert.equal(parseDuration(text), seconds));
  }

  const bad = [
    '',
    ' ',
    '-',
    'foo',
    '1x',
    '1h foo',
    'h',
    'and',
    '1hm',
    '1mox',
    '--1h',
    '1e9',
    '1h -30m',
    '1\0h',
  ];
  for (const text of [...bad, '9999999mo', '1h '.repeat(100), `${'9'.repeat(300)}h`]) {
    it(`refuses ${JSON.stringify(text.slice(0, 20))}`, () => assert.equal(parseDuration(text), null));
  }

  it('are written with the largest units first', () => {
    const shown: [seconds: number, text: string | null][] = [
      [0, null],
      [30, '30s'],
      [3.5 * HOUR, '3h 30m'],
      [8 * HOUR, '1d'],
      [160 * HOUR + 300, '1mo 5m'],
      [-HOUR, '-1h'],
    ];
    for (const [seconds, text] of shown) assert.equal(formatDuration(seconds), text);
  });

  it('come back as they were', () => {
    for (const seconds of [1, 59, 3600, 12_600, 777_777, 2 ** 31 - 1]) {
      assert.equal(parseDuration(formatDuration(seconds) ?? ''), seconds);
    }
  });
});
