import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Busy } from './errors.ts';
import { FairMutex } from './fair-mutex.ts';

describe('the mutex in front of the writer', () => {
  it('lets one in at a time, in the order of arrival', async () => {
    const mutex = new FairMutex({ maxWaiting: 10, maxWaitMs: 10_000 });
    const order: number[] = [];
    let inside = 0;
    const visit = async (n: number) => {
      await mutex.acquire();
      assert.equal(++inside, 1);
      await new Promise(setImmediate);
      order.push(n);
      inside--;
      mutex.release();
    };
    await Promise.all([0, 1, 2, 3, 4].map(visit));
    assert.deepEqual(order, [0, 1, 2, 3, 4]);
    assert.equal(mutex.tryAcquire(), true);
  });

  it('refuses who comes to a full queue, and who waited too long', async () => {
    const mutex = new FairMutex({ maxWaiting: 1, maxWaitMs: 5 });
    await mutex.acquire();
    const waiting = mutex.acquire();
    await assert.rejects(mutex.acquire(), Busy);
    await assert.rejects(waiting, Busy);
    assert.equal(mutex.queued, 0);
    mutex.release();
    assert.equal(mutex.tryAcquire(), true, 'who gave up does not hold it');
  });
});
