import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openSources } from '../contract/sources.ts';
import { CallForHelp, type Help } from './help.ts';
import { joinParts } from './join-parts.ts';
import { type PartAnswer, search } from './searcher.ts';
import { Share, sharedMemory } from './share.ts';
import { contentsQuery, TestIndex } from './testing.ts';

const FILES = 200;

async function openIndex() {
  const stack = new AsyncDisposableStack();
  const source = await stack.use(await openSources()).make('project:1');
  const held = stack.use(await TestIndex.open());
  const save = async (text: string) => {
    await source.save(Object.fromEntries(Array.from({ length: FILES }, (_, n) => [`${n}.txt`, text + n])));
    await held.index.update(source.corpus, source.state());
  };
  await save('a needle ');
  return { held, save, query: contentsQuery(source.corpus, 'needle'), close: () => stack.disposeAsync() };
}

describe('help for a search that takes long', () => {
  const help: Help = { way: 'walk', candidates: new Map(), state: '' };

  it('is asked for once, when the time is over', () => {
    const asked: Help[] = [];
    const patient = new CallForHelp(60_000, (given) => asked.push(given));
    patient.begin();
    patient.consider(() => assert.fail('too early'));
    const hasty = new CallForHelp(0, (given) => asked.push(given));
    hasty.begin();
    for (let file = 0; file < 3; file++) hasty.consider(() => help);
    assert.deepEqual(asked, [help]);
  });

  it('takes a part of the files, and together they find what one finds alone', async () => {
    const { held, query, close } = await openIndex();
    const whole = await search(held.view(), query);
    const [first, other] = [held.view(), held.view()];
    const shared = sharedMemory(2);
    const helpers: Promise<PartAnswer>[] = [];
    const callForHelp = new CallForHelp(0, (given) =>
      helpers.push(search(other, query, { share: new Share({ part: 1, shared }), help: given })),
    );
    await search(other, query); // awake, as helpers are
    const begun = await search(first, query, { share: new Share({ part: 0, shared }), callForHelp });
    const helped = await helpers[0]!;
    assert.deepEqual([begun.found + helped.found, helpers.length], [FILES, 1]);
    assert.ok(begun.found > 0 && helped.found > 0, `${begun.found} and ${helped.found}`);
    assert.deepEqual(joinParts([begun, helped], query), joinParts([whole], query));
    await close();
  });

  it('comes from nobody who sees another state of the index', async () => {
    const { held, save, query, close } = await openIndex();
    const shared = sharedMemory(2);
    const asked: Help[] = [];
    await search(held.view(), query, { callForHelp: new CallForHelp(0, (given) => asked.push(given)) });
    await save('another needle ');
    const share = new Share({ part: 1, shared });
    const { found } = await search(held.view(), query, { share, help: asked[0] });
    assert.equal(found, 0);
    assert.equal(new Share({ part: 0, shared }).end(), false); // it has not joined
    await close();
  });
});
