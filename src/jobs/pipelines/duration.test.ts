import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runningSeconds } from './duration.ts';

const run = (from: number | null, to: number | null) => ({
  started_at: from === null ? null : from * 1000,
  finished_at: to === null ? null : to * 1000,
});

describe('how long a pipeline ran', () => {
  it('adds up runs one after the other, without the pauses', () => {
    assert.equal(runningSeconds([run(10, 20), run(50, 55)]), 15);
  });
  it('counts runs side by side once', () => {
    assert.equal(runningSeconds([run(0, 10), run(5, 12), run(6, 7)]), 12);
  });
  it('does not mind the order in which they are given', () => {
    assert.equal(runningSeconds([run(50, 55), run(10, 20)]), 15);
  });
  it('leaves out what never ran or has not ended', () => {
    assert.equal(runningSeconds([run(null, 5), run(3, null), run(0, 2)]), 2);
    assert.equal(runningSeconds([]), 0);
  });
});
