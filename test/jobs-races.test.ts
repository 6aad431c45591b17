import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { ProjectWithNamespace } from '../src/core/projects/find.ts';
import { type JobSpec, type SeededPipeline, seedPipeline } from '../src/jobs/processing/testing.ts';
import { dialects } from './support/databases.ts';
import { assertSound, jobsOf } from './support/pipelines.ts';
import { seedCommit, seedProject } from './support/seed.ts';
import { type Reply, startService, type TestService } from './support/service.ts';

interface Taken {
  id: number;
  token: string;
}

for (const kind of dialects) {
  describe(`runners and people at once on ${kind}`, () => {
    let service: TestService;
    let project: ProjectWithNamespace;
    let sha: string;
    let runners: string[];
    before(async () => {
      service = await startService({ kind });
      project = await seedProject(service.core, 'races');
      sha = await seedCommit(service.core, project, { branch: 'main', files: { a: '1' } });
      const make = () => service.api('POST', '/user/runners', { body: { runner_type: 'instance_type' } });
      runners = [(await make()).body.token, (await make()).body.token];
    });
    after(() => service.close());

    const seed = (jobs: Record<string, JobSpec>) => seedPipeline(service.core, project, jobs, { sha });
    const ask = (runner: string): Promise<Reply> =>
      service.api('POST', '/jobs/request', {
        token: null,
        body: { token: runner, info: { features: { artifacts: true, cancel_gracefully: true } } },
      });
    const put = ({ id, token }: Taken, state: string) =>
      service.api('PUT', `/jobs/${id}`, { token: null, body: { token, state } });
    const act = (id: number, action: string) =>
      service.api('POST', `/projects/${project.id}/jobs/${id}/${action}`);
    const actAll = (pipeline: SeededPipeline, action: string) =>
      service.api('POST', `/projects/${project.id}/pipelines/${pipeline.id}/${action}`);
    /** Takes and ends jobs until there are no more. */
    const drain = async (runner: string) => {
      for (;;) {
        const { status, body } = await ask(runner);
        if (status === 204) return;
        assert.equal(status, 201);
        await put(body, 'success');
      }
    };
    /** Refused or done, but never broken. */
    const assertAnswered = (replies: Reply[]) => {
      for (const { status, text } of replies) assert.ok(status < 500, `${status} ${text}`);
    };

    it('give a job to one of two runners', async () => {
      for (let round = 0; round < 4; round++) {
        const pipeline = await seed({ only: {} });
        const replies = await Promise.all(runners.map(ask));
        assert.deepEqual(replies.map(({ status }) => status).sort(), [201, 204]);
        const job = await pipeline.job('only');
        assert.equal(job.status, 'running');
        await put(replies.find(({ status }) => status === 201)!.body, 'success');
        await assertSound(service.core, pipeline.id);
      }
    });

    it('end a job once, though its end, a cancel and a retry come together', async () => {
      for (let round = 0; round < 4; round++) {
        const pipeline = await seed({ build: {}, test: { stage: 1 } });
        const taken: Taken = (await ask(runners[0]!)).body;
        const replies = await Promise.all([
          act(taken.id, 'cancel'),
          put(taken, 'success'),
          act(taken.id, 'retry'),
          put(taken, 'failed'),
          act(taken.id, 'retry'),
        ]);
        assertAnswered(replies);
        await assertSound(service.core, pipeline.id);
        const builds = (await jobsOf(service.core, pipeline.id)).filter(({ name }) => name === 'build');
        const made = replies.filter(({ status, body }) => status === 201 && body?.id !== taken.id);
        assert.equal(builds.length, 1 + made.length);
        assert.ok(made.length <= 1, 'begun again at most once');
        await Promise.all(runners.map(drain));
        await assertSound(service.core, pipeline.id);
        assert.ok(!(await jobsOf(service.core, pipeline.id)).some(({ status }) => status === 'pending'));
      }
    });

    it('leave a pipeline sound, whatever comes to it at the same moment', async () => {
      for (let round = 0; round < 3; round++) {
        const pipeline = await seed({
          a: {},
          b: {},
          c: { needs: ['a'], stage: 1 },
          test: { stage: 1 },
          ask: { stage: 2, when: 'manual' },
          last: { stage: 3, resourceGroup: 'races' },
        });
        const taken: Taken[] = (await Promise.all(runners.map(ask))).map(({ body }) => body);
        const manual = (await pipeline.job('ask')).id;
        const replies = await Promise.all([
          put(taken[0]!, 'success'),
          put(taken[1]!, 'failed'),
          actAll(pipeline, 'cancel'),
          act(taken[0]!.id, 'retry'),
          ask(runners[0]!),
          act(manual, 'play'),
          actAll(pipeline, 'retry'),
          act(taken[1]!.id, 'retry'),
          put(taken[1]!, 'success'),
          ask(runners[1]!),
          act(taken[1]!.id, 'cancel'),
        ]);
        assertAnswered(replies);
        await assertSound(service.core, pipeline.id);
        for (const { status, body } of replies) {
          if (status === 201 && body?.token) await put(body, 'success');
        }
        await Promise.all(runners.map(drain));
        await service.core.events.idle();
        await Promise.all(runners.map(drain));
        await assertSound(service.core, pipeline.id);
        const left = (await jobsOf(service.core, pipeline.id)).map(({ status }) => status);
        assert.ok(!left.includes('pending') && !left.includes('running'), left.join());
      }
    });
  });
}
