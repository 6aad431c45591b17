import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { dialects } from '../../../test/support/databases.ts';
import { seedProject } from '../../../test/support/seed.ts';
import { startService, type TestService } from '../../../test/support/service.ts';
import type { Core } from '../../core/core.ts';
import { DelayedJobs } from './delayed-jobs.ts';
import { LostJobs } from './lost-jobs.ts';
import { seedPipeline } from './testing.ts';

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
      for (let tries = 0; (await pipeline.job('soon')).status === 'scheduled' && tries < 200; tries++) {
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

    it('those that no runner comes for fail after a day', async () => {
      const pipeline = await seedPipeline(core, project, { alone: { tags: ['nobody'] } });
      await new LostJobs(in_(2 * HOUR)).run();
      assert.deepEqual(await pipeline.statuses(), { alone: 'pending' });
      await new LostJobs(in_(25 * HOUR)).run();
      assert.deepEqual(await pipeline.statuses(), { alone: 'failed' });
    });
  });
}
