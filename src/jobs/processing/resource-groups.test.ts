import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { dialects } from '../../../test/support/databases.ts';
import { seedProject } from '../../../test/support/seed.ts';
import { startService, type TestService } from '../../../test/support/service.ts';
import type { Core } from '../../core/core.ts';
import { cancelJob } from './cancel-job.ts';
import { withJob } from './locked-job.ts';
import { type SeededPipeline, seedPipeline } from './testing.ts';

for (const kind of dialects) {
  describe(`resource groups on ${kind}`, () => {
    let service: TestService;
    let core: Core;
    let project: { id: number };
    before(async () => {
      service = await startService({ kind });
      core = service.core;
      project = await seedProject(core, 'resources');
    });
    after(() => service.close());

    let groups = 0;
    const newGroup = () => `group ${++groups}`;
    const deploy = (resourceGroup: string) => seedPipeline(core, project, { deploy: { resourceGroup } });
    const states = async (...pipelines: SeededPipeline[]) => {
      await core.events.idle();
      return Promise.all(pipelines.map(async (pipeline) => (await pipeline.job('deploy')).status));
    };

    it('let one job in at a time, the next when it has ended', async () => {
      const group = newGroup();
      const first = await deploy(group);
      const second = await deploy(group);
      const third = await deploy(group);
      assert.deepEqual(await states(first, second, third), [
        'pending',
        'waiting_for_resource',
        'waiting_for_resource',
      ]);
      assert.equal(await second.status(), 'waiting_for_resource');
      await first.run('deploy');
      assert.equal((await states(second))[0], 'waiting_for_resource');
      await first.finish('deploy', { status: 'failed' });
      assert.deepEqual(await states(second, third), ['pending', 'waiting_for_resource']);
      assert.equal(await second.status(), 'pending');
    });

    it('pass on what was cancelled before it began', async () => {
      const group = newGroup();
      const first = await deploy(group);
      const second = await deploy(group);
      const { id } = await first.job('deploy');
      await withJob(core.database, id, (tx, job) => cancelJob(tx, core, job));
      assert.deepEqual(await states(first, second), ['canceled', 'pending']);
    });

    it('of other names or projects do not wait for each other', async () => {
      const group = newGroup();
      const first = await deploy(group);
      const other = await deploy(newGroup());
      const elsewhere = await seedPipeline(core, await seedProject(core, `apart-${kind}`), {
        deploy: { resourceGroup: group },
      });
      assert.deepEqual(await states(first, other, elsewhere), ['pending', 'pending', 'pending']);
    });

    it('hold the jobs of one pipeline apart too', async () => {
      const group = newGroup();
      const pipeline = await seedPipeline(core, project, {
        a: { resourceGroup: group },
        b: { resourceGroup: group },
      });
      assert.deepEqual(await pipeline.statuses(), { a: 'pending', b: 'waiting_for_resource' });
      await pipeline.run('a');
      await pipeline.finish('a');
      await core.events.idle();
      assert.deepEqual(await pipeline.statuses(), { a: 'success', b: 'pending' });
    });

    it('keep the order that they are told', async () => {
      const orders = [
        ['newest_first', 2],
        ['newest_ready_first', 2],
        ['oldest_first', 1],
      ] as const;
      for (const [mode, expected] of orders) {
        const group = newGroup();
        const first = await deploy(group);
        const query = core.db.updateTable('resource_groups').set({ process_mode: mode });
        await query.where('key', '=', group).execute();
        const second = await deploy(group);
        const third = await deploy(group);
        await first.run('deploy');
        await first.finish('deploy');
        const waiting = await states(second, third);
        assert.equal(waiting.indexOf('pending') + 1, expected, mode);
      }
    });

    it('in a strict order wait for an older pipeline that is not there yet', async () => {
      const group = newGroup();
      const holder = await deploy(group);
      await core.db
        .updateTable('resource_groups')
        .set({ process_mode: 'oldest_first' })
        .where('key', '=', group)
        .execute();
      const slow = await seedPipeline(core, project, {
        build: {},
        deploy: { stage: 1, resourceGroup: group },
      });
      const quick = await deploy(group);
      await holder.run('deploy');
      await holder.finish('deploy');
      assert.deepEqual(await states(slow, quick), ['created', 'waiting_for_resource']);
      await slow.run('build');
      await slow.finish('build');
      assert.deepEqual(await states(slow, quick), ['pending', 'waiting_for_resource']);
    });

    it('are read and told their order over HTTP', async () => {
      const group = newGroup();
      const path = `/projects/${project.id}/resource_groups`;
      const one = `${path}/${encodeURIComponent(group)}`;
      assert.equal((await service.api('GET', one)).status, 404);
      const first = await deploy(group);
      const [second, third] = [await deploy(group), await deploy(group)];
      const { body } = await service.api('GET', one);
      assert.deepEqual([body.key, body.process_mode], [group, 'unordered']);
      const listed = await service.api('GET', path, { query: { per_page: 100 } });
      assert.ok(listed.body.some(({ key }: { key: string }) => key === group));
      const current = await service.api('GET', `${one}/current_job`);
      assert.equal(current.body.id, (await first.job('deploy')).id);
      const changed = await service.api('PUT', one, { body: { process_mode: 'newest_first' } });
      assert.deepEqual([changed.status, changed.body.process_mode], [200, 'newest_first']);
      const upcoming = await service.api('GET', `${one}/upcoming_jobs`);
      const expected = [(await third.job('deploy')).id, (await second.job('deploy')).id];
      assert.deepEqual(
        upcoming.body.map(({ id }: { id: number }) => id),
        expected,
      );
      assert.equal((await service.api('PUT', one, { body: { process_mode: 'x' } })).status, 400);
    });

    it('let one in where many come at once', async () => {
      const group = newGroup();
      const pipelines = await Promise.all(Array.from({ length: 8 }, () => deploy(group)));
      for (let left = pipelines.length; left > 0; left--) {
        const found = await states(...pipelines);
        assert.equal(found.filter((status) => status === 'pending').length, 1);
        assert.equal(found.filter((status) => status === 'waiting_for_resource').length, left - 1);
        const next = pipelines[found.indexOf('pending')]!;
        await next.run('deploy');
        await next.finish('deploy');
      }
    });
  });
}
