import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApiError } from '../errors.ts';
import { rangeHead, rangeOf } from './byte-range.ts';

describe('Range', () => {
  const asked: [header: string | undefined, size: number, slice: ReturnType<typeof rangeOf>][] = [
    [undefined, 10, null],
    ['bytes=0-3', 10, { start: 0, end: 3 }],
    ['bytes=4-', 10, { start: 4, end: 9 }],
    ['bytes=-3', 10, { start: 7, end: 9 }],
    ['bytes=-30', 10, { start: 0, end: 9 }],
    ['bytes=0-99', 10, { start: 0, end: 9 }],
    ['bytes=9-9', 10, { start: 9, end: 9 }],
    ['bytes=3-2', 10, null],
    ['bytes=0-1,4-5', 10, null],
    ['lines=0-1', 10, null],
    ['bytes=-', 10, null],
    ['bytes=a-b', 10, null],
    ['bytes=99999999999999999999-', 10, null],
  ];
  for (const [header, size, slice] of asked) {
    it(`${header} of ${size} bytes is ${JSON.stringify(slice)}`, () => {
      assert.deepEqual(rangeOf(header, size), slice);
    });
  }

  for (const [header, size] of [
    ['bytes=10-', 10],
    ['bytes=0-', 0],
    ['bytes=-0', 10],
    ['bytes=-1', 0],
  ] as const) {
    it(`${header} of ${size} bytes is refused, with the size`, () => {
      assert.throws(
        () => rangeOf(header, size),
        (error) =>
          error instanceof ApiError &&
          error.status === 416 &&
          error.headers['content-range'] === `bytes */${size}`,
      );
    });
  }

  it('says which part of how much is sent', () => {
    assert.deepEqual(rangeHead({ start: 2, end: 4 }, 10), {
      status: 206,
      headers: { 'accept-ranges': 'bytes', 'content-range': 'bytes 2-4/10', 'content-length': '3' },
    });
    assert.equal(rangeHead(null, 10).headers['content-length'], '10');
  });
});
