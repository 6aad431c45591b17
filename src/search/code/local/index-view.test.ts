import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openSources } from '../contract/sources.ts';
import { Generation } from './generation.ts';
import { ReadStore, StateChanged } from './read-store.ts';
import { search } from './searcher.ts';
import { contentsQuery, TestIndex } from './testing.ts';

/** Counts how often the database was asked what state it is in. */
let looks = 0;
class Counting extends ReadStore {
  override follow(): boolean {
    looks++;
    return super.follow();
  }
}

describe('what a search thread holds of the index', () => {
  it('is searched without a look at the database until another generation is told', async () => {
    await using sources = await openSources();
    await using held = await TestIndex.open();
    const source = await sources.make('project:1');
    await source.save({ 'a.txt': 'the needle\n' });
    await held.index.update(source.corpus, source.state());
    const generation = new Generation();
    const view = held.view(generation, Counting);
    const pathsOf = async (text: string) => (await search(view, contentsQuery(source.corpus, text))).paths;

    looks = 0;
    assert.deepEqual(await pathsOf('needle'), ['a.txt']);
    assert.equal(looks, 1);
    for (const text of ['needle', 'the', 'nowhere']) await pathsOf(text);
    assert.equal(looks, 1);

    await source.save({ 'b.txt': 'a needle\n' });
    await held.index.update(source.corpus, source.state());
    generation.advance();
    assert.deepEqual(await pathsOf('needle'), ['a.txt', 'b.txt']);
    assert.equal(looks, 2);
  });

  it('is given up by whoever finds that the database has gone on, and read again by the next search', async () => {
    await using sources = await openSources();
    await using held = await TestIndex.open();
    const source = await sources.make('project:1');
    await source.save({ 'a.txt': 'the needle\n', 'logo.bin': Buffer.from([0, 1, 2]) });
    await held.index.update(source.corpus, source.state());
    const view = held.view();
    // Where the name of a file without lines is a hit, its first bytes are read from the database.
    const named = { ...contentsQuery(source.corpus, 'logo'), part: 'names' } as const;
    assert.deepEqual((await search(view, named)).paths, ['logo.bin']);

    await source.save({ 'logo.bin': Buffer.from([0, 3, 4]), 'logo.txt': 'new\n' });
    await held.index.update(source.corpus, source.state());
    await assert.rejects(search(view, named), StateChanged);
    const { paths, hits } = await search(view, named);
    assert.deepEqual(paths, ['logo.bin', 'logo.txt']);
    assert.equal(hits[0]!.data, '\0\u0003\u0004');
  });
});
