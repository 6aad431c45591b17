import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { CodePattern } from '../code-index.ts';
import { decodeText } from '../decode-text.ts';
import { FrameCache } from './frames/frame-cache.ts';
import { compilePlan } from './match/plan.ts';
import type { Stretch } from './match/stretches.ts';
import { riceParameter, riceRoom, writeRice } from './rice.ts';
import { Segment } from './segment.ts';
import { SegmentBuilder } from './write/builder.ts';

/** Segments of one test, in a folder of their own. */
export class TestSegments implements Disposable {
  readonly cache = new FrameCache(4 * 1024 * 1024);
  readonly #folder = mkdtempSync(join(tmpdir(), 'ingot-segment-'));
  readonly #open: Segment[] = [];
  #paths = 0;

  newPath(): string {
    return join(this.#folder, `${this.#paths++}.segment`);
  }

  build(blobs: readonly Buffer[]): Segment {
    return this.buildAt(this.newPath(), blobs);
  }

  buildAt(path: string, blobs: readonly Buffer[]): Segment {
    const builder = new SegmentBuilder(path);
    for (const bytes of blobs) builder.add({ oid: oidOf(bytes), bytes });
    builder.finish();
    return this.open(path);
  }

  open(path: string): Segment {
    const segment = Segment.open(path, this.cache);
    this.#open.push(segment);
    return segment;
  }

  [Symbol.dispose](): void {
    for (const segment of this.#open) segment.close();
    rmSync(this.#folder, { recursive: true });
  }
}

export function oidOf(bytes: Buffer): string {
  return createHash('sha1').update(bytes).digest('hex');
}

export function literal(text: string, caseSensitive = false): CodePattern {
  return { kind: 'literal', text, caseSensitive };
}

export function regex(source: string, caseSensitive = false): CodePattern {
  return { kind: 'regex', source, caseSensitive };
}

/** The stretches of each blob that has any, by its number. */
export function searchAll(segment: Segment, pattern: CodePattern, limit = Infinity): Map<number, Stretch[]> {
  const plan = compilePlan(pattern);
  const candidates = segment.candidates(plan);
  const found = new Map<number, Stretch[]>();
  for (let blob = 0; blob < segment.blobs; blob++) {
    const { stretches } = candidates.has(blob)
      ? segment.stretches(blob, plan, candidates, { limit })
      : { stretches: [] };
    if (stretches.length > 0) found.set(blob, stretches);
  }
  return found;
}

/** What `searchAll` has to answer, told by JavaScript's own engine line by line. */
export function scanAll(blobs: readonly Buffer[], pattern: CodePattern): Map<number, Stretch[]> {
  const source = pattern.kind === 'regex' ? pattern.source : RegExp.escape(pattern.text);
  const expression = new RegExp(source, pattern.caseSensitive ? 'u' : 'iu');
  const found = new Map<number, Stretch[]>();
  blobs.forEach((bytes, blob) => {
    const lines = linesOf(decodeText(bytes));
    const matching = lines.flatMap((line, i) => (expression.test(line) ? [i] : []));
    if (matching.length > 0) found.set(blob, stretchesByHand(lines, matching));
  });
  return found;
}

function linesOf(text: string): string[] {
  const lines = text.split('\n');
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

/** By marking every line that is shown, which is quite another way than that of `stretchesOf`. */
function stretchesByHand(lines: readonly string[], matching: readonly number[]): Stretch[] {
  const shown = new Set(matching.flatMap((line) => [-2, -1, 0, 1, 2].map((by) => line + by)));
  const stretches: Stretch[] = [];
  lines.forEach((line, i) => {
    if (!shown.has(i)) return;
    if (!shown.has(i - 1) || i === 0) stretches.push({ startLine: i + 1, data: '' });
    stretches.at(-1)!.data += `${line}\n`;
  });
  return stretches;
}

/** Names the first blob that differs: an assertion would spend minutes on showing how large texts do. */
export function assertSameHits(
  found: ReadonlyMap<number, Stretch[]>,
  expected: ReadonlyMap<number, Stretch[]>,
  pattern: CodePattern,
): void {
  const numbers = [...new Set([...found.keys(), ...expected.keys()])];
  const other = numbers.find((blob) => !isDeepStrictEqual(found.get(blob), expected.get(blob)));
  assert.equal(other, undefined, `blob ${other} by ${JSON.stringify(pattern)}`);
}

/** Numbers from 0 to 1, the same ones for the same seed (mulberry32). */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Ascending numbers below `end` as a segment has them in a list that is no bitmap. */
export function riceListOf(
  numbers: readonly number[],
  end: number,
  parameter = riceParameter(Math.max(1, numbers.length), end),
): Uint8Array {
  const room = new Uint8Array(riceRoom(end));
  const length = writeRice(varintsOf(numbers), parameter, room);
  assert.ok(length <= room.length);
  return room.subarray(0, length);
}

export function varintsOf(numbers: readonly number[]): Uint8Array {
  const bytes: number[] = [];
  let next = 0;
  for (const number of numbers) {
    let gap = number - next;
    for (; gap >= 0x80; gap >>>= 7) bytes.push((gap & 0x7f) | 0x80);
    bytes.push(gap);
    next = number + 1;
  }
  return Uint8Array.from(bytes);
}
