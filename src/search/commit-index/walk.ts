import { MANY, narrowedBy, trigramQuery } from '../text/index-store.ts';
import { fold, lengthOf, SHORTEST_TERM, type TextQuery } from '../text/terms.ts';
import type { Walk } from '../text/walk.ts';
import type { CommitStore, FoundRow, Narrowing } from './store.ts';

/** The whole text as one piece, in any case, of a message or an author; or the beginning of an id. */
export function commitWalk(
  store: CommitStore,
  projectIds: readonly number[],
  text: string,
): { walk: Walk<FoundRow>; query: TextQuery } {
  const folded = fold(text);
  const prefix = /^[0-9a-f]{7,40}$/.test(folded) ? folded : null;
  const match = lengthOf(folded) >= SHORTEST_TERM ? trigramQuery([folded]) : null;
  const narrowing: Narrowing | null = match === null ? null : { match, prefix };
  const within = JSON.stringify(projectIds);
  return {
    query: { kind: 'parts', terms: [folded] },
    walk: {
      read: async (step) => store.read(within, step, narrowing),
      narrows: async () => (narrowing === null ? 'not' : narrowedBy(store.countPossible(narrowing, MANY))),
      textsOf: ({ sha, author, message }) => [
        message,
        author,
        prefix !== null && sha.startsWith(prefix) ? sha : null,
      ],
      positionOf: ({ committed_at, id }) => ({ value: committed_at, id }),
    },
  };
}
