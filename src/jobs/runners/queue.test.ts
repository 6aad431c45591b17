import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { dialects } from '../../../test/support/databases.ts';
import { seedProject, seedUser } from '../../../test/support/seed.ts';
import { startService, type TestService } from '../../../test/support/service.ts';
import type { ProjectWithNamespace } from '../../core/projects/find.ts';
import { type JobSpec, seedPipeline } from '../processing/testing.ts';
import { makeRunner, STOCK_FEATURES } from './testing.ts';

for (const kind of dialects) {
  describe(`the queue on ${kind}`, () => {
    let service: TestService;
    let project: ProjectWithNamespace;
    let other: ProjectWithNamespace;
    let number = 0;

    before(async () => {
      service = await startService({ kind });
    });
    beforeEach(async () => {
      // every test has projects of its own, and leaves nothing that waits
      await service.core.db.updateTable('jobs').set({ status: 'canceled' }).execute();
      await service.core.db.deleteFrom('runners').execute();
      project = await seedProject(service.core, `one-${++number}`);
      other = await seedProject(service.core, `two-${number}`);
    });
    after(() => service.close());

    const seed = (jobs: Record<string, JobSpec>, place = project, values = {}) =>
      seedPipeline(service.core, place, jobs, values);
    const set = (id: number, settings: Record<string, unknown>) =>
      service.core.db
        .updateTable('projects')
        .set({ settings: JSON.stringify(settings) })
        .where('id', '=', id)
        .execute();

    it('hands a job to the runner of its project, which is running then', async () => {
      const pipeline = await seed({ build: {} });
      const foreign = await makeRunner(service, { runner_type: 'project_type', project_id: other.id });
      const runner = await makeRunner(service, { runner_type: 'project_type', project_id: project.id });
      const none = await foreign.request();
      assert.equal(none.status, 204);
      assert.ok(none.headers['x-gitlab-last-update']);
      const { status, body } = await runner.request();
      const job = await pipeline.job('build');
      assert.deepEqual([status, body.id, body.job_info.name], [201, job.id, 'build']);
      assert.deepEqual(
        [job.status, job.runner_id, await pipeline.status()],
        ['running', runner.id, 'running'],
      );
      assert.ok(job.started_at !== null && job.runner_manager_id !== null);
      assert.equal((await runner.request()).status, 204);
      const shown = (await service.api('GET', `/runners/${runner.id}/jobs`)).body;
      assert.deepEqual(
        shown.map((each: { id: number; project: { id: number } }) => [each.id, each.project.id]),
        [[job.id, project.id]],
      );
    });

    it('works for the projects of a group and of those below, where they let it', async () => {
      const group = (await service.api('POST', '/groups', { body: { name: 'G', path: `g${number}` } })).body;
      const below = (
        await service.api('POST', '/groups', { body: { name: 'B', path: 'b', parent_id: group.id } })
      ).body;
      const make = (path: string) =>
        service.api('POST', '/projects', { body: { name: path, namespace_id: below.id } });
      const { id } = (await make('in')).body;
      const { id: closed } = (await make('closed')).body;
      await service.api('PUT', `/projects/${closed}`, { body: { group_runners_enabled: false } });
      await seedPipeline(service.core, { id: closed }, { hidden: {} });
      await seed({ elsewhere: {} });
      await seedPipeline(service.core, { id }, { build: {} });
      const runner = await makeRunner(service, { runner_type: 'group_type', group_id: group.id });
      assert.equal((await runner.request()).body.job_info.name, 'build');
      assert.equal((await runner.request()).status, 204);
    });

    it('looks at tags: all of the job’s must be the runner’s, and none only where it takes such', async () => {
      await seed({
        plain: {},
        arm: { tags: ['arm'] },
        both: { tags: ['arm', 'linux'] },
        odd: { tags: ['win'] },
      });
      const tagged = await makeRunner(service, {
        runner_type: 'instance_type',
        tag_list: ['linux', 'arm', 'extra'],
        run_untagged: false,
      });
      const plain = await makeRunner(service);
      const names = [await tagged.request(), await tagged.request(), await plain.request()].map(
        (reply) => reply.body.job_info.name,
      );
      assert.deepEqual(names, ['arm', 'both', 'plain']);
      assert.deepEqual([(await tagged.request()).status, (await plain.request()).status], [204, 204]);
    });

    it('keeps what is protected apart, pauses, and asks the project whether jobs run at all', async () => {
      const careful = await makeRunner(service, {
        runner_type: 'instance_type',
        access_level: 'ref_protected',
      });
      const pipeline = await seed({ open: {}, closed: {} });
      assert.equal((await careful.request()).status, 204);
      const { id } = await pipeline.job('closed');
      await service.core.db.updateTable('jobs').set({ protected: 1 }).where('id', '=', id).execute();
      assert.equal((await careful.request()).body.job_info.name, 'closed');
      const runner = await makeRunner(service, { runner_type: 'instance_type', paused: true });
      const paused = await runner.request();
      assert.deepEqual([paused.status, typeof paused.headers['x-gitlab-last-update']], [204, 'string']);
      await service.api('PUT', `/runners/${runner.id}`, { body: { paused: false } });
      await set(project.id, { builds_access_level: 'disabled' });
      assert.equal((await runner.request()).status, 204);
      await set(project.id, { shared_runners_enabled: false });
      assert.equal((await runner.request()).status, 204);
      await set(project.id, {});
      assert.equal((await runner.request()).status, 201);
    });

    it('shares instance runners fairly: the project with fewest jobs at work is next', async () => {
      await seed({ a1: {}, a2: {}, a3: {} });
      await seed({ b1: {}, b2: {} }, other);
      const runner = await makeRunner(service);
      const order: string[] = [];
      for (let taken = 0; taken < 5; taken++) order.push((await runner.request()).body.job_info.name);
      assert.deepEqual(order, ['a1', 'b1', 'a2', 'b2', 'a3']);
    });

    it('gives runners of a project the jobs in the order in which they came', async () => {
      await seed({ first: {}, second: {} });
      const runner = await makeRunner(service, { runner_type: 'project_type', project_id: project.id });
      const names = [await runner.request(), await runner.request()].map((each) => each.body.job_info.name);
      assert.deepEqual(names, ['first', 'second']);
    });

    it('gives each job to one of many runners that ask at once', async () => {
      const jobs = Object.fromEntries(Array.from({ length: 6 }, (_, n) => [`job ${n}`, {}]));
      await seed(jobs);
      const runners = await Promise.all(Array.from({ length: 9 }, () => makeRunner(service)));
      const replies = await Promise.all(runners.map((runner) => runner.request()));
      const taken = replies.filter(({ status }) => status === 201).map(({ body }) => body.job_info.name);
      assert.deepEqual(taken.sort(), Object.keys(jobs));
      assert.equal(new Set(replies.flatMap(({ body }) => body?.token ?? [])).size, 6);
    });

    it('fails what no runner could do, says why, and goes on to the next', async () => {
      const blocked = await seedUser(service.core, `blocked${number}`);
      await service.core.db
        .updateTable('users')
        .set({ state: 'blocked' })
        .where('id', '=', blocked.user.id)
        .execute();
      const by = await seed({ blocked: {} }, project, { userId: blocked.user.id });
      const pipeline = await seed({
        report: { definition: { artifacts: REPORT } },
        good: {},
      });
      const archived = await seed({ archived: {} }, other);
      await service.core.db.updateTable('projects').set({ archived: 1 }).where('id', '=', other.id).execute();
      const runner = await makeRunner(service);
      const features = { ...STOCK_FEATURES, upload_multiple_artifacts: false };
      const { body } = await runner.request({ info: { features } });
      assert.equal(body.job_info.name, 'good');
      assert.equal((await runner.request()).status, 204);
      const reasons = [
        (await by.job('blocked')).failure_reason,
        (await pipeline.job('report')).failure_reason,
        (await archived.job('archived')).failure_reason,
      ];
      assert.deepEqual(reasons, ['user_blocked', 'runner_unsupported', 'archived_failure']);
    });

    it('fails a job whose dependencies have lost their files', async () => {
      const pipeline = await seed({ make: {}, use: { stage: 1, definition: { dependencies: ['make'] } } });
      await pipeline.run('make');
      await pipeline.finish('make');
      const { id } = await pipeline.job('make');
      await service.core.db.updateTable('jobs').set({ erased_at: 1 }).where('id', '=', id).execute();
      const runner = await makeRunner(service);
      assert.equal((await runner.request()).status, 204);
      const use = await pipeline.job('use');
      assert.deepEqual([use.status, use.failure_reason], ['failed', 'missing_dependency_failure']);
    });

    it('bounds what a runner may send', async () => {
      const runner = await makeRunner(service);
      assert.equal((await runner.request({ info: { version: 'x'.repeat(40_000) } })).status, 413);
      assert.equal((await runner.request({ system_id: 'x'.repeat(65) })).status, 400);
      assert.equal((await runner.request({ info: { version: 7, platform: {}, features: [] } })).status, 204);
      const odd = await runner.request({ info: { version: 'a\0b' } });
      assert.equal(odd.status, 204);
    });
  });
}

const REPORT = {
  name: null,
  paths: [],
  exclude: [],
  untracked: false,
  when: 'always' as const,
  expireIn: null,
  access: 'all' as const,
  exposeAs: null,
  reports: [{ type: 'junit', paths: ['junit.xml'] }],
};
