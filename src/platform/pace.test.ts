import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pace } from './pace.ts';

describe('a pace', () => {
  it('does one piece after the other, and gives what each gives', async () => {
    const pace = new Pace();
    const order: string[] = [];
    const piece = (name: string) => async () => {
      order.push(`${name} begins`);
      await sleep(2);
      order.push(`${name} ends`);
      return name;
    };
    assert.deepEqual(await Promise.all([pace.run(piece('a')), pace.run(piece('b'))]), ['a', 'b']);
    assert.deepEqual(order, ['a begins', 'a ends', 'b begins', 'b ends']);
  });

  it('lets others run between two pieces that keep the event loop', async () => {
    const pace = new Pace();
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    const hold = async () => {
      const before = turns;
      for (const end = performance.now() + 5; performance.now() < end; );
      return before;
    };
    const [, second] = await Promise.all([pace.run(hold), pace.run(hold)]);
    clearInterval(timer);
    assert.ok(second > 0);
  });

  it('goes on behind a piece that fails', async () => {
    const pace = new Pace();
    const failing = pace.run(async () => {
      throw new Error('it failed');
    });
    const next = pace.run(async () => 'done');
    await assert.rejects(failing, /it failed/);
    assert.equal(await next, 'done');
  });
});
