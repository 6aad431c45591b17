import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { dialects } from '../../../test/support/databases.ts';
import { seedProject } from '../../../test/support/seed.ts';
import { startService, type TestService } from '../../../test/support/service.ts';
import type { ProjectWithNamespace } from '../../core/projects/find.ts';
import { seedPipeline } from '../processing/testing.ts';
import { makeRunner, type TestRunner } from './testing.ts';

for (const kind of dialects) {
  describe(`runners that wait for a job, on ${kind}`, () => {
    let service: TestService;
    let project: ProjectWithNamespace;

    before(async () => {
      service = await startService({ kind });
      project = await seedProject(service.core, 'awaited');
    });
    beforeEach(async () => {
      await service.core.db.updateTable('jobs').set({ status: 'canceled' }).execute();
      await service.core.db.deleteFrom('runners').execute();
    });
    after(() => service.close());

    const waiting = (runner: TestRunner) => runner.request({ last_update: 'seen' });
    /** Long enough that a call which is not held has been answered. */
    const settled = () => sleep(50);
    const seed = (names: string[]) =>
      seedPipeline(service.core, project, Object.fromEntries(names.map((name) => [name, {}])));

    it('answers at once where nothing was answered before', async () => {
      const runner = await makeRunner(service);
      assert.equal((await runner.request()).status, 204);
    });

    it('hands over a job the moment it waits', async () => {
      const runner = await makeRunner(service);
      const call = waiting(runner);
      await settled();
      const pipeline = await seed(['build']);
      const { status, body } = await call;
      assert.deepEqual([status, body.id], [201, (await pipeline.job('build')).id]);
    });

    it('gives several jobs to as many of those that wait, and lets the others wait on', async () => {
      const runners = await Promise.all(Array.from({ length: 5 }, () => makeRunner(service)));
      const answered: number[] = [];
      const calls = runners.map((runner) =>
        waiting(runner).then((reply) => {
          answered.push(reply.status);
          return reply;
        }),
      );
      await settled();
      await seed(['one', 'two', 'three']);
      while (answered.length < 3) await sleep(5);
      await settled();
      assert.deepEqual(answered, [201, 201, 201]);
      await seed(['four', 'five']);
      const names = (await Promise.all(calls)).map(({ body }) => body.job_info.name);
      assert.deepEqual(names.sort(), ['five', 'four', 'one', 'three', 'two']);
    });

    it('wakes only who may take the job', async () => {
      const other = await seedProject(service.core, `elsewhere-${kind}`);
      const wrongTags = await makeRunner(service, {
        runner_type: 'instance_type',
        tag_list: 'arm',
        run_untagged: false,
      });
      const foreign = await makeRunner(service, { runner_type: 'project_type', project_id: other.id });
      const right = await makeRunner(service, { runner_type: 'project_type', project_id: project.id });
      const answered: string[] = [];
      const calls = Object.entries({ wrongTags, foreign, right }).map(([name, runner]) =>
        waiting(runner).then((reply) => {
          answered.push(`${name} ${reply.status}`);
        }),
      );
      await settled();
      await seed(['build']);
      while (answered.length < 1) await sleep(5);
      await settled();
      assert.deepEqual(answered, ['right 201']);
      await service.api('DELETE', `/runners/${wrongTags.id}`);
      await service.api('DELETE', `/runners/${foreign.id}`);
      await Promise.all(calls);
      assert.deepEqual(answered.slice(1).sort(), ['foreign 403', 'wrongTags 403']);
    });

    it('looks again when the runner is changed', async () => {
      const runner = await makeRunner(service, { runner_type: 'instance_type', paused: true });
      const call = waiting(runner);
      await settled();
      await seed(['build']);
      await settled();
      await service.api('PUT', `/runners/${runner.id}`, { body: { paused: false } });
      assert.equal((await call).status, 201);
    });

    it('passes a job on when its first choice has gone away', async () => {
      const gone = await makeRunner(service);
      const stays = await makeRunner(service);
      const controller = new AbortController();
      const leaving = fetch(`${service.baseUrl}/api/v4/jobs/request`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ token: gone.token, last_update: 'seen' }),
        signal: controller.signal,
      });
      await settled();
      const call = waiting(stays);
      await settled();
      controller.abort();
      await assert.rejects(leaving);
      await settled();
      const pipeline = await seed(['build']);
      assert.equal((await call).status, 201);
      assert.equal((await pipeline.job('build')).runner_id, stays.id);
    });
  });
}

describe('runners that wait', () => {
  it('are let go when the service ends', async () => {
    const service = await startService();
    const runner = await makeRunner(service);
    const call = fetch(`${service.baseUrl}/api/v4/jobs/request`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token: runner.token, last_update: 'seen' }),
    });
    const heard = service.core.db.selectFrom('runners').select('contacted_at').where('id', '=', runner.id);
    while (!(await heard.executeTakeFirstOrThrow()).contacted_at) await sleep(5);
    await service.close();
    assert.equal((await call).status, 204);
  });
});
