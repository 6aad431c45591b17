import type { Chunk } from './chunk.ts';
import type { MatchingLines } from './matching-lines.ts';

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

export interface Stretches {
  /** The first of them. */
  stretches: Stretch[];
  /** How many there are. */
  count: number;
}

interface Span {
  chunk: number;
  firstMatch: number;
  lastMatch: number;
  /** Where the two lines begin in the chunk; null where that is not known, or the span goes on in the next one. */
  starts: { first: number; last: number } | null;
}

/**
 * The first `shown` stretches, in order, and how many there are up to `limit`.
 * @param matchingLines the lines of a chunk that match, the chunk's own first line being 0
 */
export function stretchesOf(
  blob: BlobChunks,
  matchingLines: (chunk: number) => MatchingLines,
  { limit, shown = limit }: { limit: number; shown?: number },
): Stretches {
  const lines = new LineFinder();
  const spans = spansOf(blob, matchingLines, limit);
  const stretches = spans.slice(0, shown).map((span) => cutNear(blob, span) ?? cut(blob, span, lines));
  return { stretches, count: spans.length };
}

function spansOf(blob: BlobChunks, matchingLines: (chunk: number) => MatchingLines, limit: number): Span[] {
  const spans: Span[] = [];
  let last: Span | undefined;
  for (let chunk = blob.first; chunk < blob.end; chunk++) {
    const { lines, starts } = matchingLines(chunk);
    for (const [index, offset] of lines.entries()) {
      const line = blob.firstLine(chunk) + offset;
      const start = starts?.[index];
      if (last !== undefined && line - last.lastMatch <= 2 * CONTEXT + 1) {
        last.lastMatch = line;
        if (last.chunk !== chunk || start === undefined) last.starts = null;
        else if (last.starts) last.starts.last = start;
        continue;
      }
      if (spans.length >= limit) return spans;
      last = {
        chunk,
        firstMatch: line,
        lastMatch: line,
        starts: start === undefined ? null : { first: start, last: start },
      };
      spans.push(last);
    }
  }
  return spans;
}

/** The same as `cut`, without counting lines from the beginning of the chunk; null when the context lies in others. */
function cutNear(blob: BlobChunks, { chunk, firstMatch, starts }: Span): Stretch | null {
  if (!starts) return null;
  const { text } = blob.chunk(chunk);
  let from = starts.first;
  let startLine = firstMatch;
  for (; startLine > Math.max(1, firstMatch - CONTEXT); startLine--) {
    if (from === 0) return null;
    from = from === 1 ? 0 : text.lastIndexOf(NEWLINE, from - 2) + 1;
  }
  let to = starts.last;
  for (let line = 0; line <= CONTEXT && to < text.length; line++) {
    const newline = text.indexOf(NEWLINE, to);
    to = newline < 0 ? text.length : newline + 1;
    if (to === text.length && line < CONTEXT && chunk + 1 < blob.end) return null;
  }
  const data = text.toString('utf8', from, to);
  return { startLine, data: data.endsWith('\n') ? data : `${data}\n` };
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
