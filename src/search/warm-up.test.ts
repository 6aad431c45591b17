import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createLog } from '../platform/log.ts';
import type { CorpusName } from './code/code-index.ts';
import { textsToLookFor, WarmUp } from './warm-up.ts';

const log = createLog('silent');

/** What is asked, and after each of them `onAsked`, which may say how it is answered: a status, or an error. */
function watched(onAsked: (count: number) => number | Error | undefined = () => undefined) {
  const asked: { place: string; text: string; stopped: boolean }[] = [];
  const get = async (path: string, signal: AbortSignal) => {
    const [place = '', query] = path.split('/search?scope=blobs&search=');
    const text = decodeURIComponent(query ?? '');
    const count = asked.push({ place, text, stopped: false });
    const answer = onAsked(count);
    if (answer instanceof Error) throw answer;
    asked[count - 1]!.stopped = signal.aborted;
    signal.throwIfAborted();
    return answer ?? 200;
  };
  const own = {
    get,
    isClosed: false,
    close() {
      this.isClosed = true;
    },
  };
  return { asked, own };
}

describe('the warm-up of a code search', () => {
  const corpora: CorpusName[] = ['wiki:7', 'project:7', 'project:8'];

  it('looks for different words, common ones first, in each project and in all', async () => {
    const { asked, own } = watched();
    await new WarmUp({ log, own }).run(corpora);
    assert.ok(own.isClosed);
    const texts = asked.map(({ text }) => text);
    assert.deepEqual(texts, textsToLookFor());
    assert.equal(new Set(texts).size, texts.length);
    assert.deepEqual([...new Set(asked.map(({ place }) => place))], ['/projects/7', '/projects/8', '']);
  });

  it('has nothing to do without a project', async () => {
    const { asked, own } = watched();
    const warmUp = new WarmUp({ log, own });
    await warmUp.run(['wiki:7']);
    assert.deepEqual(asked, []);
    // There may be one later.
    await warmUp.run(corpora);
    assert.equal(asked.length, textsToLookFor().length);
  });

  it('makes way for who searches, and goes on when nobody does', async () => {
    const { asked, own } = watched((count) => {
      if (count % 100 === 0) warmUp.makeWay();
      return undefined;
    });
    const warmUp = new WarmUp({ log, own, quietMs: 1 });
    await warmUp.run(corpora);
    const times = asked.filter(({ stopped }) => stopped).length;
    assert.equal(times, Math.floor(asked.length / 100));
    // Each search of others does what one of these would.
    assert.equal(asked.length + times, textsToLookFor().length);
  });

  it('waits as long as others search', async () => {
    const { asked, own } = watched((count) => {
      if (count === 3) warmUp.makeWay();
      return undefined;
    });
    const warmUp = new WarmUp({ log, own, quietMs: 60_000 });
    const over = warmUp.run(corpora);
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.equal(asked.length, 3);
    warmUp.end();
    await over;
    assert.equal(asked.length, 3);
  });

  it('passes over a project that is gone', async () => {
    const { asked, own } = watched((count) => (count === 2 ? 404 : 200));
    await new WarmUp({ log, own }).run(corpora);
    assert.equal(asked.length, textsToLookFor().length);
  });

  it('ends without a word when a search fails', async () => {
    for (const failure of [503, new Error('nobody listens')]) {
      const { asked, own } = watched(() => failure);
      await new WarmUp({ log, own }).run(corpora);
      assert.equal(asked.length, 1);
      assert.ok(own.isClosed);
    }
  });
});
