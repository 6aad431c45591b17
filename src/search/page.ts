import { fail } from '../platform/errors.ts';
import { decodeCursor, pageOf, refuseKeyset } from '../platform/http/pagination.ts';
import type { SearchParams } from './params.ts';
import type { PageWindow, Search, SearchResult } from './scope.ts';
import type { TextQuery } from './text/terms.ts';
import { countMatches, findMatches, type Position, type Walk } from './text/walk.ts';

/** Above this many GitLab tells no total, and counting on would cost more than it says. */
const COUNTED = 10_000;

export function windowOf(asked: SearchParams): PageWindow {
  const page = pageOf(asked);
  if (asked.pagination !== 'keyset') return { by: 'number', page };
  return { by: 'position', after: asked.cursor ? positionIn(asked.cursor) : null, perPage: page.perPage };
}

function positionIn(cursor: string): Position {
  const { value, id } = decodeCursor(cursor);
  if (Number.isSafeInteger(value) && Number.isSafeInteger(id))
    return { value: value as number, id: id as number };
  throw fail.params('cursor is invalid');
}

/** Of scopes whose order is none of their rows' own. */
export function demandNumbers(window: PageWindow) {
  return window.by === 'number' ? window.page : refuseKeyset();
}

interface Matched<Row> {
  walk: Walk<Row>;
  query: TextQuery;
  present: (rows: Row[]) => Promise<unknown[]>;
  /** Whether GitLab tells how many there are. */
  counted?: boolean;
}

/** The page that was asked for of what matches. */
export async function matchingPage<Row>({ window }: Search, matched: Matched<Row>): Promise<SearchResult> {
  const { walk, query, present, counted = false } = matched;
  if (window.by === 'position') {
    const { rows, more } = await findMatches(walk, query, {
      skip: 0,
      take: window.perPage,
      after: window.after,
    });
    return { items: await present(rows), next: more ? walk.positionOf(rows.at(-1)!) : null };
  }
  const { offset, perPage } = window.page;
  const { rows, more } = await findMatches(walk, query, { skip: offset, take: perPage });
  const items = await present(rows);
  if (!counted) return { items, facts: { hasNext: more } };
  const ended = !more && (rows.length > 0 || offset === 0);
  const total = ended ? offset + rows.length : await countMatches(walk, query, COUNTED + 1);
  return { items, facts: total > COUNTED ? { hasNext: more } : { total } };
}
