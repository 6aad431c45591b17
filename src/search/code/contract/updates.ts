import assert from 'node:assert/strict';
import type { CodeHit, CorpusName } from '../code-index.ts';
import type { Holds, IndexUnderTest } from './kit.ts';
import { grep } from './sources.ts';

/** How the index follows the repositories. */
export function updatesContract(holds: Holds, on: IndexUnderTest): void {
  holds('follows changes, additions, deletions, renames and modes', async () => {
    const source = await on.indexed({
      changed: 'old\nneedle\n',
      gone: 'needle\n',
      moved: 'needle moved\n',
      run: 'needle\n',
    });
    await source.work.git('rm', '-q', 'gone');
    await source.work.git('mv', 'moved', 'dir-moved');
    await source.work.git('update-index', '--chmod=+x', 'run');
    await source.save({ changed: 'new\n', added: 'a needle\n' });
    await on.push(source);
    assert.deepEqual(await on.places('needle', [source.corpus]), ['added:1', 'dir-moved:1', 'run:1']);
    assert.deepEqual(await on.names('moved', [source.corpus]), ['dir-moved']);
    assert.deepEqual(await on.places('old', [source.corpus]), []);
  });

  holds('follows a file that becomes a folder, a link or a file again', async () => {
    const source = await on.indexed({ a: 'needle\n', b: 'needle\n' });
    await source.work.git('rm', '-q', 'a', 'b');
    await source.link('b', 'needle');
    await source.save({ 'a/inside': 'needle\n' });
    await on.push(source);
    assert.deepEqual(await on.places('needle', [source.corpus]), ['a/inside:1']);
    await source.work.git('rm', '-q', '-r', 'a', 'b');
    await source.save({ a: 'needle\n', b: 'needle\n' });
    await on.push(source);
    assert.deepEqual(await on.places('needle', [source.corpus]), ['a:1', 'b:1']);
  });

  holds('takes the same commit twice', async () => {
    const source = await on.indexed({ a: 'needle\n' });
    await on.push(source);
    assert.deepEqual(await on.places('needle', [source.corpus]), ['a:1']);
  });

  holds('follows a force push to another history, also when git has dropped the old one', async () => {
    const source = await on.indexed({ a: 'needle old\n' });
    await source.work.git('checkout', '-q', '--orphan', 'other');
    await source.work.git('rm', '-q', '-r', '-f', '.');
    await source.save({ b: 'needle new\n' });
    await on.push(source);
    assert.deepEqual(await on.places('needle', [source.corpus]), ['b:1']);
    await source.work.git('checkout', '-q', '--orphan', 'third');
    await source.work.git('rm', '-q', '-r', '-f', '.');
    await source.save({ c: 'needle newest\n' });
    await source.dropUnreachable('third');
    await on.push(source);
    assert.deepEqual(await on.places('needle', [source.corpus]), ['c:1']);
  });

  holds('comes back to what it held before', async () => {
    const source = await on.indexed({ a: 'needle\n', b: 'x\n' });
    const first = source.state();
    await source.save({ a: 'nothing\n', b: 'needle too\n' });
    await on.push(source);
    await on.index.update(source.corpus, first);
    assert.deepEqual(await on.places('needle', [source.corpus]), ['a:1']);
  });

  holds('keeps what another corpus holds when one goes', async () => {
    const one = await on.indexed({ shared: 'needle\n', own: 'needle one\n' });
    const two = await on.indexed({ shared: 'needle\n', own: 'needle two\n' });
    assert.deepEqual(await on.places('needle', [one.corpus, two.corpus]), [
      'own:1',
      'shared:1',
      'own:1',
      'shared:1',
    ]);
    await on.index.remove([one.corpus]);
    assert.deepEqual(await on.places('needle', [one.corpus, two.corpus]), ['own:1', 'shared:1']);
    assert.deepEqual([...on.index.commits([one.corpus, two.corpus]).keys()], [two.corpus]);
    await on.index.remove([one.corpus, two.corpus, 'wiki:999999']);
    assert.deepEqual(await on.places('needle', [one.corpus, two.corpus]), []);
    await on.push(one);
    assert.deepEqual(await on.places('needle', [one.corpus, two.corpus]), ['own:1', 'shared:1']);
  });

  holds('tells projects from wikis', async () => {
    const source = await on.indexed({ a: 'needle\n' });
    const wiki: CorpusName = `wiki:${source.corpus.slice('project:'.length) as `${number}`}`;
    assert.deepEqual(await on.places('needle', [wiki]), []);
    await on.index.update(wiki, source.state());
    assert.deepEqual(await on.places('needle', [wiki]), ['a:1']);
    await on.index.remove([source.corpus]);
    assert.deepEqual(await on.places('needle', [wiki, source.corpus]), ['a:1']);
  });

  holds('says what it holds', async () => {
    const before = on.index.status();
    const source = await on.indexed({
      a: 'what it holds: a\n',
      b: 'what it holds: b\n',
      c: 'what it holds: b\n',
    });
    const { blobs, bytes, corpora } = on.index.status();
    assert.deepEqual([blobs - before.blobs, corpora - before.corpora], [2, 1]);
    assert.ok(bytes > 0);
    assert.equal(on.index.commits([source.corpus]).get(source.corpus), source.state().commit);
    assert.equal(on.index.corpora().get(source.corpus), source.state().commit);
    await on.index.remove([source.corpus]);
    assert.deepEqual([on.index.status().blobs, on.index.status().corpora], [before.blobs, before.corpora]);
    assert.equal(on.index.corpora().has(source.corpus), false);
  });

  holds('takes an empty tree', async () => {
    const source = await on.indexed({ a: 'needle\n' });
    await source.work.git('rm', '-q', 'a');
    await source.commitIndex();
    await on.push(source);
    assert.deepEqual(await on.places('needle', [source.corpus]), []);
    assert.equal(on.index.commits([source.corpus]).size, 1);
  });

  holds('leaves a corpus as it was when an update fails or is given up', async () => {
    const source = await on.indexed({ a: 'needle\n' });
    const { repository } = source.state();
    await assert.rejects(on.index.update(source.corpus, { repository, commit: '1'.repeat(40) }));
    await assert.rejects(on.index.update(source.corpus, { repository, commit: '--help' }));
    await source.save({ b: 'needle\n' });
    await assert.rejects(
      on.index.update(source.corpus, { ...source.state(), repository: `${repository}-not` }),
    );
    const given = new Error('given up');
    await assert.rejects(
      on.index.update(source.corpus, source.state(), { signal: AbortSignal.abort(given) }),
      given,
    );
    assert.deepEqual(await on.places('needle', [source.corpus]), ['a:1']);
    // One that has ended before it is given up has been done. That must not be so each time.
    let isGivenUp = false;
    for (let tries = 0; tries < 50 && !isGivenUp; tries++) {
      await source.save({ b: 'needle\n', [`c${tries}`]: 'other\n' });
      const controller = new AbortController();
      const update = on.index.update(source.corpus, source.state(), { signal: controller.signal });
      controller.abort(given);
      isGivenUp = await update.then(
        () => false,
        (error) => error === given,
      );
      const places = await on.places('needle', [source.corpus]);
      if (isGivenUp && tries === 0) assert.deepEqual(places, ['a:1']);
      if (!isGivenUp) assert.deepEqual(places, ['a:1', 'b:1']);
    }
    assert.ok(isGivenUp);
    await on.push(source);
    assert.deepEqual(await on.places('needle', [source.corpus]), ['a:1', 'b:1']);
  });

  holds('shows a corpus wholly before or wholly after an update', async () => {
    const source = await on.indexed({ a: 'needle 0\n', b: 'needle 0\n', c: 'needle 0\n' });
    let over = false;
    const watching = (async () => {
      while (!over) {
        const { hits } = await on.ask('needle', [source.corpus]);
        assert.equal(hits.length, 3);
        assert.equal(new Set(hits.map(({ data }) => data)).size, 1);
      }
    })();
    for (let round = 1; round <= 8; round++) {
      const text = `needle ${round}\n`;
      await source.save({ a: text, b: text, c: text });
      await on.push(source);
      const { hits } = await on.ask('needle', [source.corpus]);
      assert.deepEqual(
        hits.map(({ data }) => data),
        [text, text, text],
      );
    }
    over = true;
    await watching;
  });

  holds('finds what git grep finds after many random pushes', async () => {
    const source = await on.newSource();
    const random = generator(7);
    for (let round = 0; round < 20; round++) {
      await source.saveRandom(random);
      await on.push(source);
    }
    for (const text of ['alpha', 'beta gamma', 'a', 'ß', 'ÄPFEL', ').', 'nowhere', 'delta\tx', 'тест']) {
      const { hits } = await on.ask(text, [source.corpus], { limit: 100_000 });
      assert.deepEqual(hits.map(stretchOf), await grep(source, text), text);
      for (const limit of [1, 4, 15, 60]) {
        const first = await on.ask(text, [source.corpus], { limit });
        assert.deepEqual(first.hits, hits.slice(0, limit), `the first ${limit} of ${text}`);
      }
    }
  });
}

function stretchOf({ path, startLine, data }: CodeHit): { path: string; startLine: number; data: string } {
  return { path, startLine, data };
}

/** Numbers below 1 that are the same in every run. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}
