import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { FOOTER_BYTES, SegmentDamaged } from './format.ts';
import { literal, searchAll, TestSegments } from './testing.ts';

const blobs = [Buffer.from('some text\n'.repeat(5000)), Buffer.from('other words\n')];

/** Opens a copy of a good segment after `change`. */
function openChanged(segments: TestSegments, change: (bytes: Buffer) => Buffer) {
  const path = segments.newPath();
  segments.buildAt(path, blobs);
  const changed = segments.newPath();
  writeFileSync(changed, change(readFileSync(path)));
  return segments.open(changed);
}

function flip(bytes: Buffer, at: number): Buffer {
  bytes[at]! ^= 0x10;
  return bytes;
}

describe('a damaged segment', () => {
  it('is not opened when it is cut, longer, empty or something else', () => {
    using segments = new TestSegments();
    const changes: ((bytes: Buffer) => Buffer)[] = [
      (bytes) => bytes.subarray(0, -1),
      (bytes) => bytes.subarray(0, bytes.length / 2),
      (bytes) => bytes.subarray(-FOOTER_BYTES),
      (bytes) => Buffer.concat([bytes, Buffer.alloc(4096)]),
      (bytes) => Buffer.concat([bytes.subarray(0, 100), bytes]),
      () => Buffer.alloc(0),
      () => Buffer.from('something else '.repeat(100)),
    ];
    for (const change of changes) assert.throws(() => openChanged(segments, change), SegmentDamaged);
  });

  it('is not opened when a bit of its tables or its footer is another', () => {
    using segments = new TestSegments();
    const path = segments.newPath();
    const { sections } = segments.buildAt(path, blobs).file.footer;
    const end = sections.tables.start + sections.tables.length + FOOTER_BYTES;
    for (let at = sections.tables.start; at < end; at += 29) {
      assert.throws(() => openChanged(segments, (bytes) => flip(bytes, at)), SegmentDamaged, `byte ${at}`);
    }
  });

  it('is told by verify wherever the damage is', () => {
    using segments = new TestSegments();
    const path = segments.newPath();
    const good = segments.buildAt(path, blobs);
    good.verify();
    const { tables } = good.file.footer.sections;
    for (let at = 0; at < tables.start; at += 97) {
      const damaged = openChanged(segments, (bytes) => flip(bytes, at));
      assert.throws(() => damaged.verify(), SegmentDamaged, `byte ${at}`);
    }
  });

  it('never gives a text other than what was written', () => {
    using segments = new TestSegments();
    const path = segments.newPath();
    const good = segments.buildAt(path, blobs);
    const truth = searchAll(good, literal('e'));
    const { frames } = good.file.footer.sections;
    let [tried, refused] = [0, 0];
    for (let at = 0; at < frames.length; at += 3, tried++) {
      const damaged = openChanged(segments, (bytes) => flip(bytes, at));
      try {
        // A few bits of a frame mean nothing: zstd does not look at them.
        assert.deepEqual(searchAll(damaged, literal('e')), truth, `byte ${at}`);
      } catch (error) {
        if (!(error instanceof SegmentDamaged)) throw error;
        refused++;
      }
    }
    assert.ok(refused > tried * 0.9, `${refused} of ${tried}`);
  });
});
