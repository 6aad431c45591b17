import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { CodeHit, CodeQuery, CorpusName } from '../code-index.ts';
import { randomNumbers } from '../segment/testing.ts';
import { joinParts } from './join-parts.ts';
import { Share, sharedMemory, stopSearch } from './share.ts';

function dividedIn(parts: number, divideAfterMs = 0) {
  const shared = sharedMemory(parts);
  let asked = 0;
  const shares = Array.from(
    { length: parts },
    (_, part) => new Share({ part, divideAfterMs, shared }, () => asked++),
  );
  return { shared, shares, asked: () => asked };
}

describe('a search that threads share', () => {
  it('asks for other threads when it takes long, only the first of them, and is no longer whole then', () => {
    const soon = dividedIn(2);
    for (const share of soon.shares) share.divideInTime();
    assert.deepEqual([soon.asked(), soon.shares[0]!.isWhole], [1, false]);
    const late = dividedIn(2, 60_000);
    for (const share of late.shares) share.divideInTime();
    assert.deepEqual([late.asked(), late.shares[0]!.isWhole], [0, true]);
  });

  it('asks again, in case none was free, less and less often', async () => {
    const { shares, asked } = dividedIn(2, 20);
    for (const end = performance.now() + 150; performance.now() < end; await setTimeout(1))
      shares[0]!.divideInTime();
    assert.ok(asked() >= 1 && asked() <= 4, `${asked()} times`);
  });

  it('has each suspect looked into by one of them, whenever and however fast they come', () => {
    const random = randomNumbers(3);
    for (let round = 0; round < 50; round++) {
      const { shares } = dividedIn(3);
      const owners = new Map<number, number>();
      const next = shares.map(() => 0);
      const starts = shares.map((_, part) => part * 300 * random());
      for (let step = 0; next.some((place) => place < 1000); step++) {
        const part = Math.floor(random() * 3);
        if (step < starts[part]! || next[part]! >= 1000) continue;
        if (shares[part]!.owns(next[part]!)) {
          assert.ok(!owners.has(next[part]!));
          owners.set(next[part]!, part);
        }
        next[part]!++;
      }
      assert.equal(owners.size, 1000);
      assert.equal(new Set(owners.values()).size, 3);
    }
  });

  it('has nothing left for who begins after the first has ended, unless it was stopped', () => {
    const { shared, shares } = dividedIn(2);
    assert.deepEqual([shares[0]!.isOver, shares[1]!.isOver], [false, false]);
    shares[1]!.end();
    assert.equal(shares[1]!.isOver, false);
    shares[0]!.end();
    assert.deepEqual([shares[0]!.isOver, shares[1]!.isOver], [false, true]);
    stopSearch(shared);
    shares[0]!.end();
    assert.deepEqual([shares[1]!.isOver, shares[1]!.stopped], [false, true]);
  });

  it('ends where all of them together have enough, counting what lies before', () => {
    const [one, other] = dividedIn(2).shares as [Share, Share];
    one.found(7, 3);
    other.found(20, 4);
    assert.deepEqual([other.enough(20, 7), other.enough(20, 8)], [true, false]);
    assert.deepEqual([one.enough(8, 4), one.enough(21, 7), one.enough(8, 3)], [false, true, true]);
    one.found(30, 1);
    assert.equal(other.enough(25, 5), false); // some of the four may lie behind
    assert.equal(other.enough(null, 5), false);
  });

  it('is stopped in all of them', () => {
    const { shared, shares } = dividedIn(2);
    assert.ok(shares.every(({ stopped }) => !stopped));
    stopSearch(shared);
    assert.ok(shares.every(({ stopped }) => stopped));
  });
});

describe('the parts of an answer', () => {
  const corpora: CorpusName[] = ['project:2', 'project:1'];
  const query = { corpora, limit: 5, shown: 3 } as unknown as CodeQuery;
  const part = (state: string | null, found: number, ...at: [CorpusName, string, number][]) => ({
    hits: at.map(([corpus, path, startLine]): CodeHit => ({ corpus, path, startLine, blob: '', data: '' })),
    paths: at.map(([, path]) => path),
    found,
    truncated: false,
    state,
  });

  it('are put together by corpus as asked for, path and line, as many as are shown', () => {
    const one = part('s', 3, ['project:2', 'b', 9], ['project:2', 'b', 12], ['project:1', 'a', 1]);
    const other = part('s', 1, ['project:2', 'a', 5]);
    const { hits, found, truncated } = joinParts([one, other], query)!;
    const places = hits.map(({ corpus, path, startLine }) => `${corpus} ${path}:${startLine}`);
    assert.deepEqual(places, ['project:2 a:5', 'project:2 b:9', 'project:2 b:12']);
    assert.deepEqual([found, truncated], [4, false]);
  });

  it('count no further than the limit', () => {
    const { found, truncated } = joinParts([part('s', 3), part('s', 4)], query)!;
    assert.deepEqual([found, truncated], [5, true]);
  });

  it('are not asked for their state where they had nothing left to do', () => {
    const { found } = joinParts([part('s', 3), part(null, 0)], query)!;
    assert.equal(found, 3);
  });

  it('make no answer when the index changed between them', () => {
    assert.equal(joinParts([part('s', 3), part('t', 1)], query), null);
  });
});
