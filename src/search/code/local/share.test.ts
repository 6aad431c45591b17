import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CodeHit, CodeQuery, CorpusName } from '../code-index.ts';
import { randomNumbers } from '../segment/testing.ts';
import { joinParts } from './join-parts.ts';
import { Share, sharedMemory, stopSearch } from './share.ts';

function dividedIn(parts: number) {
  const shared = sharedMemory(parts);
  return { shared, shares: Array.from({ length: parts }, (_, part) => new Share({ part, shared })) };
}

describe('a search that threads share', () => {
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

  it('waits for those who joined in time, and for no others', () => {
    const late = dividedIn(2);
    assert.equal(late.shares[0]!.join(), true);
    assert.equal(late.shares[1]!.isOver, false);
    assert.equal(late.shares[0]!.end(), false);
    assert.deepEqual([late.shares[1]!.isOver, late.shares[1]!.join()], [true, false]);
    const inTime = dividedIn(3);
    assert.deepEqual([inTime.shares[1]!.join(), inTime.shares[2]!.join()], [true, true]);
    assert.deepEqual([inTime.shares[0]!.end(), inTime.shares[1]!.end()], [true, true]);
  });

  it('does not pass for one that a single thread has done when it was stopped', () => {
    const { shared, shares } = dividedIn(2);
    shares[1]!.join();
    stopSearch(shared);
    assert.equal(shares[0]!.end(), true);
    assert.equal(shares[1]!.join(), false);
  });

  it('stays stopped when its first thread ends', () => {
    const { shared, shares } = dividedIn(2);
    stopSearch(shared);
    shares[0]!.end();
    assert.ok(shares.every(({ stopped }) => stopped));
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
  const part = (found: number, ...at: [CorpusName, string, number][]) => ({
    hits: at.map(([corpus, path, startLine]): CodeHit => ({ corpus, path, startLine, blob: '', data: '' })),
    paths: at.map(([, path]) => path),
    found,
    truncated: false,
  });

  it('are put together by corpus as asked for, path and line, as many as are shown', () => {
    const one = part(3, ['project:2', 'b', 9], ['project:2', 'b', 12], ['project:1', 'a', 1]);
    const other = part(1, ['project:2', 'a', 5]);
    const { hits, found, truncated } = joinParts([one, other], query);
    const places = hits.map(({ corpus, path, startLine }) => `${corpus} ${path}:${startLine}`);
    assert.deepEqual(places, ['project:2 a:5', 'project:2 b:9', 'project:2 b:12']);
    assert.deepEqual([found, truncated], [4, false]);
  });

  it('count no further than the limit', () => {
    const { found, truncated } = joinParts([part(3), part(4)], query);
    assert.deepEqual([found, truncated], [5, true]);
  });
});
