import { type CodeAnswer, type CodeHit, type CodeQuery, contentsOf } from '../code-index.ts';
import type { PartAnswer } from './searcher.ts';

/** The parts of a search as one answer. Names are found by the first one alone, the contents asked for with them by all. */
export function joinParts(
  [first, ...others]: readonly [PartAnswer, ...PartAnswer[]],
  query: CodeQuery,
): CodeAnswer {
  if (!query.contents) return join([first, ...others], query);
  const names = join([first], query);
  if (!first.contents) return names;
  return { ...names, contents: join([first.contents, ...others], contentsOf(query)) };
}

function join(parts: readonly PartAnswer[], query: CodeQuery): CodeAnswer {
  const given = parts.flatMap(({ hits, paths }) => hits.map((hit, at) => ({ hit, path: paths[at]! })));
  if (parts.length > 1) sortHits(given, query.corpora);
  const { limit, shown = limit } = query;
  const found = Math.min(
    limit,
    parts.reduce((sum, part) => sum + part.found, 0),
  );
  const truncated = found >= limit || parts.some((part) => part.truncated);
  return { hits: given.slice(0, Math.min(limit, shown)).map(({ hit }) => hit), found, truncated };
}

/** Stable: what is of one path comes from one part, and in order. */
function sortHits(given: { hit: CodeHit; path: string }[], corpora: CodeQuery['corpora']): void {
  const ranks = new Map([...new Set(corpora)].map((name, rank) => [name, rank]));
  given.sort((a, b) => {
    const byCorpus = ranks.get(a.hit.corpus)! - ranks.get(b.hit.corpus)!;
    if (byCorpus !== 0 || a.path === b.path) return byCorpus;
    return a.path < b.path ? -1 : 1;
  });
}
