import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { dialects } from '../../../test/support/databases.ts';
import { seedProject } from '../../../test/support/seed.ts';
import { startService, type TestService } from '../../../test/support/service.ts';
import type { Core } from '../../core/core.ts';
import { issueJobToken } from '../../core/tokens/job-tokens.ts';
import { cancelJob, cancelJobs } from './cancel-job.ts';
import { finishJob } from './finish-job.ts';
import { withJob } from './locked-job.ts';
import { isPlayable, playJob } from './play-job.ts';
import { isRetryable, retryJob } from './retry-job.ts';
import { retryJobs } from './retry-pipeline.ts';
import { findDefinition } from './store.ts';
import { type JobSpec, type SeededPipeline, seedPipeline } from './testing.ts';

for (const kind of dialects) {
  describe(`processing of pipelines on ${kind}`, () => {
    let service: TestService;
    let core: Core;
    let project: { id: number };
    before(async () => {
      service = await startService({ kind });
      core = service.core;
      project = await seedProject(core, 'processing');
    });
    after(() => service.close());

    const seed = (jobs: Record<string, JobSpec>) => seedPipeline(core, project, jobs);
    const on = async <T>(
      pipeline: SeededPipeline,
      name: string,
      work: Parameters<typeof withJob<T>>[2],
    ): Promise<T> => {
      const { id } = await pipeline.job(name);
      return (await withJob(core.database, id, work)) as T;
    };
    const cancel = (pipeline: SeededPipeline, name: string) =>
      on(pipeline, name, (tx, job) => cancelJob(tx, core, job));
    const retry = (pipeline: SeededPipeline, name: string) =>
      on(pipeline, name, (tx, job) => retryJob(tx, core, job, { userId: 1 }));
    const play = (
      pipeline: SeededPipeline,
      name: string,
      variables = [] as { key: string; value: string; raw: boolean }[],
    ) => on(pipeline, name, (tx, job) => playJob(tx, core, job, { userId: 1, variables }));
    const statuses = async (pipeline: SeededPipeline, expected: Record<string, string>) =>
      assert.deepEqual(await pipeline.statuses(), expected);

    describe('stages', () => {
      it('begin one after the other', async () => {
        const pipeline = await seed({ build: {}, test: { stage: 1 }, deploy: { stage: 2 } });
        await statuses(pipeline, { build: 'pending', test: 'created', deploy: 'created' });
        assert.equal(await pipeline.status(), 'pending');
        await pipeline.run('build');
        assert.equal(await pipeline.status(), 'running');
        await pipeline.finish('build');
        await statuses(pipeline, { build: 'success', test: 'pending', deploy: 'created' });
        await pipeline.run('test');
        await pipeline.finish('test');
        await pipeline.run('deploy');
        await pipeline.finish('deploy');
        assert.equal(await pipeline.status(), 'success');
      });

      it('wait for every job of the earlier ones', async () => {
        const pipeline = await seed({ a: {}, b: {}, last: { stage: 3 } });
        await pipeline.run('a');
        await pipeline.finish('a');
        await statuses(pipeline, { a: 'success', b: 'pending', last: 'created' });
        await pipeline.run('b');
        await pipeline.finish('b');
        await statuses(pipeline, { a: 'success', b: 'success', last: 'pending' });
      });

      it('after a failure skip what counts on success and begin what is for that case', async () => {
        const pipeline = await seed({
          build: {},
          test: { stage: 1 },
          tidy: { stage: 1, when: 'on_failure' },
          report: { stage: 2, when: 'always' },
        });
        await pipeline.run('build');
        await pipeline.finish('build', { status: 'failed', failureReason: 'script_failure', exitCode: 3 });
        await statuses(pipeline, { build: 'failed', test: 'skipped', tidy: 'pending', report: 'created' });
        const build = await pipeline.job('build');
        assert.deepEqual([build.failure_reason, build.exit_code], ['script_failure', 3]);
        await pipeline.run('tidy');
        await pipeline.finish('tidy');
        await statuses(pipeline, { build: 'failed', test: 'skipped', tidy: 'success', report: 'pending' });
        await pipeline.run('report');
        await pipeline.finish('report');
        assert.equal(await pipeline.status(), 'failed');
      });

      it('go on after a job that may fail', async () => {
        const pipeline = await seed({
          flaky: { allowFailure: true },
          next: { stage: 1 },
          rescue: { stage: 1, when: 'on_failure' },
        });
        await pipeline.run('flaky');
        await pipeline.finish('flaky', { status: 'failed' });
        await statuses(pipeline, { flaky: 'failed', next: 'pending', rescue: 'skipped' });
        await pipeline.run('next');
        await pipeline.finish('next');
        assert.equal(await pipeline.status(), 'success');
      });

      it('excuse a failure by its exit code', async () => {
        const definition = { allowFailureExitCodes: [42] };
        const pipeline = await seed({ a: { definition }, b: { definition }, next: { stage: 1 } });
        for (const name of ['a', 'b']) await pipeline.run(name);
        await pipeline.finish('a', { status: 'failed', exitCode: 42 });
        assert.equal((await pipeline.job('a')).allow_failure, 1);
        await pipeline.finish('b', { status: 'failed', exitCode: 1 });
        assert.equal((await pipeline.job('b')).allow_failure, 0);
        await statuses(pipeline, { a: 'failed', b: 'failed', next: 'skipped' });
      });
    });

    describe('needs', () => {
      it('let a job begin before its stage, at once where it needs nothing', async () => {
        const pipeline = await seed({
          slow: {},
          quick: {},
          test: { stage: 1, needs: ['quick'] },
          free: { stage: 2, needs: [] },
          last: { stage: 2 },
        });
        await statuses(pipeline, {
          slow: 'pending',
          quick: 'pending',
          test: 'created',
          free: 'pending',
          last: 'created',
        });
        await pipeline.run('quick');
        await pipeline.finish('quick');
        assert.equal((await pipeline.job('test')).status, 'pending');
        assert.equal((await pipeline.job('last')).status, 'created');
      });

      it('within one stage are followed in their order, whatever the order of the file', async () => {
        const pipeline = await seed({
          last: { needs: ['middle'] },
          middle: { needs: ['first'] },
          first: { needs: [] },
        });
        await pipeline.run('first');
        await pipeline.finish('first', { status: 'failed' });
        await statuses(pipeline, { last: 'skipped', middle: 'skipped', first: 'failed' });
      });

      it('are not met by a job that was skipped or may be left out', async () => {
        const pipeline = await seed({
          optional: { when: 'manual', allowFailure: true },
          behind: { stage: 1, needs: ['optional'] },
          stage: { stage: 1 },
        });
        await statuses(pipeline, { optional: 'manual', behind: 'skipped', stage: 'pending' });
        await play(pipeline, 'optional');
        await statuses(pipeline, { optional: 'pending', behind: 'created', stage: 'pending' });
        await pipeline.run('optional');
        await pipeline.finish('optional');
        assert.equal((await pipeline.job('behind')).status, 'pending');
      });
    });

    describe('manual and delayed jobs', () => {
      it('block the stages behind them until they are played', async () => {
        const pipeline = await seed({ ask: { when: 'manual' }, deploy: { stage: 1 } });
        await statuses(pipeline, { ask: 'manual', deploy: 'created' });
        assert.equal(await pipeline.status(), 'manual');
        const variable = { key: 'TARGET', value: 'moon', raw: false };
        const played = await play(pipeline, 'ask', [variable]);
        assert.equal(played.status, 'pending');
        assert.deepEqual(JSON.parse((await findDefinition(core.db, played.id))!.variables), [variable]);
        await pipeline.run('ask');
        await pipeline.finish('ask');
        await statuses(pipeline, { ask: 'success', deploy: 'pending' });
      });

      it('that are optional block nothing', async () => {
        const pipeline = await seed({ maybe: { when: 'manual', allowFailure: true }, next: { stage: 1 } });
        await statuses(pipeline, { maybe: 'manual', next: 'pending' });
      });

      it('are played again once they have ended, as a new job', async () => {
        const pipeline = await seed({ ask: { when: 'manual' } });
        const first = await play(pipeline, 'ask');
        await pipeline.run('ask');
        await pipeline.finish('ask', { status: 'failed' });
        const again = await play(pipeline, 'ask');
        assert.notEqual(again.id, first.id);
        assert.equal(again.status, 'pending');
      });

      it('wait for their time', async () => {
        const pipeline = await seed({ later: { when: 'delayed', startIn: 60 } });
        const later = await pipeline.job('later');
        assert.equal(later.status, 'scheduled');
        assert.ok(Math.abs(later.scheduled_at! - core.clock.now() - 60_000) < 30_000);
        assert.equal(await pipeline.status(), 'scheduled');
        assert.ok(isPlayable(later));
        assert.equal((await play(pipeline, 'later')).status, 'pending');
      });
    });

    describe('retrying', () => {
      it('makes a new job that stands for the old one, and brings back what was skipped', async () => {
        const pipeline = await seed({ build: {}, test: { stage: 1 }, deep: { stage: 5, needs: ['test'] } });
        await pipeline.run('build', { timeout: 10 });
        const old = (await pipeline.finish('build', { status: 'failed', failureReason: 'script_failure' }))!;
        await statuses(pipeline, { build: 'failed', test: 'skipped', deep: 'skipped' });
        const made = await retry(pipeline, 'build');
        assert.notEqual(made.id, old.id);
        assert.deepEqual(
          [made.status, made.started_at, made.finished_at, made.failure_reason],
          ['pending', null, null, null],
        );
        await statuses(pipeline, { build: 'pending', test: 'created', deep: 'created' });
        assert.equal(await pipeline.status(), 'pending');
        const again = await withJob(core.database, old.id, async (_, job) => isRetryable(job));
        assert.equal(again, false);
      });

      it('need not wait for the runner of a cancelled one to let go', async () => {
        const pipeline = await seed({ build: { resourceGroup: 'shop' }, test: { stage: 1 } });
        await pipeline.run('build', { cancel_gracefully: 1 });
        const old = await cancel(pipeline, 'build');
        assert.equal(old.status, 'canceling');
        await core.database.transaction((tx) => retryJobs(tx, core, pipeline.id, 1));
        await statuses(pipeline, { build: 'waiting_for_resource', test: 'created' });
        await core.database.transaction((tx) => finishJob(tx, core, old.id, { status: 'failed' }));
        await core.events.idle();
        await statuses(pipeline, { build: 'pending', test: 'created' });
        assert.equal(await withJob(core.database, old.id, async (_, job) => job.status), 'canceled');
      });

      it('happens by itself as often as the configuration says, and not for other reasons', async () => {
        const definition = { retry: { max: 1, when: ['script_failure'], exitCodes: [] } };
        const pipeline = await seed({ a: { definition }, b: { definition } });
        for (const name of ['a', 'b']) await pipeline.run(name);
        await pipeline.finish('a', { status: 'failed', failureReason: 'script_failure' });
        await pipeline.finish('b', { status: 'failed', failureReason: 'runner_system_failure' });
        await statuses(pipeline, { a: 'pending', b: 'failed' });
        await pipeline.run('a');
        await pipeline.finish('a', { status: 'failed', failureReason: 'script_failure' });
        await statuses(pipeline, { a: 'failed', b: 'failed' });
        assert.equal(await pipeline.status(), 'failed');
      });

      it('of a whole pipeline begins what failed again and leaves what succeeded', async () => {
        const pipeline = await seed({ good: {}, bad: {}, next: { stage: 1 } });
        for (const name of ['good', 'bad']) await pipeline.run(name);
        const good = await pipeline.finish('good');
        await pipeline.finish('bad', { status: 'failed' });
        await core.database.transaction((tx) => retryJobs(tx, core, pipeline.id, 1));
        await statuses(pipeline, { good: 'success', bad: 'pending', next: 'created' });
        assert.equal((await pipeline.job('good')).id, good!.id);
      });
    });

    describe('cancelling', () => {
      it('stops a job at once, or lets its runner end it where that can', async () => {
        const pipeline = await seed({ plain: {}, graceful: {}, next: { stage: 1 } });
        await pipeline.run('plain');
        await pipeline.run('graceful', { cancel_gracefully: 1 });
        assert.equal((await cancel(pipeline, 'plain')).status, 'canceled');
        assert.equal((await cancel(pipeline, 'graceful')).status, 'canceling');
        await statuses(pipeline, { plain: 'canceled', graceful: 'canceling', next: 'created' });
        const ended = await pipeline.finish('graceful', {
          status: 'failed',
          failureReason: 'script_failure',
        });
        assert.deepEqual([ended!.status, ended!.failure_reason], ['canceled', null]);
        await statuses(pipeline, { plain: 'canceled', graceful: 'canceled', next: 'skipped' });
        assert.equal(await pipeline.status(), 'canceled');
      });

      it('leaves a job that has ended as it is', async () => {
        const pipeline = await seed({ done: {} });
        await pipeline.run('done');
        await pipeline.finish('done');
        assert.equal((await cancel(pipeline, 'done')).status, 'success');
      });

      it('of a pipeline takes all that has not ended', async () => {
        const pipeline = await seed({ a: {}, b: {}, ask: { when: 'manual' }, next: { stage: 1 } });
        await pipeline.run('a');
        await pipeline.finish('a');
        await core.database.transaction((tx) => cancelJobs(tx, core, pipeline.id));
        await statuses(pipeline, { a: 'success', b: 'canceled', ask: 'canceled', next: 'canceled' });
        assert.equal(await pipeline.status(), 'canceled');
      });
    });

    it('a job and its token end together', async () => {
      const pipeline = await seed({ job: {} });
      const { id } = await pipeline.run('job');
      const token = await core.database.transaction((tx) =>
        issueJobToken(tx, { jobId: id, userId: 1, projectId: project.id }, core.clock.now()),
      );
      const identify = () => core.authenticator.identify({ token: null, jobToken: token, sudo: null });
      assert.equal((await identify())!.job!.id, id);
      await pipeline.finish('job');
      await assert.rejects(identify(), { code: 'unauthorized' });
    });

    it('an answer that comes twice, or too late, changes nothing', async () => {
      const pipeline = await seed({ job: {} });
      await pipeline.run('job');
      await cancel(pipeline, 'job');
      assert.equal((await pipeline.finish('job'))!.status, 'canceled');
      assert.equal((await pipeline.run('job')).status, 'canceled');
    });
  });
}
