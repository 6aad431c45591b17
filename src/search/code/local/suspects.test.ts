import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openSources } from '../contract/sources.ts';
import { compilePlan } from '../segment/match/plan.ts';
import { CallForHelp } from './help.ts';
import type { IndexView } from './index-view.ts';
import { ScanBudget } from './oversized.ts';
import type { SearchRun } from './searcher.ts';
import { Share, sharedMemory } from './share.ts';
import { chooseWay, suspects, type Way } from './suspects.ts';
import { contentsQuery, TestIndex } from './testing.ts';

/** Under so many names lies the one file that may match: for a thread without the table of paths it is quicker to look them up. */
const COPIES = 40;
const OTHERS = 2_000;

describe('suspects', () => {
  it('are each given to one of two threads, though only one has the table of paths in memory', async () => {
    await using sources = await openSources();
    await using held = await TestIndex.open();
    const source = await sources.make('project:1');
    const copies = Array.from({ length: COPIES }, (_, n) => [`copy${n}.txt`, 'the needle\n']);
    // It holds the trigrams of the needle, but not its runs of five: who looks names up never meets it.
    const decoys = copies.map(([path]) => [`${path}.decoy`, 'nee eed edl dle\n']);
    const others = Array.from({ length: OTHERS }, (_, n) => [`other${n}.txt`, 'nothing\n']);
    await source.save(Object.fromEntries([...copies, ...decoys, ...others]));
    await held.index.update(source.corpus, source.state());

    const query = contentsQuery(source.corpus, 'needle');
    const plan = compilePlan(query.pattern);
    const [having, lacking] = [held.view(), held.view()];
    const partOf = (view: IndexView, part: number, shared: SharedArrayBuffer) => {
      const corpora = [{ ...view.corpus(source.corpus)!, name: source.corpus }];
      const run: SearchRun = {
        ...{ view, query, corpora, shown: 20, checkStop: () => {} },
        share: new Share({ part, shared }),
        budget: new ScanBudget(1_000),
        help: undefined,
        callForHelp: CallForHelp.none(),
      };
      const found = view.segments().entries();
      return { run, candidates: new Map(found.map(([id, segment]) => [id, segment.candidates(plan)])) };
    };
    const inTurns = (way: Way) => {
      const shared = sharedMemory(2);
      const turns = [having, lacking].map((view, at) => {
        const { run, candidates } = partOf(view, at, shared);
        return Iterator.from(suspects(run, plan, candidates, way));
      });
      const found: string[] = [];
      for (let turn = turns.shift(); turn; turn = turns.shift()) {
        const next = turn.next();
        if (next.done) continue;
        found.push(next.value.entry.path);
        turns.push(turn);
      }
      return found;
    };

    await having.read(() =>
      lacking.read(async () => {
        having.tables.get(having.corpus(source.corpus)!);
        const ways = [having, lacking].map((view) => {
          const { run, candidates } = partOf(view, 0, sharedMemory(1));
          return chooseWay(run, candidates);
        });
        assert.deepEqual(ways, ['walk', 'look-up']);
        const expected = copies.map(([path]) => path!).toSorted();
        for (const way of ['look-up', 'walk'] as const) {
          const copied = inTurns(way).filter((path) => !path.endsWith('.decoy'));
          assert.deepEqual(copied.toSorted(), expected, way);
        }
      }),
    );
  });
});
