import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { RootOperationNode } from 'kysely';
import { dialects } from '../../../test/support/databases.ts';
import { seedProject } from '../../../test/support/seed.ts';
import { startService, type TestService } from '../../../test/support/service.ts';
import type { Core } from '../../core/core.ts';
import type { ProjectWithNamespace } from '../../core/projects/find.ts';
import { findProjectById } from '../../core/projects/store.ts';
import { makeRunner } from '../runners/testing.ts';
import { DelayedJobs } from './delayed-jobs.ts';
import { LostJobs } from './lost-jobs.ts';
import { type JobSpec, seedPipeline } from './testing.ts';
import { UnfitJobs } from './unfit-jobs.ts';

const HOUR = 3600_000;

for (const kind of dialects) {
  describe(`jobs that go on by themselves on ${kind}`, () => {
    let service: TestService;
    let core: Core;
    let project: { id: number };
    before(async () => {
      service = await startService({ kind });
      core = service.core;
      project = await seedProject(core, 'watched');
    });
    after(() => service.close());

    /** The same service, some time later. */
    const in_ = (ms: number): Core => ({ ...core, clock: { now: () => core.clock.now() + ms } });

    it('delayed ones begin when their time has come, and not before', async () => {
      const pipeline = await seedPipeline(core, project, {
        later: { when: 'delayed', startIn: 3600 },
        much: { when: 'delayed', startIn: 4 * 3600 },
      });
      await new DelayedJobs(core).run();
      assert.deepEqual(await pipeline.statuses(), { later: 'scheduled', much: 'scheduled' });
      await Promise.all([new DelayedJobs(in_(2 * HOUR)).run(), new DelayedJobs(in_(2 * HOUR)).run()]);
      assert.deepEqual(await pipeline.statuses(), { later: 'pending', much: 'scheduled' });
      assert.equal(await pipeline.status(), 'running');
      await new DelayedJobs(in_(5 * HOUR)).run();
      assert.deepEqual(await pipeline.statuses(), { later: 'pending', much: 'pending' });
    });

    it('a delayed one that is due at once needs nobody to look', async () => {
      const pipeline = await seedPipeline(core, project, { soon: { when: 'delayed', startIn: 0 } });
      while ((await pipeline.job('soon')).status === 'scheduled') {
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      assert.equal((await pipeline.job('soon')).status, 'pending');
    });

    it('those whose runner is silent fail, or end cancelled where they were being cancelled', async () => {
      const pipeline = await seedPipeline(core, project, { lost: {}, leaving: {}, next: { stage: 1 } });
      await pipeline.run('lost');
      await pipeline.run('leaving', { cancel_gracefully: 1 });
      const { id } = await pipeline.job('leaving');
      await core.db.updateTable('jobs').set({ status: 'canceling' }).where('id', '=', id).execute();
      assert.equal(await new LostJobs(in_(HOUR / 2)).run(), 0);
      await new LostJobs(in_(2 * HOUR)).run();
      assert.deepEqual(await pipeline.statuses(), { lost: 'failed', leaving: 'canceled', next: 'skipped' });
      assert.equal((await pipeline.job('lost')).failure_reason, 'stuck_or_timeout_failure');
      assert.equal(await pipeline.status(), 'failed');
    });

    it('those that a runner answers for after all are left alone', async () => {
      const pipeline = await seedPipeline(core, project, { slow: {} });
      const { id } = await pipeline.run('slow');
      await core.db.updateTable('jobs').set({ updated_at: 1 }).where('id', '=', id).execute();
      const database = heardInBetween(id);
      assert.equal(await new LostJobs({ ...core, database }).run(), 0);
      assert.deepEqual(await pipeline.statuses(), { slow: 'running' });
    });

    /** The runner's word comes when the job was found already, before anything was locked. */
    function heardInBetween(id: number): Core['database'] {
      return new Proxy(core.database, {
        get: (target, name) => {
          if (name !== 'transaction') return Reflect.get(target, name);
          return async (...args: Parameters<typeof target.transaction>) => {
            await core.db.updateTable('jobs').set({ updated_at: Date.now() }).where('id', '=', id).execute();
            return target.transaction(...args);
          };
        },
      });
    }

    describe('that wait for a runner', () => {
      let home: ProjectWithNamespace;
      let homes = 0;
      beforeEach(async () => {
        await core.db.updateTable('jobs').set({ status: 'canceled' }).execute();
        await core.db.deleteFrom('runners').execute();
        const body = { path: `g${++homes}`, name: `g${homes}` };
        const group = (await service.api('POST', '/groups', { body })).body;
        const made = await service.api('POST', '/projects', {
          body: { path: 'home', namespace_id: group.id },
        });
        home = (await findProjectById(core.db, made.body.id))!;
      });

      /** One that is heard of for as long as these tests look ahead. */
      async function runner(fields: Record<string, unknown> = {}, heardIn = 30 * HOUR) {
        const { id } = await makeRunner(service, { runner_type: 'instance_type', ...fields });
        const heard = core.clock.now() + heardIn;
        await core.db.updateTable('runners').set({ contacted_at: heard }).where('id', '=', id).execute();
        return id;
      }
      const after = (ms: number) => new LostJobs(in_(ms)).run();
      const one = (spec: JobSpec = {}) => seedPipeline(core, home, { job: spec });
      const set = (values: Record<string, unknown>) =>
        service.api('PUT', `/projects/${home.id}`, { body: values });

      it('fail after a day, though one is online that fits', async () => {
        await runner();
        const pipeline = await one();
        await after(23 * HOUR);
        assert.deepEqual(await pipeline.statuses(), { job: 'pending' });
        assert.equal(await after(25 * HOUR), 1);
        assert.deepEqual(await pipeline.statuses(), { job: 'failed' });
        assert.equal((await pipeline.job('job')).failure_reason, 'stuck_or_timeout_failure');
      });

      it('fail after an hour where none is online that fits, and what follows is skipped', async () => {
        await runner({ tag_list: ['arm'] });
        const specs = { lone: { tags: ['arm', 'mac'] }, fine: { tags: ['arm'] }, next: { stage: 1 } };
        const pipeline = await seedPipeline(core, home, specs);
        assert.equal(await after(HOUR - 60_000), 0);
        assert.equal(await after(HOUR + 60_000), 1);
        assert.deepEqual(await pipeline.statuses(), { lone: 'failed', fine: 'pending', next: 'created' });
        assert.equal((await pipeline.job('lone')).failure_reason, 'stuck_or_timeout_failure');
      });

      it('wait on for every kind of runner that fits', async () => {
        const ofGroup = { runner_type: 'group_type', group_id: home.namespace_id };
        const ofProject = { runner_type: 'project_type', project_id: home.id };
        for (const fields of [{}, ofGroup, ofProject]) {
          const pipeline = await one({ tags: ['x'] });
          const id = await runner({ ...fields, tag_list: ['x', 'y'] });
          assert.equal(await after(2 * HOUR), 0, JSON.stringify(fields));
          await core.db.deleteFrom('runners').where('id', '=', id).execute();
          assert.equal(await after(2 * HOUR), 1);
          assert.deepEqual(await pipeline.statuses(), { job: 'failed' });
        }
      });

      it('do not wait for those that are away, paused, protected, elsewhere or not let in', async () => {
        const elsewhere = await seedProject(core, `elsewhere-${homes}`);
        await runner({}, -HOUR);
        await runner({ paused: true });
        await runner({ access_level: 'ref_protected' });
        await runner({ run_untagged: false, tag_list: ['x'] });
        await runner({ runner_type: 'project_type', project_id: elsewhere.id });
        await one();
        assert.equal(await after(2 * HOUR), 1);
        await runner();
        await runner({ runner_type: 'group_type', group_id: home.namespace_id });
        await one();
        await set({ shared_runners_enabled: false });
        assert.equal(await after(2 * HOUR), 0);
        await set({ group_runners_enabled: false });
        assert.equal(await after(2 * HOUR), 1);
      });

      it('are left alone while a runner that was given one is yet to confirm it', async () => {
        const pipeline = await one();
        const { id } = await pipeline.job('job');
        const runnerId = await runner({ paused: true });
        await core.db.updateTable('jobs').set({ runner_id: runnerId }).where('id', '=', id).execute();
        assert.equal(await after(2 * HOUR), 0);
      });

      it('are given up only an hour after a start: runners come back later than the service', async () => {
        const pipeline = await one();
        let now = core.clock.now() + 2 * HOUR;
        const lost = new LostJobs({ ...core, clock: { now: () => now } });
        lost.start();
        assert.equal(await lost.run(), 0);
        now += HOUR;
        assert.equal(await lost.run(), 1);
        assert.deepEqual(await pipeline.statuses(), { job: 'failed' });
        await lost.close();
      });

      it('are judged together: as many questions for three hundred of them as for three', async () => {
        await runner({ tag_list: ['x'] });
        const questions = async (jobs: number) => {
          await core.db.updateTable('jobs').set({ status: 'canceled' }).execute();
          const specs: Record<string, JobSpec> = {};
          for (let at = 0; at < jobs; at++) specs[`j${at}`] = { tags: ['x'] };
          await seedPipeline(core, home, specs);
          let asked = 0;
          const transformQuery = ({ node }: { node: RootOperationNode }) => {
            asked++;
            return node;
          };
          const db = core.db.withPlugin({ transformQuery, transformResult: async ({ result }) => result });
          const unfit = new UnfitJobs({ ...in_(2 * HOUR), db });
          assert.deepEqual(await Array.fromAsync(unfit.groups(in_(HOUR).clock.now())), []);
          return asked;
        };
        assert.equal(await questions(300), await questions(3));
      });
    });
  });
}
