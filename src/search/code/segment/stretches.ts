import type { Chunk } from './chunk.ts';

/** Lines before and after each matching line, as GitLab shows them. */
const CONTEXT = 2;
const NEWLINE = 10;

/** Matching lines with two lines of context on each side; windows that touch or overlap are one stretch. */
export interface Stretch {
  /** Number of the first line of `data`, from 1. */
  startLine: number;
  /** Each line ended by a newline, the last one of a file too; CRLF kept; decoded by `decodeText`. */
  data: string;
}

/** The chunks of one blob: numbers from `first` to `end` (without it). */
export interface BlobChunks {
  first: number;
  end: number;
  /** Number of its first line, from 1. */
  firstLine(chunk: number): number;
  chunk(chunk: number): Chunk;
}

interface Span {
  chunk: number;
  firstMatch: number;
  lastMatch: number;
}

/**
 * The first `limit` stretches, in order.
 * @param matchingLines the lines of a chunk that match, ascending, the chunk's own first line being 0
 */
export function stretchesOf(
  blob: BlobChunks,
  matchingLines: (chunk: number) => number[],
  limit: number,
): Stretch[] {
  const lines = new LineFinder();
  return spansOf(blob, matchingLines, limit).map((span) => cut(blob, span, lines));
}

function spansOf(blob: BlobChunks, matchingLines: (chunk: number) => number[], limit: number): Span[] {
  const spans: Span[] = [];
  let last: Span | undefined;
  for (let chunk = blob.first; chunk < blob.end; chunk++) {
    for (const offset of matchingLines(chunk)) {
      const line = blob.firstLine(chunk) + offset;
      if (last !== undefined && line - last.lastMatch <= 2 * CONTEXT + 1) {
        last.lastMatch = line;
        continue;
      }
      if (spans.length >= limit) return spans;
      last = { chunk, firstMatch: line, lastMatch: line };
      spans.push(last);
    }
  }
  return spans;
}

/** The text of a span with its context, which may lie in the chunks before and after. */
function cut(blob: BlobChunks, span: Span, lines: LineFinder): Stretch {
  const startLine = Math.max(1, span.firstMatch - CONTEXT);
  const endLine = span.lastMatch + CONTEXT + 1;
  let chunk = span.chunk;
  while (blob.firstLine(chunk) > startLine) chunk--;
  let data = '';
  for (; chunk < blob.end && blob.firstLine(chunk) < endLine; chunk++) {
    const { text } = blob.chunk(chunk);
    const start = lines.positionOf(text, startLine - blob.firstLine(chunk));
    data += text.toString('utf8', start, lines.positionOf(text, endLine - blob.firstLine(chunk)));
  }
  return { startLine, data: data.endsWith('\n') ? data : `${data}\n` };
}

/** Where lines begin in a text; goes on from the last one that was asked for, as stretches follow each other. */
class LineFinder {
  #text: Buffer | undefined;
  #line = 0;
  #position = 0;

  /** The first line is 0. The end of the text when there are fewer lines, its beginning for those before it. */
  positionOf(text: Buffer, line: number): number {
    if (this.#text !== text || line < this.#line) {
      this.#text = text;
      this.#line = 0;
      this.#position = 0;
    }
    for (; this.#line < line && this.#position < text.length; this.#position++) {
      if (text[this.#position] === NEWLINE) this.#line++;
    }
    return this.#position;
  }
}
