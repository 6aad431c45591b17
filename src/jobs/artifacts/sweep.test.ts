import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { dialects } from '../../../test/support/databases.ts';
import { seedProject } from '../../../test/support/seed.ts';
import { startService, type TestService } from '../../../test/support/service.ts';
import { removeProject } from '../../core/projects/remove.ts';
import { openDiskStore } from '../../platform/objects/disk.ts';
import type { ObjectStore } from '../../platform/objects/object-store.ts';
import { Traces } from '../traces/traces.ts';
import { keepArtifacts, objectKey } from './store.ts';
import { ArtifactSweep } from './sweep.ts';
import { endJob, type RunningJob, seedJob } from './testing/running-job.ts';
import { upload } from './testing/upload.ts';

const HOUR = 3600_000;

const methodsOf = (store: ObjectStore): ObjectStore => ({
  put: (...call) => store.put(...call),
  get: (...call) => store.get(...call),
  head: (...call) => store.head(...call),
  delete: (...call) => store.delete(...call),
  deleteMany: (...call) => store.deleteMany(...call),
  list: (...call) => store.list(...call),
});

for (const kind of dialects) {
  describe(`the sweep, on ${kind}`, () => {
    let service: TestService;
    let objects: ObjectStore;
    let now = Date.now();
    before(async () => {
      // its own sweep sleeps for a minute: what is swept here is swept by hand
      service = await startService({ kind, clock: { now: () => now } });
      objects = await openDiskStore({ dir: join(service.dataDir, 'objects'), fsync: false, shared: true });
    });
    after(() => service.close());

    const sweepWith = (store: ObjectStore = objects) => {
      const dir = join(service.dataDir, 'traces');
      const traces = new Traces({ ...service.core, objects: store, dir, secretsOf: async () => [] });
      return { traces, sweep: new ArtifactSweep({ ...service.core, objects: store, traces }) };
    };
    const made = async (
      project: { id: number },
      ref = 'main',
      content = 'x'.repeat(100),
    ): Promise<RunningJob> => {
      const running = await seedJob(service.core, project, {}, { ref });
      const reply = await upload(service, running, Buffer.from(content), { query: { expire_in: '1 hour' } });
      assert.equal(reply.status, 201);
      return running;
    };
    const rowOf = (jobId: number) =>
      service.core.db.selectFrom('job_artifacts').selectAll().where('job_id', '=', jobId).executeTakeFirst();
    const isThere = async (id: number) => (await objects.head(objectKey({ id }))) !== null;

    it('frees what has expired, and only that', async () => {
      const project = await seedProject(service.core, 'expiring', {
        settings: '{"keep_latest_artifact":false}',
      });
      const [first, second] = [await made(project), await made(project)];
      const [one, two] = [(await rowOf(first.job.id))!, (await rowOf(second.job.id))!];
      await service.core.database.transaction((tx) => keepArtifacts(tx, second.job.id));
      assert.deepEqual(await sweepWith().sweep.run(), { files: 0, bytes: 0, failed: 0 });
      now += 2 * HOUR;
      assert.deepEqual(await sweepWith().sweep.run(), { files: 1, bytes: 100, failed: 0 });
      assert.equal(await isThere(one.id), false);
      assert.equal(await rowOf(first.job.id), undefined);
      assert.equal(await isThere(two.id), true);
      const metrics = await service.core.metrics.registry.metrics();
      assert.match(metrics, /ingot_artifacts_freed_bytes_total 100\n/);
    });

    it('keeps the latest of each branch that succeeded, until there is a newer one or the project says otherwise', async () => {
      const project = await seedProject(service.core, 'keeping');
      const older = await made(project);
      await endJob(service.core, older.job.id);
      const latest = await made(project);
      await endJob(service.core, latest.job.id);
      const failed = await made(project);
      await endJob(service.core, failed.job.id, 'failed');
      const elsewhere = await made(project, 'other');
      await endJob(service.core, elsewhere.job.id);
      now += 2 * HOUR;
      assert.equal((await sweepWith().sweep.run()).files, 2);
      const left = async () =>
        Promise.all(
          [older, latest, failed, elsewhere].map(async ({ job }) => (await artifactOf(job.id)) !== undefined),
        );
      const artifactOf = (jobId: number) =>
        service.core.db
          .selectFrom('job_artifacts')
          .select('id')
          .where('job_id', '=', jobId)
          .where('file_type', '=', 'archive')
          .executeTakeFirst();
      assert.deepEqual(await left(), [false, true, false, true]);
      await service.api('PUT', `/projects/${project.id}`, { body: { keep_latest_artifact: false } });
      assert.equal((await sweepWith().sweep.run()).files, 2);
      assert.deepEqual(await left(), [false, false, false, false]);
    });

    it('frees all that a project has when it is told to, but for the latest', async () => {
      const project = await seedProject(service.core, 'emptied');
      const [older, latest] = [await made(project), await made(project)];
      for (const { job } of [older, latest]) await endJob(service.core, job.id);
      const reply = await service.api('DELETE', `/projects/${project.id}/artifacts`);
      assert.equal(reply.status, 202);
      assert.deepEqual(reply.body, { message: '202 Accepted' });
      await sweepWith().sweep.run();
      const status = async ({ job }: RunningJob) =>
        (await service.api('GET', `/projects/${project.id}/jobs/${job.id}/artifacts`)).status;
      assert.deepEqual([await status(older), await status(latest)], [404, 200]);
      const log = await service.api('GET', `/projects/${project.id}/jobs/${older.job.id}/trace`);
      assert.equal(log.status, 200, 'logs stay');
    });

    it('goes on after what it cannot free, and frees that later', async () => {
      const project = await seedProject(service.core, 'failing', {
        settings: '{"keep_latest_artifact":false}',
      });
      const [stuck, fine] = [await made(project), await made(project)];
      const row = (await rowOf(stuck.job.id))!;
      now += 2 * HOUR;
      const broken: ObjectStore = {
        ...methodsOf(objects),
        deleteMany: async (keys) => {
          const failed = await objects.deleteMany(keys.filter((key) => key !== objectKey(row)));
          return failed.set(objectKey(row), new Error('the disk is away'));
        },
      };
      assert.deepEqual(await sweepWith(broken).sweep.run(), { files: 1, bytes: 100, failed: 1 });
      assert.equal(await rowOf(fine.job.id), undefined);
      assert.equal((await rowOf(stuck.job.id))?.state, 'doomed');
      const { id } = stuck.job;
      assert.equal((await service.api('GET', `/projects/${project.id}/jobs/${id}/artifacts`)).status, 404);
      assert.deepEqual(await sweepWith().sweep.run(), { files: 1, bytes: 100, failed: 0 });
    });

    it('ends with the error where a store fails while more is being found', async () => {
      const project = await seedProject(service.core, 'crowded', {
        settings: '{"keep_latest_artifact":false}',
      });
      const [running, other] = [await made(project), await made(project)];
      const { id: _id, job_id: _job, ...row } = (await rowOf(running.job.id))!;
      // more than are handed over at once; they are of jobs that have gone
      for (let at = 0; at < 2200; at += 200) {
        const rows = Array.from({ length: 200 }, (_, n) => ({ ...row, job_id: 5_000_000 + at + n }));
        await service.core.db.insertInto('job_artifacts').values(rows).execute();
      }
      now += 2 * HOUR;
      const broken: ObjectStore = {
        ...methodsOf(objects),
        deleteMany: async () => Promise.reject(new Error('the disk is away')),
      };
      await assert.rejects(sweepWith(broken).sweep.run(), /the disk is away/);
      assert.equal((await sweepWith().sweep.run()).files, 2202);
      assert.equal(await rowOf(other.job.id), undefined);
    });

    it('loses against whoever keeps something at the same moment', async () => {
      const project = await seedProject(service.core, 'racing', {
        settings: '{"keep_latest_artifact":false}',
      });
      const jobs: RunningJob[] = [];
      for (let i = 0; i < 10; i++) jobs.push(await made(project));
      now += 2 * HOUR;
      const keep = ({ job }: RunningJob) =>
        service.api('POST', `/projects/${project.id}/jobs/${job.id}/artifacts/keep`);
      const [, ...kept] = await Promise.all([sweepWith().sweep.run(), ...jobs.map(keep)]);
      await sweepWith().sweep.run();
      for (const [i, { job }] of jobs.entries()) {
        const row = await rowOf(job.id);
        assert.equal(row !== undefined, kept[i]?.status === 200, 'kept, or refused because it had gone');
        if (row) assert.ok(await isThere(row.id));
      }
    });

    it('frees what a killed upload, a deleted pipeline and a deleted project have left', async () => {
      const project = await seedProject(service.core, 'leaving');
      const [one, two] = [await made(project), await made(project)];
      const ids = [(await rowOf(one.job.id))!.id, (await rowOf(two.job.id))!.id];
      await service.core.db
        .insertInto('job_artifacts')
        .values({
          ...{
            project_id: project.id,
            pipeline_id: 1,
            job_id: 999_999,
            file_type: 'archive',
            file_format: 'zip',
          },
          ...{ filename: 'a.zip', size: 0, sha256: '', created_at: now, expire_at: null, state: 'coming' },
        })
        .execute();
      await service.api('DELETE', `/projects/${project.id}/pipelines/${one.pipeline.id}`);
      await service.core.events.idle();
      await sweepWith().sweep.run();
      assert.equal(await isThere(ids[0]!), false);
      assert.equal(await isThere(ids[1]!), true);
      await service.core.database.transaction((tx) => removeProject(service.core, tx, project, 1));
      await service.core.events.idle();
      now += 25 * HOUR;
      await sweepWith().sweep.run();
      assert.equal(await isThere(ids[1]!), false);
      const left = await service.core.db
        .selectFrom('job_artifacts')
        .select('id')
        .where('project_id', '=', project.id)
        .execute();
      assert.deepEqual(left, []);
    });

    it('removes live logs some time after they were sealed, and seals again what has grown meanwhile', async () => {
      const project = await seedProject(service.core, 'logging');
      const { job, token } = await seedJob(service.core, project);
      const { traces, sweep } = sweepWith();
      await traces.append(job, { start: 0, bytes: Buffer.from('first '), token, debug: false });
      await endJob(service.core, job.id);
      const file = join(
        service.dataDir,
        'traces',
        (job.id % 256).toString(16).padStart(2, '0'),
        `${job.id}.log`,
      );
      await writeFile(file, 'first late piece');
      const read = async () =>
        (await service.api('GET', `/projects/${project.id}/jobs/${job.id}/trace`)).text;
      assert.equal(await read(), 'first late piece');
      await sweep.run();
      now += HOUR;
      await sweep.run();
      assert.notEqual(await traces.files.size(job.id), null, 'sealed again, it stays once more');
      now += HOUR;
      await sweep.run();
      assert.equal(await traces.files.size(job.id), null);
      assert.equal(await read(), 'first late piece');
    });
  });
}
