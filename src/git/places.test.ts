import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Places } from './places.ts';

describe('places', () => {
  it('are given in order, and only once each', async () => {
    const places = new Places(1, 60_000);
    const first = await places.acquire();
    const order: number[] = [];
    const waiting = [1, 2, 3].map(async (n) => {
      const release = await places.acquire();
      order.push(n);
      release();
      release();
    });
    assert.deepEqual([places.taken, places.waiting], [1, 3]);
    first();
    await Promise.all(waiting);
    assert.deepEqual(order, [1, 2, 3]);
    assert.deepEqual([places.taken, places.waiting], [0, 0]);
  });

  it('answer 503 to what waits too long, and keep nothing for it', async () => {
    const places = new Places(1, 1);
    const release = await places.acquire();
    await assert.rejects(places.acquire(), { status: 503, headers: { 'retry-after': '5' } });
    release();
    assert.deepEqual([places.taken, places.waiting], [0, 0]);
  });

  it('are not kept for a request that was given up', async () => {
    const places = new Places(1, 60_000);
    const release = await places.acquire();
    const gone = new AbortController();
    const waiting = places.acquire(gone.signal);
    gone.abort(new Error('the client is gone'));
    await assert.rejects(waiting, /the client is gone/);
    await assert.rejects(places.acquire(gone.signal), /the client is gone/);
    release();
    assert.deepEqual([places.taken, places.waiting], [0, 0]);
  });
});
