import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createLog } from '../../platform/log.ts';
import type { CodeIndex } from './code-index.ts';
import { LazyIndex } from './lazy-index.ts';

/** What `open` does in turn; the last one is repeated. */
function lazy(...turns: (() => Promise<CodeIndex>)[]) {
  let opened = 0;
  let now = 0;
  const open = () => turns[Math.min(opened++, turns.length - 1)]!();
  const index = new LazyIndex(open, { clock: { now: () => now }, log: createLog('silent') });
  return { index, count: () => opened, pass: (ms: number) => (now += ms) };
}

describe('an index that is opened when it is needed', () => {
  let closed = 0;
  const good = { close: async () => void closed++ } as unknown as CodeIndex;

  it('is opened once, however many ask for it, and closed if it was', async () => {
    const { index, count } = lazy(async () => good);
    assert.equal(index.opened, null);
    assert.deepEqual(await Promise.all([index.get(), index.get()]), [good, good]);
    assert.deepEqual([index.opened, count()], [good, 1]);
    await index.close();
    assert.equal(closed, 1);
    const never = lazy(async () => good);
    await never.index.close();
    assert.deepEqual([closed, never.count()], [1, 0]);
    await assert.rejects(never.index.get(), /closed/);
  });

  it('is left alone for a while after a failure, and then tried again', async () => {
    const { index, count, pass } = lazy(
      () => Promise.reject(new Error('no space left')),
      async () => good,
    );
    await assert.rejects(index.get(), /no space left/);
    await assert.rejects(index.get(), /could not be opened/);
    assert.equal(count(), 1);
    pass(30_000);
    assert.equal(await index.get(), good);
  });
});
