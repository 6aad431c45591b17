import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openTestGit, type TestGit } from '../../git/testing.ts';
import { systemClock } from '../../platform/clock.ts';
import { createLog } from '../../platform/log.ts';
import { Metrics } from '../../platform/metrics.ts';
import type { CodeIndex, CorpusName } from './code-index.ts';
import type { Corpus } from './corpora.ts';
import { Indexer } from './indexer.ts';

/** Takes the place of the index, so that a test can say when an update ends and how. */
class HeldIndex implements Pick<CodeIndex, 'commits' | 'corpora' | 'update' | 'remove'> {
  readonly held = new Map<CorpusName, string>();
  readonly begun: CorpusName[] = [];
  /** What an update waits for, by corpus. */
  readonly gates = new Map<CorpusName, Promise<void>>();

  commits() {
    return this.held;
  }

  corpora() {
    return this.held;
  }

  async update(name: CorpusName, { commit }: { commit: string }) {
    this.begun.push(name);
    await this.gates.get(name);
    this.held.set(name, commit);
  }

  async remove(names: readonly CorpusName[]) {
    for (const name of names) this.held.delete(name);
  }
}

describe('the indexer', () => {
  let git: TestGit;
  let corpus: Omit<Corpus, 'name'>;
  let tip: string;

  before(async () => {
    git = await openTestGit();
    const work = await git.workTree();
    tip = await work.save({ a: 'a\n' });
    corpus = { repository: await git.import(work), branch: 'main' };
  });
  after(() => git[Symbol.asyncDispose]());

  function start(gone: CorpusName[] = []) {
    const index = new HeldIndex();
    const states: string[] = [];
    const indexer = new Indexer({
      index: async () => index as unknown as CodeIndex,
      find: async (name) => (gone.includes(name) ? null : { name, ...corpus }),
      clock: systemClock,
      log: createLog('silent'),
      metrics: new Metrics(),
      backoff: { firstMs: 5, maxMs: 20 },
      onBusy: () => states.push('busy'),
      onIdle: () => states.push('idle'),
    });
    return { index, indexer, states };
  }

  it('brings what was touched to its tip, and forgets it then', async () => {
    const { index, indexer, states } = start();
    indexer.touch('project:1');
    assert.equal(indexer.isPending('project:1'), true);
    assert.equal(indexer.pendingProjects, 1);
    await indexer.idle();
    assert.equal(indexer.isPending('project:1'), false);
    assert.deepEqual([...index.held], [['project:1', tip]]);
    assert.deepEqual(states, ['busy', 'idle']);
  });

  it('does nothing for what is at its tip already', async () => {
    const { index, indexer } = start();
    index.held.set('project:1', tip);
    indexer.touch('project:1');
    await indexer.idle();
    assert.deepEqual(index.begun, []);
  });

  it('takes out what is gone', async () => {
    const { index, indexer } = start(['wiki:1']);
    index.held.set('wiki:1', tip);
    indexer.touch('wiki:1');
    await indexer.idle();
    assert.deepEqual([...index.held], []);
  });

  it('lets a push pass by long builds, and the backlog wait for them', async () => {
    const { index, indexer } = start();
    const gate = Promise.withResolvers<void>();
    for (const name of ['project:1', 'project:2', 'project:3'] as const) {
      index.gates.set(name, gate.promise);
      indexer.touch(name, { urgent: false });
    }
    indexer.touch('project:9');
    while (indexer.isPending('project:9')) await new Promise(setImmediate);
    assert.deepEqual(index.begun, ['project:1', 'project:2', 'project:9']);
    assert.deepEqual(
      indexer.running.map(({ name }) => name),
      ['project:1', 'project:2'],
    );
    gate.resolve();
    await indexer.idle();
    assert.deepEqual(index.begun, ['project:1', 'project:2', 'project:9', 'project:3']);
  });

  it('looks again at what was touched while it was worked on', async () => {
    const { index, indexer } = start();
    const gate = Promise.withResolvers<void>();
    index.gates.set('project:1', gate.promise);
    indexer.touch('project:1');
    while (index.begun.length === 0) await new Promise(setImmediate);
    indexer.touch('project:1');
    index.gates.clear();
    index.held.set('project:1', 'an older commit');
    gate.resolve();
    await indexer.idle();
    assert.equal(index.held.get('project:1'), tip);
  });

  it('tries again what failed, shows it meanwhile, and goes on with the others', async () => {
    const { index, indexer } = start();
    const failed = Promise.reject(new Error('the disk is full'));
    failed.catch(() => {});
    index.gates.set('project:1', failed);
    indexer.touch('project:1');
    indexer.touch('project:2');
    while (!index.held.has('project:2') || (indexer.failing[0]?.attempts ?? 0) < 2) {
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    const [failing] = indexer.failing;
    assert.match(failing?.lastError ?? '', /the disk is full/);
    assert.equal(indexer.isPending('project:1'), true);
    index.gates.clear();
    while (indexer.isPending('project:1')) await new Promise((resolve) => setTimeout(resolve, 2));
    assert.equal(index.held.get('project:1'), tip);
  });

  it('ends with what runs, and takes nothing more', async () => {
    const { index, indexer } = start();
    indexer.touch('project:1');
    await indexer.stop();
    indexer.touch('project:2');
    await indexer.idle();
    assert.equal(index.held.has('project:2'), false);
  });
});
