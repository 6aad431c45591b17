import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CodeHit, CodeQuery, CorpusName } from '../code-index.ts';
import { joinParts } from './join-parts.ts';
import { Share, sharedMemory, stopSearch } from './share.ts';

function dividedIn(parts: number) {
  const shared = sharedMemory(parts);
  let divided = 0;
  const shares = Array.from(
    { length: parts },
    (_, part) => new Share({ part, parts, worthDividing: 10, shared }, () => divided++),
  );
  return { shared, shares, divided: () => divided };
}

describe('a search that threads share', () => {
  it('is divided when there is enough to look into, by the first of them', () => {
    const few = dividedIn(2);
    few.shares[0]!.begin(9);
    assert.deepEqual([few.divided(), few.shares[0]!.isWhole], [0, true]);
    const many = dividedIn(2);
    for (const share of many.shares) share.begin(10);
    assert.deepEqual([many.divided(), many.shares[0]!.isWhole, many.shares[1]!.isWhole], [1, false, false]);
    const alone = dividedIn(1);
    alone.shares[0]!.begin(1000);
    assert.equal(alone.divided(), 0);
  });

  it('has each frame looked into by one of them, and none with all of the work', () => {
    const { shares } = dividedIn(3);
    const counts = [0, 0, 0];
    for (let segment = 1; segment <= 5; segment++) {
      for (let frame = 0; frame < 1000; frame += 3) {
        const owners = shares.flatMap((share, part) => (share.owns(segment, frame) ? [part] : []));
        assert.equal(owners.length, 1);
        counts[owners[0]!]!++;
      }
    }
    assert.ok(Math.min(...counts) > 400, `${counts}`);
    assert.deepEqual(
      shares.map(({ ownsOversized }) => ownsOversized),
      [true, false, false],
    );
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
  const part = (state: string, found: number, ...at: [CorpusName, string, number][]) => ({
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

  it('make no answer when the index changed between them', () => {
    assert.equal(joinParts([part('s', 3), part('t', 1)], query), null);
  });
});
