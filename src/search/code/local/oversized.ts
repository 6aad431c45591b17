import { isAscii } from 'node:buffer';
import { decodeText } from '../decode-text.ts';
import type { SearchPlan } from '../segment/match/plan.ts';
import type { Stretch } from '../segment/match/stretches.ts';
import { type GitSource, gitOutput } from './git-reader.ts';

/** What is searched at once. */
const PIECE_BYTES = 1024 * 1024;
/** A longer line ends the scan: it would have to be in memory as a whole. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;
const CONTEXT = 2;
const NEWLINE = 10;

/** How long the blobs of one search may be read from git in all. */
export class ScanBudget {
  readonly #deadline: number;
  /** Whether something was left out. */
  exceeded = false;

  constructor(ms: number) {
    this.#deadline = performance.now() + ms;
  }

  spent(): boolean {
    this.exceeded ||= performance.now() > this.#deadline;
    return this.exceeded;
  }
}

/** Stretches of a blob too large for a segment, read from git piece by piece, in order. */
export async function* scanBlob(
  { oid, ...source }: { oid: string } & GitSource,
  plan: SearchPlan,
  budget: ScanBudget,
): AsyncGenerator<Stretch> {
  const collector = new StretchCollector();
  for await (const bytes of wholeLines(gitOutput(source, ['cat-file', 'blob', oid], ''), budget)) {
    const text = Buffer.from(decodeText(bytes));
    yield* collector.take(text, plan.matchingLines({ text, ascii: isAscii(text) }).lines);
    if (budget.spent()) return;
  }
  yield* collector.finish();
}

/** The stream in pieces that end with a line, but for the last. */
async function* wholeLines(stream: AsyncIterable<Buffer>, budget: ScanBudget): AsyncGenerator<Buffer> {
  let parts: Buffer[] = [];
  let size = 0;
  for await (const part of stream) {
    const end = part.lastIndexOf(NEWLINE) + 1;
    if (end > 0 && size + end >= PIECE_BYTES) {
      yield Buffer.concat([...parts, part.subarray(0, end)]);
      parts = [part.subarray(end)];
      size = part.length - end;
    } else {
      parts.push(part);
      size += part.length;
    }
    if (size > MAX_LINE_BYTES) {
      budget.exceeded = true;
      return;
    }
  }
  if (size > 0) yield Buffer.concat(parts);
}

/** Joins matching lines with two lines around each, over the ends of pieces. */
class StretchCollector {
  /** The next line to come, from 1. */
  #line = 1;
  /** The last lines that belong to no stretch yet. */
  #before: string[] = [];
  #open: { startLine: number; lastMatch: number; lines: string[] } | null = null;

  *take(text: Buffer, matches: readonly number[]): Generator<Stretch> {
    const lines = text.toString().split('\n');
    if (lines.at(-1) === '') lines.pop();
    const matching = new Set(matches);
    for (const [offset, line] of lines.entries()) {
      if (matching.has(offset)) yield* this.#match(line);
      else this.#pass(line);
      this.#line++;
    }
  }

  *finish(): Generator<Stretch> {
    if (this.#open) yield { startLine: this.#open.startLine, data: `${this.#open.lines.join('\n')}\n` };
    this.#open = null;
  }

  *#match(line: string): Generator<Stretch> {
    if (this.#open && this.#line - this.#open.lastMatch > 2 * CONTEXT + 1) yield* this.finish();
    this.#open ??= { startLine: this.#line - this.#before.length, lastMatch: 0, lines: [] };
    this.#open.lines.push(...this.#before, line);
    this.#open.lastMatch = this.#line;
    this.#before = [];
  }

  #pass(line: string): void {
    if (this.#open && this.#line - this.#open.lastMatch <= CONTEXT) {
      this.#open.lines.push(line);
      return;
    }
    this.#before.push(line);
    if (this.#before.length > CONTEXT) this.#before.shift();
  }
}
