import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openTestGit } from '../git/testing.ts';
import { Answer } from '../platform/http/answer.ts';
import { Metrics } from '../platform/metrics.ts';
import { PageCache, pageAnswerOf, type WrittenPage, writePage } from './page-cache.ts';

/** A page that is ready when the test says so. */
function slowPage() {
  const { promise, resolve, reject } = Promise.withResolvers<WrittenPage>();
  const signals: AbortSignal[] = [];
  const compute = (signal: AbortSignal) => {
    signals.push(signal);
    signal.addEventListener('abort', () => reject(signal.reason));
    return promise;
  };
  return { compute, signals, finish: () => resolve(writePage(['page'], 1)) };
}

const caller = () => {
  const controller = new AbortController();
  return { signal: controller.signal, leave: () => controller.abort(new Error('left')) };
};

describe('the cache of written pages', () => {
  it('computes once for those who ask at the same time, and keeps the page', async () => {
    await using git = await openTestGit();
    const repo = await git.empty();
    const pages = new PageCache({ metrics: new Metrics() });
    const slow = slowPage();
    const asked = [1, 2, 3].map(() => pages.get(repo, 'key', caller(), slow.compute));
    slow.finish();
    assert.equal(new Set(await Promise.all(asked)).size, 1);
    const page = await pages.get(repo, 'key', caller(), () => assert.fail('computed again'));
    assert.equal(page.json.text.toString(), '["page"]');
    assert.equal(slow.signals.length, 1);
  });

  it('tells repositories and keys apart', async () => {
    await using git = await openTestGit();
    const [one, two] = [await git.empty(), await git.empty()];
    const pages = new PageCache({ metrics: new Metrics() });
    const text = async (repo: typeof one, key: string, value: string) =>
      (await pages.get(repo, key, caller(), async () => writePage(value, 1))).json.text.toString();
    assert.equal(await text(one, 'a', 'one a'), '"one a"');
    assert.equal(await text(one, 'b', 'one b'), '"one b"');
    assert.equal(await text(two, 'a', 'two a'), '"two a"');
    assert.equal(await text(one, 'a', 'other'), '"one a"');
  });

  it('goes on for the others when one leaves, and ends when all have left', async () => {
    await using git = await openTestGit();
    const repo = await git.empty();
    const pages = new PageCache({ metrics: new Metrics() });
    const [first, second] = [caller(), caller()];
    const slow = slowPage();
    const asked = [first, second].map((who) => pages.get(repo, 'key', who, slow.compute));
    first.leave();
    await assert.rejects(asked[0]!, /left/);
    assert.equal(slow.signals[0]?.aborted, false);
    second.leave();
    await assert.rejects(asked[1]!, /left/);
    assert.equal(slow.signals[0]?.aborted, true);
    const fresh = await pages.get(repo, 'key', caller(), async () => writePage('fresh', 1));
    assert.equal(fresh.json.text.toString(), '"fresh"');
  });

  it('keeps no failure', async () => {
    await using git = await openTestGit();
    const repo = await git.empty();
    const pages = new PageCache({ metrics: new Metrics() });
    const broken = pages.get(repo, 'key', caller(), () => Promise.reject(new Error('git broke')));
    await assert.rejects(broken, /git broke/);
    const page = await pages.get(repo, 'key', caller(), async () => writePage('whole', 1));
    assert.equal(page.json.text.toString(), '"whole"');
  });

  it('holds no more bytes than it is given, and counts what it found', async () => {
    await using git = await openTestGit();
    const repo = await git.empty();
    const metrics = new Metrics();
    const pages = new PageCache({ metrics, maxBytes: 10_000 });
    const ask = (key: string) => pages.get(repo, key, caller(), async () => writePage('x'.repeat(2000), 1));
    for (let i = 0; i < 20; i++) await ask(String(i));
    await ask('19');
    await ask('0');
    const count = async (name: string) =>
      (await metrics.registry.getSingleMetric(name)?.get())?.values[0]?.value;
    assert.equal(await count('ingot_cache_hits_total'), 1);
    assert.equal(await count('ingot_cache_misses_total'), 21);
  });
});

describe('the answer of a page', () => {
  const asked = (url: string, headers: Record<string, string> = {}) =>
    ({ baseUrl: 'http://here', incoming: { url, headers } }) as unknown as Parameters<typeof pageAnswerOf>[1];

  it('is written once for an address, and for each call that sends more than an address or a token in it', () => {
    const page = writePage([], 0);
    let written = 0;
    const ask = (url: string, headers?: Record<string, string>) =>
      pageAnswerOf(page, asked(url, headers), () => new Answer(200, [], { n: String(++written) })).headers[
        'n'
      ];
    assert.deepEqual([ask('/a'), ask('/a'), ask('/a?page=1'), ask('/a?page=1')], ['1', '1', '2', '2']);
    assert.deepEqual(
      [ask('/a', { 'content-length': '9' }), ask('/a', { 'content-length': '9' })],
      ['3', '4'],
    );
    assert.deepEqual([ask('/a?private_token=x'), ask('/a?private_token=x')], ['5', '6']);
    assert.equal(ask('/a?page=1'), '2');
  });
});
