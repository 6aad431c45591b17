import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { forEachDatabase } from '../../test/support/databases.ts';
import { LeaderTask } from './leader-task.ts';
import { createLog } from './log.ts';

const log = createLog('silent');
const POLL = { pollMs: 60_000 };

async function until(done: () => boolean): Promise<void> {
  while (!done()) await wait(2);
}

forEachDatabase((kind, open, create) => {
  it('works at the start, when it is woken, and once more when it is woken in the middle', async () => {
    const database = await open();
    let turns = 0;
    const task: LeaderTask = new LeaderTask({
      ...POLL,
      database,
      log,
      name: 'test',
      async work() {
        turns++;
        if (turns === 2) task.wake();
        return null;
      },
    });
    task.start();
    await until(() => turns === 1);
    task.wake();
    await until(() => turns === 3);
    await task.stop();
    task.wake();
    assert.equal(turns, 3);
  });

  it('comes back when something is due, and after a failure', async () => {
    const database = await open();
    let turns = 0;
    const task = new LeaderTask({
      pollMs: 5,
      database,
      log,
      name: 'test',
      async work() {
        turns++;
        if (turns === 1) throw new Error('broken');
        return 1;
      },
    });
    task.start();
    await until(() => turns >= 3);
    await task.stop();
  });

  it('is done by one process at a time, and by another when that one stops', async () => {
    const test = await create();
    const first = await test.open();
    const second = kind === 'postgres' ? await test.open() : first;
    const done: string[] = [];
    const taskOf = (name: string, database: typeof first) =>
      new LeaderTask({
        pollMs: 5,
        database,
        log,
        name: 'shared',
        async work() {
          done.push(name);
          return null;
        },
      });
    const [a, b] = [taskOf('a', first), taskOf('b', second)];
    a.start();
    await until(() => done.includes('a'));
    b.start();
    const before = done.length;
    await until(() => done.length > before + 5);
    assert.ok(!done.includes('b'));
    await a.stop();
    await until(() => done.includes('b'));
    await b.stop();
  });

  it('begins to lead anew where the beginning failed, and yields at its end', async () => {
    const database = await open();
    const told: string[] = [];
    const task = new LeaderTask({
      pollMs: 5,
      database,
      log,
      name: 'begun',
      async onLead() {
        told.push('lead');
        if (told.length === 1) throw new Error('broken');
      },
      async onYield() {
        told.push('yield');
      },
      async work() {
        if (told.at(-1) !== 'work') told.push('work');
        return null;
      },
    });
    await task.start();
    await until(() => told.includes('work'));
    await task.stop();
    assert.deepEqual(told, ['lead', 'lead', 'work', 'yield']);
  });
});
