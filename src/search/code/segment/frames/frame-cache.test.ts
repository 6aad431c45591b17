import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FRAME_BYTES } from './frame.ts';
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

  it('gives the memory of what was dropped back at once, but for the last ones, which may be in use', () => {
    const cache = new FrameCache(10_000);
    const owner = cache.newOwner();
    const texts = Array.from({ length: 100 }, (_, n) => cache.get(owner, n, () => Buffer.alloc(9_000, n)));
    const kept = texts.filter(({ length }) => length === 9_000);
    assert.equal(kept.length, 65); // 64 that were dropped, and the one that is in the cache
    assert.deepEqual(kept, texts.slice(-65));
    assert.ok(kept.every((text) => text.every((byte) => byte === texts.indexOf(text))));
  });

  it('uses the memory of frames again, but not that of the last ones', () => {
    const cache = new FrameCache(3 * FRAME_BYTES);
    const owner = cache.newOwner();
    const texts = Array.from({ length: 200 }, (_, n) =>
      cache.get(owner, n, () => cache.allocate(FRAME_BYTES - 1000).fill(n)),
    );
    assert.equal(new Set(texts.map(({ buffer }) => buffer)).size, 68); // 64 that were dropped, two that are kept, two
    assert.ok(texts.slice(-66).every((text, n) => text.every((byte) => byte === 134 + n)));
    for (const bytes of [100, 2 * FRAME_BYTES]) assert.equal(cache.allocate(bytes).buffer.byteLength, bytes);
  });

  it('leaves alone what shares its memory with others', () => {
    const cache = new FrameCache(400);
    const owner = cache.newOwner();
    const shared = Buffer.alloc(20_000, 1);
    for (let n = 0; n < 100; n++) cache.get(owner, n, () => shared.subarray(n * 100, n * 100 + 100));
    assert.equal(shared.length, 20_000);
  });
});
