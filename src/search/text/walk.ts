import { setImmediate } from 'node:timers/promises';
import { matchesText, type TextQuery } from './terms.ts';

/** Where a row stands in its order: the value it is ordered by, ties by id. */
export interface Position {
  value: number;
  id: number;
}

export interface Step {
  /** Rows behind this one only. */
  after: Position | null;
  limit: number;
  offset: number;
  narrowed: Narrowed;
}

/**
 * How a step uses the trigram index, which names every row that matches and some others: not at all; to begin with the rows it names;
 * or, where it names many, to pass over all others while rows are read in order; or, where it names very many, over those that are
 * newer than all of them.
 */
export type Narrowed = 'not' | 'from index' | 'in order' | 'up to last';

/** A searchable list: rows in order, each with the texts that are searched. */
export interface Walk<Row> {
  read(step: Step): Promise<Row[]>;
  /** How the index would help; asked once, when what is looked for has shown to be rare. */
  narrows(): Promise<Narrowed>;
  textsOf(row: Row): readonly (string | null)[];
  positionOf(row: Row): Position;
  /** Rows of the first step, where a row may be very large. */
  sample?: number;
}

export interface Window {
  skip: number;
  take: number;
  after?: Position | null;
}

export interface Found<Row> {
  rows: Row[];
  /** Whether there is at least one more behind them. */
  more: boolean;
}

/** What the first look takes: enough to show how common the words are, little enough not to matter when they are not. */
const SAMPLE = 64;
/** Rows of a walk that match less often than this are found faster through the index. */
const WORTH_WALKING = 1 / 50;
/** So much text is read at once, and then others get their turn: some 2 ms on SQLite, which answers in this very thread. */
const STEP_CHARACTERS = 1_000_000;
const MAX_STEP = 500;

/**
 * The rows of a window, matched here rather than in the database, so that both databases find the same. What is common is
 * found by reading the newest rows until the window is full; what is rare through the index: the first rows tell which it is.
 */
export async function findMatches<Row>(
  walk: Walk<Row>,
  query: TextQuery,
  { skip, take, after = null }: Window,
): Promise<Found<Row>> {
  if (query.kind === 'everything') {
    const rows = await walk.read({ after, limit: take + 1, offset: skip, narrowed: 'not' });
    return { rows: rows.slice(0, take), more: rows.length > take };
  }
  const rows: Row[] = [];
  let skipped = 0;
  for await (const row of matches(walk, query, after)) {
    if (skipped < skip) skipped++;
    else if (rows.length === take) return { rows, more: true };
    else rows.push(row);
  }
  return { rows, more: false };
}

/** How many match, counted up to a bound: for lists whose answers carry totals. */
export async function countMatches<Row>(walk: Walk<Row>, query: TextQuery, bound: number): Promise<number> {
  let count = 0;
  for await (const _ of matches(walk, query, null)) if (++count === bound) break;
  return count;
}

/** Every match in order, read as far as somebody wants them. */
export async function* matches<Row>(
  walk: Walk<Row>,
  query: TextQuery,
  from: Position | null,
): AsyncGenerator<Row> {
  const seen = { rows: 0, characters: 0, matching: 0 };
  let after = from;
  let limit = walk.sample ?? SAMPLE;
  let narrowed: Narrowed | null = null;
  for (;;) {
    const rows = await walk.read({ after, limit, offset: 0, narrowed: narrowed ?? 'not' });
    for (const row of rows) {
      const texts = walk.textsOf(row);
      seen.rows++;
      seen.characters += texts.reduce((sum, text) => sum + (text?.length ?? 0), 0);
      if (!matchesText(query, texts)) continue;
      seen.matching++;
      yield row;
    }
    if (rows.length < limit) return;
    after = walk.positionOf(rows.at(-1)!);
    if (narrowed === null && seen.matching < seen.rows * WORTH_WALKING) narrowed = await walk.narrows();
    limit = stepAfter(seen);
    await setImmediate();
  }
}

function stepAfter({ rows, characters }: { rows: number; characters: number }): number {
  const average = Math.max(characters / rows, 1);
  return Math.min(Math.max(Math.floor(STEP_CHARACTERS / average), 1), MAX_STEP);
}
