import assert from 'node:assert/strict';
import { readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { createLog } from '../platform/log.ts';
import { Housekeeping, type HousekeepingOptions } from './housekeeping.ts';
import type { Repository } from './repository.ts';
import { openTestGit, type TestGit, type WorkTree } from './testing.ts';

const DAY = 24 * 3600_000;

describe('housekeeping', () => {
  let test: TestGit;
  let work: WorkTree;
  let repo: Repository;
  let keeping: Housekeeping;

  const open = (options: Partial<HousekeepingOptions> = {}) => {
    keeping = new Housekeeping({
      runner: test.git.runner,
      log: createLog('silent'),
      metrics: test.metrics,
      delayMs: 1,
      ...options,
    });
  };
  beforeEach(async () => {
    test = await openTestGit();
    work = await test.workTree();
    await work.save({ 'a.txt': 'a', 'b/c.txt': 'c' });
    repo = await test.import(work);
    open();
  });
  afterEach(async () => {
    await keeping.stop();
    await test[Symbol.asyncDispose]();
  });

  const keep = async (...paths: string[]) => {
    for (const path of paths.length > 0 ? paths : [repo.path]) keeping.afterPush(path);
    await keeping.idle();
  };
  /** `task result` to how often. */
  const runs = async () => {
    const metric = await test.metrics.registry.getSingleMetric('ingot_housekeeping_runs_total')!.get();
    return Object.fromEntries(
      metric.values.map(({ labels, value }) => [`${labels['task']} ${labels['result']}`, value]),
    );
  };
  const push = async (count: number) => {
    for (let n = 0; n < count; n++) {
      await work.save({ [`file${Math.random()}`]: `${n}` });
      await work.git('push', '-q', repo.path, 'main');
    }
  };
  /** Puts one unreachable commit there, with its objects as old as this. */
  const orphan = async (message: string, ageMs: number) => {
    const tree = (await repo.run(['rev-parse', 'main^{tree}'])).toString().trim();
    const oid = (
      await repo.run(['-c', 'user.name=A', '-c', 'user.email=a@b.c', 'commit-tree', '-m', message, tree])
    )
      .toString()
      .trim();
    const time = (Date.now() - ageMs) / 1000;
    await utimes(join(repo.path, 'objects', oid.slice(0, 2), oid.slice(2)), time, time);
    return oid;
  };
  const has = async (oid: string) => (await repo.tryRun(['cat-file', '-e', oid])).code === 0;
  const packed = async (ending: string) =>
    (await readdir(join(repo.path, 'objects/pack'))).filter((name) => name.endsWith(ending)).length;

  it('gives every commit its changed-path filter, after an import and after pushes', async () => {
    for (const pushes of [0, 2, 3]) {
      await push(pushes);
      await keep();
      const trace = join(test.folder, `trace-${pushes}`);
      await repo.run(['log', '--format=%H', 'main', '--', 'b/c.txt'], { env: { GIT_TRACE2_EVENT: trace } });
      const statistics = /"filter_not_present":(\d+),"maybe":(\d+),"definitely_not":(\d+)/.exec(
        await readFile(trace, 'utf8'),
      );
      assert.equal(statistics?.[1], '0');
      await repo.run(['commit-graph', 'verify']);
    }
    assert.equal((await runs())['commit-graph done'], 3);
  });

  it('answers many pushes with one run, and with another what came meanwhile', async () => {
    for (let n = 0; n < 20; n++) keeping.afterPush(repo.path);
    await keeping.idle();
    assert.equal((await runs())['commit-graph done'], 1);
    await keep();
    assert.equal((await runs())['commit-graph done'], 2);
  });

  it('leaves a small repository with few loose objects alone', async () => {
    await keep();
    assert.deepEqual(await runs(), { 'commit-graph done': 1 });
    assert.equal(await packed('.pack'), 0);
  });

  it('puts many loose refs into one file', async () => {
    open({ limits: { looseRefs: 5 } });
    const oid = await work.git('rev-parse', 'HEAD');
    await repo.run(['update-ref', '--stdin'], {
      input: Array.from({ length: 6 }, (_, n) => `create refs/heads/b${n} ${oid}\n`).join(''),
    });
    const before = (await repo.run(['for-each-ref'])).toString();
    await keep();
    assert.equal((await runs())['pack-refs done'], 1);
    assert.equal((await repo.run(['for-each-ref'])).toString(), before);
    assert.deepEqual(await readdir(join(repo.path, 'refs/heads')), []);
  });

  it('rolls loose objects and small packs together and loses none of them', async () => {
    open({ limits: { looseObjects: 5, packs: 3 } });
    const unreachable = await orphan('not yet on a ref', 30 * DAY);
    await push(4);
    await keep();
    assert.equal((await runs())['repack done'], 1);
    assert.ok((await packed('.pack')) <= 2);
    assert.equal(await packed('.bitmap'), 1);
    assert.ok(await has(unreachable));
    assert.match((await repo.run(['count-objects', '-v'])).toString(), /^count: 0$/m);
    await repo.run(['fsck', '--connectivity-only']);
  });

  it('writes a bitmap for a repository that is worth one, once', async () => {
    open({ limits: { bitmapObjects: 3 } });
    await keep();
    assert.equal(await packed('.bitmap'), 1);
    await keep();
    assert.equal((await runs())['repack done'], 1);
  });

  it('drops what has been unreachable for two weeks, and nothing younger', async () => {
    open({ clock: { now: () => Date.now() - 8 * DAY } });
    await keep();
    const old = await orphan('old', 15 * DAY);
    const young = await orphan('young', 13 * DAY);
    await push(2);
    await keep();
    assert.ok((await has(old)) && (await has(young)), 'a week has not passed since the last look');
    open();
    await keep();
    assert.equal((await runs())['cruft done'], 1);
    assert.deepEqual([await has(old), await has(young)], [false, true]);
    await repo.run(['fsck']);
    await repo.run(['commit-graph', 'verify']);
  });

  it('leaves no dropped commit in the commit graph', async () => {
    open({ clock: { now: () => Date.now() - 8 * DAY } });
    const oid = await orphan('old', 15 * DAY);
    await repo.run(['update-ref', 'refs/heads/gone', oid]);
    await keep();
    await repo.run(['update-ref', '-d', 'refs/heads/gone']);
    open();
    await keep();
    assert.equal(await has(oid), false);
    await repo.run(['commit-graph', 'verify']);
  });

  it('removes the locks of killed processes first', async () => {
    const lock = join(repo.path, 'refs/heads/main.lock');
    await writeFile(lock, '');
    await utimes(lock, 1, 1);
    await keep();
    assert.equal((await runs())['locks done'], 1);
    await push(1);
  });

  it('works on one repository at a time', async () => {
    const paths = [repo.path];
    for (let n = 0; n < 3; n++) paths.push((await test.import(work)).path);
    let alive = 0;
    let most = 0;
    const spawn = test.git.runner.spawn.bind(test.git.runner);
    test.git.runner.spawn = (...args) => {
      most = Math.max(most, ++alive);
      const child = spawn(...args);
      child.once('close', () => alive--);
      return child;
    };
    await keep(...paths);
    assert.equal((await runs())['commit-graph done'], 4);
    assert.equal(most, 1);
  });

  it('counts a step that fails and goes on with the next', async () => {
    open({ limits: { looseRefs: 1 } });
    await writeFile(join(repo.path, 'packed-refs.lock'), '');
    await keep();
    assert.deepEqual(await runs(), { 'pack-refs failed': 1, 'commit-graph done': 1 });
  });

  it('takes no offence at a repository that is gone', async () => {
    keeping.afterPush(repo.path);
    await repo.remove();
    await keep(join(test.folder, 'never.git'));
    assert.deepEqual(await runs(), {});
  });

  it('ends what runs when it is stopped, and leaves the repository whole', async () => {
    open({ limits: { looseObjects: 1 }, delayMs: 0 });
    await push(3);
    const started = Promise.withResolvers<void>();
    const spawn = test.git.runner.spawn.bind(test.git.runner);
    test.git.runner.spawn = (args, options) => {
      const child = spawn(args, options);
      if (args[0] === 'repack') started.resolve();
      return child;
    };
    keeping.afterPush(repo.path);
    await started.promise;
    await keeping.stop();
    const gauge = await test.metrics.registry.getSingleMetric('ingot_git_processes')!.get();
    assert.equal(gauge.values[0]?.value, 0);
    keeping.afterPush(repo.path);
    await keeping.idle();
    await repo.run(['fsck']);
    assert.deepEqual(await runs(), {});
    const files = await readdir(repo.path, { recursive: true });
    assert.deepEqual(
      files.filter((name) => name.endsWith('.lock')),
      [],
    );
  });
});
