import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, it } from 'node:test';
import { CHUNK_BYTES } from '../chunks.ts';
import type { Segment } from '../segment.ts';
import {
  assertSameHits,
  literal,
  oidOf,
  randomNumbers,
  regex,
  scanAll,
  searchAll,
  TestSegments,
} from '../testing.ts';
import { mergeSegments } from './merge.ts';

const random = randomNumbers(5);

/** Blobs of words, some of them everywhere and some of them rare, some blobs larger than a chunk, some empty. */
function randomBlobs(count: number): Buffer[] {
  return Array.from({ length: count }, (_, i) => {
    const length = i % 7 === 0 ? 0 : Math.floor(random() * (i % 5 === 0 ? 20_000 : 200));
    const words = Array.from({ length }, () => `word${Math.floor(random() ** 4 * 400)}`);
    return Buffer.from(`${i === 3 ? 'ünique Ж\n' : ''}${words.join(i % 3 === 0 ? '\n' : ' \n ')}`);
  });
}

/** Everything in two segments but how chunks share frames: a merge copies full frames as they are. */
function assertAlike(merged: Segment, built: Segment): void {
  const { bytes: _, ...facts } = merged.facts;
  assert.deepEqual({ ...facts, bytes: built.facts.bytes }, built.facts);
  const { frameLengths: __, ...tables } = merged.file.tables;
  assert.deepEqual({ ...tables, frameLengths: built.file.tables.frameLengths }, built.file.tables);
  for (const section of ['signatures', 'postings'] as const)
    assert.deepEqual(merged.file.footer.sections[section].crc, built.file.footer.sections[section].crc);
  for (let blob = 0; blob < built.blobs; blob++)
    assert.ok(merged.head(blob, Infinity).equals(built.head(blob, Infinity)));
  merged.verify();
}

describe('a merge', () => {
  it('writes what a build of all its blobs writes', () => {
    using segments = new TestSegments();
    const groups = [randomBlobs(40), randomBlobs(1), [], randomBlobs(25)];
    const path = segments.newPath();
    const facts = mergeSegments(
      groups.map((blobs) => ({ segment: segments.build(blobs), keep: () => true })),
      path,
    );
    const whole = segments.newPath();
    const merged = segments.open(path);
    assert.deepEqual(facts, merged.facts);
    assertAlike(merged, segments.buildAt(whole, groups.flat()));
  });

  it('leaves out the blobs that are not kept, and all that was only theirs', () => {
    using segments = new TestSegments();
    const groups = [randomBlobs(40), randomBlobs(30)];
    const keep = (blob: number) => blob % 3 !== 0;
    const path = segments.newPath();
    const inputs = groups.map((blobs) => ({ segment: segments.build(blobs), keep }));
    mergeSegments(inputs, path);
    const kept = groups.flatMap((blobs) => blobs.filter((_, blob) => keep(blob)));
    const whole = segments.newPath();
    const merged = segments.open(path);
    assertAlike(merged, segments.buildAt(whole, kept));
    for (const pattern of [literal('word1'), literal('word399'), literal('ünique ж'), regex('word3.\\s')]) {
      assertSameHits(searchAll(merged, pattern), scanAll(kept, pattern), pattern);
    }
    const oids = kept.map((_, blob) => merged.oidOf(blob));
    assert.deepEqual(oids, kept.map(oidOf));
  });

  it('can leave nothing', () => {
    using segments = new TestSegments();
    const path = segments.newPath();
    const facts = mergeSegments([{ segment: segments.build(randomBlobs(9)), keep: () => false }], path);
    assert.deepEqual({ ...facts, bytes: 0 }, { blobs: 0, chunks: 0, rawBytes: 0, bytes: 0 });
    segments.open(path).verify();
  });

  it('leaves no file when it fails', () => {
    using segments = new TestSegments();
    const source = segments.build([Buffer.alloc(CHUNK_BYTES * 3, 'text\n')]);
    const path = segments.newPath();
    source.file.footer.sections.frames.length = 10;
    assert.throws(() => mergeSegments([{ segment: source, keep: () => true }], path), /SegmentDamaged/);
    assert.equal(existsSync(path), false);
  });

  it('does not write over a file that is there', () => {
    using segments = new TestSegments();
    const path = segments.newPath();
    segments.buildAt(path, [Buffer.from('there')]);
    assert.throws(() => mergeSegments([], path), { code: 'EEXIST' });
    assert.equal(searchAll(segments.open(path), literal('there')).size, 1);
  });
});
