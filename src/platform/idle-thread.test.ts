import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { IdleThread } from './idle-thread.ts';

/** Answers with its number and what it was told; ends itself, or throws, when it is told so. */
const CODE = `
  import { parentPort, threadId } from 'node:worker_threads';
  parentPort.on('message', (told) => {
    if (told === 'end') process.exit();
    if (told === 'throw') throw new Error('as it was told');
    if (told === 'throw later') setTimeout(() => { throw new Error('nobody asked'); }, 10);
    setTimeout(() => parentPort.postMessage([threadId, told]), 5);
  });
`;
const FILE = new URL(`data:text/javascript,${encodeURIComponent(CODE)}`);

const threadFor = (idleMs: number) =>
  new IdleThread<string, [thread: number, told: string]>({ file: FILE, maxYoungMb: 1, idleMs });

describe('a thread that ends when it is idle', () => {
  it('answers one call after the other', async () => {
    const thread = threadFor(60_000);
    const answers = await Promise.all(['a', 'b', 'c'].map((each) => thread.ask(each)));
    assert.deepEqual(
      answers.map(([, told]) => told),
      ['a', 'b', 'c'],
    );
    assert.equal(new Set(answers.map(([number]) => number)).size, 1);
    await thread.close();
  });

  it('is another one after it was idle', async () => {
    const thread = threadFor(20);
    const [first] = await thread.ask('a');
    assert.equal((await thread.ask('b'))[0], first);
    await sleep(200);
    assert.notEqual((await thread.ask('c'))[0], first);
    await thread.close();
  });

  it('may die between two calls', async () => {
    const thread = threadFor(60_000);
    const [first] = await thread.ask('throw later');
    await sleep(100);
    assert.notEqual((await thread.ask('a'))[0], first);
    await thread.close();
  });

  it('rejects when it throws, ends or is closed in the middle, and answers the next call', async () => {
    const thread = threadFor(60_000);
    await assert.rejects(thread.ask('throw'), /as it was told/);
    const [failed, next] = await Promise.allSettled([thread.ask('end'), thread.ask('a')]);
    assert.match(String(failed.status === 'rejected' && failed.reason), /before it had answered/);
    assert.equal(next.status === 'fulfilled' && next.value[1], 'a');
    const asked = thread.ask('b');
    await sleep(1);
    await Promise.all([assert.rejects(asked, /before it had answered/), thread.close()]);
    assert.equal((await thread.ask('c'))[1], 'c');
    await thread.close();
  });
});
