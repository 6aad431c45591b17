import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FrameCache } from './frame-cache.ts';

const textOf = (bytes: number) => () => Buffer.alloc(bytes);
const never = () => {
  throw new Error('decoded again');
};

describe('the cache of decoded frames', () => {
  it('keeps what was used last, within its bytes', () => {
    const cache = new FrameCache(10_000);
    const owner = cache.newOwner();
    for (let chunk = 0; chunk < 10; chunk++) cache.get(owner, chunk, textOf(1500));
    for (let chunk = 5; chunk < 10; chunk++) cache.get(owner, chunk, never);
    assert.throws(() => cache.get(owner, 0, never), /decoded again/);
  });

  it('does not keep what is larger than all of it', () => {
    const cache = new FrameCache(10_000);
    const owner = cache.newOwner();
    cache.get(owner, 1, textOf(100));
    assert.equal(cache.get(owner, 2, textOf(20_000)).length, 20_000);
    assert.throws(() => cache.get(owner, 2, never), /decoded again/);
    cache.get(owner, 1, never);
  });

  it('keeps the frames of segments apart', () => {
    const cache = new FrameCache(10_000);
    const [one, other] = [cache.newOwner(), cache.newOwner()];
    cache.get(one, 1, textOf(1));
    assert.equal(cache.get(other, 1, textOf(2)).length, 2);
  });
});
