import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { CodePattern } from '../code-index.ts';
import { CHUNK_BYTES } from './chunks.ts';
import { compilePlan as planOf } from './match/plan.ts';
import type { Segment } from './segment.ts';
import {
  assertSameHits,
  literal,
  oidOf,
  randomNumbers,
  regex,
  scanAll,
  searchAll,
  TestSegments,
} from './testing.ts';
import { SegmentBuilder } from './write/builder.ts';

const WORDS = [
  'function',
  'return',
  'Task',
  'kiss',
  'ſtreet',
  '\u212aelvin',
  'Привет',
  'ПРИВЕТ',
  'ΣΟΦΟΣ',
  'σοφος',
  'σοφοσ',
  'straße',
  'STRASSE',
  'ıI',
  'İi',
  '编译器',
  '🚀🚀',
  '𐐀𐐨',
  'ΐ\u1fd3',
  'naïve',
  'NAÏVE',
  'a+b',
  '(x)',
  '\t',
  '\r',
  '\u2028',
  '\0',
  '',
];

/** Texts of few words, so that what is looked for is often there and often nearly there. */
class RandomTexts {
  readonly #next: () => number;

  constructor(seed: number) {
    this.#next = randomNumbers(seed);
  }

  below(bound: number): number {
    return Math.floor(this.#next() * bound);
  }

  blob(): Buffer {
    const lines = Array.from({ length: this.below(60) }, () => this.#line());
    const text = lines.join(this.below(4) === 0 ? '\r\n' : '\n') + (this.below(2) === 0 ? '\n' : '');
    return this.below(4) === 0 ? Buffer.from(text, 'latin1') : Buffer.from(text);
  }

  /** Larger than a chunk, with a line now and then that is longer than one. */
  largeBlob(): Buffer {
    const lines = Array.from({ length: 4000 }, () => this.#line());
    if (this.below(2) === 0) lines[this.below(4000)] = 'Task '.repeat(CHUNK_BYTES / 4);
    return Buffer.from(lines.join('\n'));
  }

  /** A piece of a text that is there, in another case now and then. */
  query(blobs: readonly Buffer[]): CodePattern {
    const text = Array.from(blobs[this.below(blobs.length)]!.toString().replaceAll(/[\n\ufffd]+/g, ''));
    const start = this.below(text.length);
    const piece = text.slice(start, start + 1 + this.below(12)).join('');
    const cased = [piece, piece.toUpperCase(), piece.toLowerCase()][this.below(3)]!;
    return literal(cased, this.below(3) === 0);
  }

  #line(): string {
    const words = Array.from({ length: this.below(6) }, () => WORDS[this.below(WORDS.length)]!);
    return words.join(this.below(3) === 0 ? '' : ' ');
  }
}

function assertLikeScan(segment: Segment, blobs: readonly Buffer[], pattern: CodePattern): void {
  assertSameHits(searchAll(segment, pattern), scanAll(blobs, pattern), pattern);
}

describe('a segment', () => {
  it('finds in random texts exactly the lines that a scan with JavaScript finds', () => {
    for (let seed = 1; seed <= 12; seed++) {
      using segments = new TestSegments();
      const texts = new RandomTexts(seed);
      const blobs = Array.from({ length: 30 }, () => texts.blob());
      const segment = segments.build(blobs);
      for (let query = 0; query < 60; query++) assertLikeScan(segment, blobs, texts.query(blobs));
    }
  });

  it('leaves no file when its build is given up, and does not write over one that is there', () => {
    using segments = new TestSegments();
    const path = segments.newPath();
    const bytes = Buffer.from('some text\n'.repeat(10_000));
    const builder = new SegmentBuilder(path);
    builder.add({ oid: oidOf(bytes), bytes });
    assert.ok(existsSync(path));
    assert.throws(() => new SegmentBuilder(path), { code: 'EEXIST' });
    builder.abandon();
    assert.ok(!existsSync(path));
  });

  it('finds across the borders of chunks, and in lines longer than a chunk', () => {
    using segments = new TestSegments();
    const texts = new RandomTexts(99);
    const large = Array.from({ length: 6 }, () => texts.largeBlob());
    const blobs = [...large.slice(0, 1), texts.blob(), ...large.slice(1)];
    const segment = segments.build(blobs);
    assert.ok(segment.facts.chunks > 8);
    for (const text of ['function return', 'kiss', 'Task Task Task', 'ПРИВЕТ', 'zzz', 'x', '🚀']) {
      assertLikeScan(segment, blobs, literal(text));
    }
  });

  it('finds the end of a line that is longer than many chunks', () => {
    using segments = new TestSegments();
    const long = `${'x'.repeat(10 * CHUNK_BYTES)}needle`;
    const segment = segments.build([Buffer.from(`first\n${long}\nlast`)]);
    const [stretch] = searchAll(segment, literal('xNEEDLE')).get(0)!;
    assert.equal(stretch!.startLine, 1);
    assert.equal(stretch!.data, `first\n${long}\nlast\n`);
  });

  it('finds every letter by every letter that is like it', () => {
    using segments = new TestSegments();
    const alike = ['kK\u212a', 'sSſ', 'σςΣ', 'ßẞ', 'µμΜ', 'åÅ\u212b', 'ΐ\u1fd3', '\ufb05\ufb06', 'ǆǅǄ', '𐐀𐐨'];
    const blobs = alike.flatMap((letters) => Array.from(letters, (letter) => Buffer.from(`ab${letter}cd\n`)));
    const segment = segments.build(blobs);
    for (const letters of alike) {
      for (const letter of letters) {
        const found = searchAll(segment, literal(`ab${letter}cd`));
        assert.equal(found.size, Array.from(letters).length, letter);
        assertLikeScan(segment, blobs, literal(`ab${letter}cd`));
        assertLikeScan(segment, blobs, literal(`ab${letter}cd`, true));
      }
    }
  });

  it('holds what is not UTF-8 too, read as windows-1252 line by line', () => {
    using segments = new TestSegments();
    const bytes = Buffer.concat([Buffer.from('Grüße äöü\n', 'latin1'), Buffer.from('Привет\n')]);
    const segment = segments.build([bytes]);
    const data = 'Grüße äöü\nПривет\n';
    for (const text of ['gr', 'GRÜSSE'.replace('SS', 'ẞ'), 'ÄÖÜ', 'привет']) {
      assert.deepEqual(searchAll(segment, literal(text)).get(0), [{ startLine: 1, data }], text);
    }
    assert.deepEqual(segment.head(0, 5), bytes.subarray(0, 5));
  });

  it('finds nothing for a text that no line can hold', () => {
    using segments = new TestSegments();
    const segment = segments.build([Buffer.from('one\ntwo\n\ufffd\n')]);
    for (const text of ['one\ntwo', '\n', '\ud800']) assert.equal(searchAll(segment, literal(text)).size, 0);
  });

  it('finds every line for an empty text, and no line in an empty blob', () => {
    using segments = new TestSegments();
    const blobs = [Buffer.from(''), Buffer.from('\n\nlast'), Buffer.from('\n')];
    assertLikeScan(segments.build(blobs), blobs, literal(''));
  });

  it('goes by signatures that it is given, unless they are not as many as its own', () => {
    using segments = new TestSegments();
    const texts = new RandomTexts(7);
    const blobs = [Buffer.from('the needle\n'), ...Array.from({ length: 30 }, () => texts.blob())];
    const segment = segments.build(blobs);
    const { file } = segment;
    const { length } = file.footer.sections.signatures;
    segment.useSignatures(new SharedArrayBuffer(length - 1));
    assert.equal(searchAll(segment, literal('needle')).size, 1);
    const memory = new SharedArrayBuffer(length);
    segment.useSignatures(memory);
    assert.equal(searchAll(segment, literal('needle')).size, 0);
    new Uint8Array(memory).set(file.read('signatures', 0, length));
    for (let query = 0; query < 60; query++) assertLikeScan(segment, blobs, texts.query(blobs));
  });

  it('can be empty', () => {
    using segments = new TestSegments();
    const segment = segments.build([]);
    segment.verify();
    assert.equal(segment.blobs, 0);
    assert.equal(searchAll(segment, literal('a')).size, 0);
    assert.deepEqual(
      [
        ...segment
          .candidates({ requirement: { kind: 'any' }, matchingLines: () => ({ lines: [], starts: [] }) })
          .blobs(),
      ],
      [],
    );
  });

  it('tells its blobs by object id, and how they begin', () => {
    using segments = new TestSegments();
    const blobs = ['one', '', 'three'.repeat(20_000)].map((text) => Buffer.from(text));
    const segment = segments.build(blobs);
    blobs.forEach((bytes, blob) => {
      assert.equal(segment.oidOf(blob), oidOf(bytes));
      assert.equal(segment.find(oidOf(bytes)), blob);
      assert.deepEqual(segment.head(blob, 1024), bytes.subarray(0, 1024));
    });
    assert.equal(segment.find('0'.repeat(40)), undefined);
    assert.equal(segment.find('f'.repeat(40)), undefined);
    assert.equal(segment.find('nonsense'), undefined);
    assert.equal(segment.facts.rawBytes, 3 + 100_000);
  });
});

describe('candidates', () => {
  const texts = new RandomTexts(7);
  const blobs = Array.from({ length: 100 }, () => texts.blob());

  it('are the same blobs whether asked one by one or all at once', () => {
    using segments = new TestSegments();
    const segment = segments.build(blobs);
    for (const pattern of [
      literal('function'),
      literal('Привет'),
      literal('x'),
      literal('nowhere'),
      regex('kiss|task'),
    ]) {
      const found = segment.candidates(planOf(pattern));
      const byHand = blobs.map((_, blob) => blob).filter((blob) => found.has(blob));
      assert.deepEqual([...found.blobs()], byHand);
      assert.ok(found.chunks >= byHand.length);
    }
  });

  it('are few for what is rare: the index rules out the rest', () => {
    using segments = new TestSegments();
    const segment = segments.build([...blobs, Buffer.from('a very rare Wörd\n')]);
    for (const text of ['rare wörd', 'WÖRD']) {
      assert.deepEqual([...segment.candidates(planOf(literal(text))).blobs()], [100]);
    }
  });
});
