import type { CodeAnswer, CodeHit, CodeQuery } from '../code-index.ts';
import type { PartAnswer } from './searcher.ts';

/** The parts of a search as one answer; null when they were found in different states of the index. */
export function joinParts(parts: readonly PartAnswer[], { corpora, limit }: CodeQuery): CodeAnswer | null {
  if (parts.some(({ state }) => state !== parts[0]!.state)) return null;
  const found = parts.flatMap(({ hits, paths }) => hits.map((hit, at) => ({ hit, path: paths[at]! })));
  if (parts.length > 1) sortHits(found, corpora);
  const hits = found.slice(0, limit).map(({ hit }) => hit);
  return { hits, truncated: hits.length >= limit || parts.some(({ truncated }) => truncated) };
}

/** Stable: what is of one path comes from one part, and in order. */
function sortHits(found: { hit: CodeHit; path: string }[], corpora: CodeQuery['corpora']): void {
  const ranks = new Map([...new Set(corpora)].map((name, rank) => [name, rank]));
  found.sort((a, b) => {
    const byCorpus = ranks.get(a.hit.corpus)! - ranks.get(b.hit.corpus)!;
    if (byCorpus !== 0 || a.path === b.path) return byCorpus;
    return a.path < b.path ? -1 : 1;
  });
}
