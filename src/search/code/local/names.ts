import { isUtf8 } from 'node:buffer';
import type { CodeHit, CodePattern } from '../code-index.ts';
import { decodeText } from '../decode-text.ts';
import { compilePlan } from '../segment/match/plan.ts';
import type { IndexView } from './index-view.ts';
import { filterTest, literalTest, type PathTest } from './path-filter.ts';
import type { PathTable } from './path-table.ts';
import { decodePath, type Found, pathSelection, type SearchRun } from './searcher.ts';
import { HEAD_BYTES } from './segment-output.ts';

/** Hits in paths, lazily, in the order asked for. */
export async function* searchNames({
  view,
  query,
  shown,
  corpora,
  checkStop,
}: SearchRun): AsyncGenerator<Found> {
  const selection = pathSelection([patternTest(query.pattern), ...query.filters.map(filterTest)]);
  let toShow = shown;
  for (const corpus of corpora) {
    checkStop();
    const table = view.tables.get(corpus);
    for (
      let index = selection.next(table, 0);
      index < table.length;
      index = selection.next(table, index + 1)
    ) {
      const path = table.path(index);
      const hits: CodeHit[] = [];
      if (toShow-- > 0) {
        const { oid, head } = blobAt(view, table, index);
        const file = { corpus: corpus.name, path: decodePath(path), blob: oid };
        hits.push({ ...file, startLine: 1, data: decodeHead(head) });
      }
      yield { path, count: 1, hits };
    }
  }
}

/** The pattern anywhere in the path. */
export function patternTest(pattern: CodePattern): PathTest {
  if (pattern.kind === 'literal') return literalTest(pattern.text, pattern.caseSensitive);
  const { matchingLines } = compilePlan(pattern);
  const test = (path: string) => {
    const text = Buffer.from(path);
    return matchingLines({ text, ascii: text.length === path.length }).lines.length > 0;
  };
  return { test, needle: null };
}

function blobAt(view: IndexView, table: PathTable, index: number): { oid: string; head: Buffer } {
  const { oid, head } = view.store.blob(table.blob(index));
  if (head) return { oid, head: Buffer.from(head) };
  const id = table.segment(index);
  return { oid, head: view.within(id, (segment) => segment.head(table.number(index), HEAD_BYTES)) };
}

/** A character that was cut in two by the limit is left out: it would make all of its line look like another encoding. */
export function decodeHead(head: Buffer): string {
  for (let cut = 0; cut < 4 && head.length - cut > 0; cut++) {
    const whole = head.subarray(0, head.length - cut);
    if (isUtf8(whole)) return decodeText(whole);
    if (head.length < HEAD_BYTES) break;
  }
  return decodeText(head);
}
