import type { MatchingLines } from './matching-lines.ts';
import type { Piece } from './piece.ts';

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

/** The pieces of one blob: numbers from `first` to `end` (without it). */
export interface BlobPieces {
  first: number;
  end: number;
  /** Number of its first line, from 1. */
  firstLine(piece: number): number;
  piece(piece: number): Piece;
}

export interface Stretches {
  /** The first of them. */
  stretches: Stretch[];
  /** How many there are. */
  count: number;
}

interface Span {
  piece: number;
  firstMatch: number;
  lastMatch: number;
  /** Where the two lines begin in the piece; null where that is not known, or the span goes on in the next one. */
  starts: { first: number; last: number } | null;
}

/**
 * The first `shown` stretches, in order, and how many there are up to `limit`.
 * @param matchingLines the lines of a piece that match, the piece's own first line being 0
 */
export function stretchesOf(
  blob: BlobPieces,
  matchingLines: (piece: number) => MatchingLines,
  { limit, shown = limit }: { limit: number; shown?: number },
): Stretches {
  const lines = new LineFinder();
  const spans = spansOf(blob, matchingLines, limit);
  const stretches = spans.slice(0, shown).map((span) => cutNear(blob, span) ?? cut(blob, span, lines));
  return { stretches, count: spans.length };
}

function spansOf(blob: BlobPieces, matchingLines: (piece: number) => MatchingLines, limit: number): Span[] {
  const spans: Span[] = [];
  let last: Span | undefined;
  for (let piece = blob.first; piece < blob.end; piece++) {
    const { lines, starts } = matchingLines(piece);
    for (const [index, offset] of lines.entries()) {
      const line = blob.firstLine(piece) + offset;
      const start = starts?.[index];
      if (last !== undefined && line - last.lastMatch <= 2 * CONTEXT + 1) {
        last.lastMatch = line;
        if (last.piece !== piece || start === undefined) last.starts = null;
        else if (last.starts) last.starts.last = start;
        continue;
      }
      if (spans.length >= limit) return spans;
      last = {
        piece,
        firstMatch: line,
        lastMatch: line,
        starts: start === undefined ? null : { first: start, last: start },
      };
      spans.push(last);
    }
  }
  return spans;
}

/** The same as `cut`, without counting lines from the beginning of the piece; null when the context lies in others. */
function cutNear(blob: BlobPieces, { piece, firstMatch, starts }: Span): Stretch | null {
  if (!starts) return null;
  const { text } = blob.piece(piece);
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
    if (to === text.length && line < CONTEXT && piece + 1 < blob.end) return null;
  }
  const data = text.toString('utf8', from, to);
  return { startLine, data: data.endsWith('\n') ? data : `${data}\n` };
}

/** The text of a span with its context, which may lie in the pieces before and after. */
function cut(blob: BlobPieces, span: Span, lines: LineFinder): Stretch {
  const startLine = Math.max(1, span.firstMatch - CONTEXT);
  const endLine = span.lastMatch + CONTEXT + 1;
  let piece = span.piece;
  while (blob.firstLine(piece) > startLine) piece--;
  let data = '';
  for (; piece < blob.end && blob.firstLine(piece) < endLine; piece++) {
    const { text } = blob.piece(piece);
    const start = lines.positionOf(text, startLine - blob.firstLine(piece));
    data += text.toString('utf8', start, lines.positionOf(text, endLine - blob.firstLine(piece)));
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
