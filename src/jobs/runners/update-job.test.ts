import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { crc32 } from 'node:zlib';
import { dialects } from '../../../test/support/databases.ts';
import { seedProject } from '../../../test/support/seed.ts';
import { startService, type TestService } from '../../../test/support/service.ts';
import type { ProjectWithNamespace } from '../../core/projects/find.ts';
import { upload } from '../artifacts/testing/upload.ts';
import { type JobSpec, type SeededPipeline, seedPipeline } from '../processing/testing.ts';
import { Waiting } from './queue/waiting.ts';
import { TakeBack } from './take-back.ts';
import { makeRunner, STOCK_FEATURES, type TestRunner } from './testing.ts';

for (const kind of dialects) {
  describe(`what runners tell of their jobs, on ${kind}`, () => {
    let service: TestService;
    let project: ProjectWithNamespace;
    let runner: TestRunner;

    before(async () => {
      service = await startService({ kind });
      project = await seedProject(service.core, 'told');
      runner = await makeRunner(service, { runner_type: 'project_type', project_id: project.id });
    });
    beforeEach(() => service.core.db.updateTable('jobs').set({ status: 'canceled' }).execute());
    after(() => service.close());

    interface Taken {
      id: number;
      token: string;
      pipeline: SeededPipeline;
    }
    const take = async (spec: JobSpec = {}, more: Record<string, JobSpec> = {}): Promise<Taken> => {
      const pipeline = await seedPipeline(service.core, project, { build: spec, ...more });
      const { body } = await runner.request();
      return { id: body.id, token: body.token, pipeline };
    };
    const put = ({ id, token }: { id: number; token: string }, body: Record<string, unknown>) =>
      service.api('PUT', `/jobs/${id}`, { token: null, body: { token, ...body } });
    const patch = ({ id, token }: Taken, text: string, start = 0) =>
      service.api('PATCH', `/jobs/${id}/trace`, {
        token: null,
        payload: text,
        headers: {
          'job-token': token,
          'content-type': 'text/plain',
          'content-range': `${start}-${start + text.length - 1}`,
        },
      });

    it('answers with the state of the job, and ends it with all that follows', async () => {
      const taken = await take({}, { next: { stage: 1 } });
      const running = await put(taken, { state: 'running' });
      assert.deepEqual(
        [running.status, running.text, running.headers['job-status']],
        [200, '200', 'running'],
      );
      const ended = await put(taken, { state: 'success', exit_code: 0 });
      assert.deepEqual([ended.status, ended.headers['job-status']], [200, 'success']);
      assert.deepEqual(await taken.pipeline.statuses(), { build: 'success', next: 'pending' });
    });

    it('keeps why a job failed, and takes no word for a reason that is none', async () => {
      const cases: [Record<string, unknown>, string, number | null][] = [
        [{ failure_reason: 'script_failure', exit_code: 3 }, 'script_failure', 3],
        [{ failure_reason: 'because' }, 'unknown_failure', null],
        [{ exit_code: 99_999 }, 'unknown_failure', 32_767],
      ];
      for (const [body, reason, code] of cases) {
        const taken = await take();
        assert.equal((await put(taken, { state: 'failed', ...body })).status, 200);
        const job = await taken.pipeline.job('build');
        assert.deepEqual([job.status, job.failure_reason, job.exit_code], ['failed', reason, code]);
      }
    });

    describe('of a job whose artifact was too large', () => {
      before(() => service.api('PUT', `/projects/${project.id}`, { body: { max_artifacts_size: 1 } }));
      after(() => service.api('PUT', `/projects/${project.id}`, { body: { max_artifacts_size: null } }));
      const LOG = 'made\n';
      const said = { checksum: `crc32:${crc32(LOG).toString(16).padStart(8, '0')}`, bytesize: LOG.length };
      const refused = async (bytes: number) => {
        const taken = await take({}, { next: { stage: 1 } });
        await patch(taken, LOG);
        const reply = await upload(service, { job: taken, token: taken.token }, Buffer.alloc(bytes));
        assert.equal(reply.status, 413);
        return taken;
      };
      const log = async ({ id }: Taken) =>
        (await service.api('GET', `/projects/${project.id}/jobs/${id}/trace`)).text;

      for (const [what, bytes] of [
        ['found out underway', 1_100_000],
        ['announced', 5_000_000],
      ] as const) {
        it(`takes no success for it, where that was ${what}`, async () => {
          const taken = await refused(bytes);
          const ended = await put(taken, { state: 'success', exit_code: 0, output: said });
          assert.deepEqual([ended.status, ended.headers['job-status']], [200, 'failed']);
          const job = await taken.pipeline.job('build');
          assert.deepEqual([job.status, job.failure_reason], ['failed', 'data_integrity_failure']);
          assert.deepEqual(await taken.pipeline.statuses(), { build: 'failed', next: 'skipped' });
          const text = await log(taken);
          assert.ok(text.startsWith(LOG), text);
          assert.match(
            text,
            /ERROR: An artifact was refused: it is larger than the limit of 1 MB\.[^\n]*\n$/,
          );
        });
      }

      it('leaves the word to a runner that minds the refusal, whose log arrives', async () => {
        const taken = await refused(1_100_000);
        const more = 'ERROR: Uploading artifacts: 413\n';
        assert.equal((await patch(taken, more, LOG.length)).status, 202);
        const output = {
          checksum: `crc32:${crc32(LOG + more).toString(16)}`,
          bytesize: LOG.length + more.length,
        };
        const end = { state: 'failed', failure_reason: 'script_failure', exit_code: 1, output };
        assert.equal((await put(taken, end)).status, 200);
        const job = await taken.pipeline.job('build');
        assert.deepEqual([job.status, job.failure_reason], ['failed', 'script_failure']);
        assert.ok((await log(taken)).startsWith(LOG + more));
      });

      it('is not said of a job that only asked', async () => {
        const taken = await take();
        const ask = await service.api('POST', `/jobs/${taken.id}/artifacts/authorize`, {
          token: null,
          headers: { 'job-token': taken.token },
          query: { filesize: 2_000_000 },
        });
        assert.equal(ask.status, 413);
        assert.equal((await put(taken, { state: 'success' })).headers['job-status'], 'success');
      });
    });

    it('refuses other words for a state', async () => {
      const taken = await take();
      for (const state of ['pending', 'canceled', 'odd', '']) {
        assert.equal((await put(taken, { state })).status, 400, state);
      }
      assert.equal((await put(taken, {})).status, 400);
      assert.equal((await taken.pipeline.job('build')).status, 'running');
    });

    it('lets nobody speak for a job but its runner, and tells nobody which jobs there are', async () => {
      const mine = await take();
      const others = await take();
      for (const forged of [
        { ...mine, token: others.token },
        { ...mine, token: 'glcbt-wrong' },
        { ...mine, token: '' },
        { ...mine, token: runner.token },
        { ...mine, token: service.rootToken },
        { ...mine, id: 999_999_999 },
      ]) {
        const reply = await put(forged, { state: 'success' });
        assert.deepEqual([reply.status, reply.body], [403, { message: '403 Forbidden' }]);
      }
      assert.equal((await service.api('PUT', '/jobs/x', { token: null, body: {} })).status, 400);
      assert.deepEqual(
        [(await mine.pipeline.job('build')).status, (await others.pipeline.job('build')).status],
        ['running', 'running'],
      );
    });

    it('lets go of a job that has ended: its token opens nothing any more', async () => {
      const taken = await take();
      const asJob = () => service.api('GET', '/job', { token: null, headers: { 'job-token': taken.token } });
      assert.equal((await asJob()).body.id, taken.id);
      await patch(taken, 'something to erase');
      await put(taken, { state: 'success' });
      assert.equal((await asJob()).status, 401);
      const late = await put(taken, { state: 'running' });
      assert.deepEqual(
        [late.status, late.body, late.headers['job-status']],
        [403, { message: '403 Forbidden - Job is not processing on runner' }, 'success'],
      );
      const erased = await service.api('POST', `/projects/${project.id}/jobs/${taken.id}/erase`);
      assert.equal(erased.status, 201);
      assert.deepEqual((await put(taken, { state: 'running' })).body, {
        message: '403 Forbidden - Job has been erased!',
      });
    });

    it('tells a runner of a cancelled job to end it, in good order where it can', async () => {
      const cancel = (taken: Taken) => service.api('POST', `/projects/${project.id}/jobs/${taken.id}/cancel`);
      const graceful = await take();
      await cancel(graceful);
      const told = await put(graceful, { state: 'running' });
      assert.deepEqual([told.status, told.headers['job-status']], [200, 'canceling']);
      await put(graceful, { state: 'failed', failure_reason: 'script_failure' });
      assert.equal((await graceful.pipeline.job('build')).status, 'canceled');
      const pipeline = await seedPipeline(service.core, project, { build: {} });
      const { body } = await runner.request({ info: { features: {} } });
      const rough = { id: body.id, token: body.token, pipeline };
      await cancel(rough);
      const reply = await put(rough, { state: 'running' });
      assert.deepEqual([reply.status, reply.headers['job-status']], [403, 'canceled']);
    });

    it('holds the log against its checksum, and asks for it once more', async () => {
      const taken = await take();
      await patch(taken, 'abc');
      const output = { checksum: 'crc32:00000001', bytesize: 3 };
      const wrong = await put(taken, { state: 'success', output });
      assert.deepEqual([wrong.status, wrong.headers['job-status']], [412, 'running']);
      await patch(taken, 'abc');
      const checksum = `crc32:${crc32('abc').toString(16).padStart(8, '0')}`;
      const right = await put(taken, { state: 'success', output: { checksum, bytesize: 3 } });
      assert.deepEqual([right.status, right.headers['job-status']], [200, 'success']);
    });

    it('never calls a job a success whose log is not whole', async () => {
      const taken = await take();
      const output = { checksum: 'crc32:00000001', bytesize: 3 };
      let reply = await put(taken, { state: 'success', output });
      for (let tries = 0; reply.status === 412 && tries < 5; tries++) {
        await patch(taken, 'abc');
        reply = await put(taken, { state: 'success', output });
      }
      assert.equal(reply.status, 200);
      const job = await taken.pipeline.job('build');
      assert.deepEqual([job.status, job.failure_reason], ['failed', 'data_integrity_failure']);
    });

    describe('a runner that confirms its jobs', () => {
      const twoPhase = { info: { features: { ...STOCK_FEATURES, two_phase_job_commit: true } } };
      const offer = async () => {
        const pipeline = await seedPipeline(service.core, project, { build: {} });
        const { body } = await runner.request(twoPhase);
        return { id: body.id, token: body.token, pipeline };
      };
      const takeBack = (atLeastMs: number) => {
        const { core } = service;
        const clock = { ...core.clock, now: () => core.clock.now() + atLeastMs };
        return new TakeBack({ ...core, clock }, new Waiting(NOBODY, core.log)).run();
      };

      it('begins it with the first word', async () => {
        const taken = await offer();
        assert.equal((await taken.pipeline.job('build')).status, 'pending');
        assert.equal((await runner.request()).status, 204);
        const kept = await put(taken, { state: 'pending' });
        assert.deepEqual([kept.status, kept.headers['job-status']], [200, 'pending']);
        assert.equal((await put(taken, { state: 'success' })).status, 403);
        const begun = await put(taken, { state: 'running' });
        assert.deepEqual([begun.status, begun.headers['job-status']], [200, 'running']);
        assert.equal(await taken.pipeline.status(), 'running');
        assert.equal((await put(taken, { state: 'success' })).status, 200);
      });

      it('loses it when nothing is heard for long', async () => {
        const taken = await offer();
        await takeBack(60_000);
        assert.equal((await runner.request()).status, 204);
        await takeBack(301_000);
        assert.equal((await put(taken, { state: 'running' })).status, 403);
        const { status, body } = await runner.request();
        assert.deepEqual([status, body.id], [201, taken.id]);
        assert.notEqual(body.token, taken.token);
      });

      it('is told when it was cancelled meanwhile', async () => {
        const taken = await offer();
        await service.api('POST', `/projects/${project.id}/jobs/${taken.id}/cancel`);
        const reply = await put(taken, { state: 'running' });
        assert.deepEqual([reply.status, reply.headers['job-status']], [403, 'canceled']);
      });
    });
  });
}

const NOBODY = { job: async () => undefined, runnersOf: async () => new Set<number>() };
