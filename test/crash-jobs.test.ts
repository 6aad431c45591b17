import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { seedPipeline } from '../src/jobs/processing/testing.ts';
import { createLog } from '../src/platform/log.ts';
import { openService } from '../src/service.ts';
import { createTestDatabase, dialects } from './support/databases.ts';
import { assertSound, jobsOf } from './support/pipelines.ts';
import { PROCESS_TOKEN, type ServiceProcess, startProcess } from './support/process.ts';
import { seedCommit, seedProject } from './support/seed.ts';

/** After how many answers the process is killed, each time on what the last one left. */
const KILLS = [4, 9, 17];
const PIPELINES = 12;

/** What a job was said to be, by its id, once it was said that it had ended. */
type Known = Map<number, string>;

interface Place {
  projectId: number;
  runner: string;
  known: Known;
  answered(): void;
}

/** Takes jobs, ends every third one badly and begins it again, until the process is gone. */
async function work(service: ServiceProcess, { projectId, runner, known, answered }: Place) {
  for (;;) {
    const { status, body } = await service.api('POST', '/jobs/request', { token: runner });
    answered();
    if (status === 204) return;
    const state = body.id % 3 === 0 ? 'failed' : 'success';
    const ended = await fetch(`${service.url}/api/v4/jobs/${body.id}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token: body.token, state }),
    });
    if (ended.status === 200) known.set(body.id, ended.headers.get('job-status') ?? '');
    answered();
    if (state === 'success') continue;
    const again = await service.api('POST', `/projects/${projectId}/jobs/${body.id}/retry`);
    if (again.status === 201) known.set(again.body.id, 'there');
    answered();
  }
}

for (const kind of dialects) {
  describe(`SIGKILL among jobs that begin, end and are begun again, on ${kind}`, () => {
    it('loses nothing that was answered, and leaves no pipeline half processed', async (test) => {
      const database = await createTestDatabase(kind);
      const dataDir = await mkdtemp(join(tmpdir(), 'ingot-crash-'));
      const where = { dataDir, databaseUrl: database.url, log: createLog('silent') };
      const first = await openService({ ...where, rootToken: PROCESS_TOKEN, fsync: false });
      await first.listen({ host: '127.0.0.1', port: 0 });
      const project = await seedProject(first.core, 'crashing');
      const sha = await seedCommit(first.core, project, { branch: 'main', files: { a: '1' } });
      const ids: number[] = [];
      for (let n = 0; n < PIPELINES; n++) {
        const jobs = { a: {}, b: {}, c: { needs: ['a'], stage: 1 }, d: { stage: 2, resourceGroup: 'one' } };
        ids.push((await seedPipeline(first.core, project, jobs, { sha })).id);
      }
      await first.close();

      const known: Known = new Map();
      const env = { INGOT_FSYNC: 'false' };
      for (const limit of KILLS) {
        const service = await startProcess({ ...where, env });
        const made = await service.api('POST', '/user/runners', { runner_type: 'instance_type' });
        let answers = 0;
        let killed: Promise<void> | null = null;
        const answered = () => {
          if (++answers >= limit) killed ??= service.kill();
        };
        const place = { projectId: project.id, runner: made.body.token, known, answered };
        await Promise.allSettled(Array.from({ length: 3 }, () => work(service, place)));
        assert.ok(killed, 'there was too little to do');
        await killed;
      }

      const service = await openService(where);
      test.after(async () => {
        await service.close();
        await database.drop();
        await rm(dataDir, { recursive: true, force: true });
      });
      await service.listen({ host: '127.0.0.1', port: 0 });
      const { core } = service;
      await core.events.idle();
      const rows = (await Promise.all(ids.map((id) => jobsOf(core, id)))).flat();
      for (const [id, said] of known) {
        const row = rows.find((each) => each.id === id);
        assert.ok(row, `job ${id} is gone`);
        if (said !== 'there') assert.equal(row.status, said);
      }
      for (const id of ids) await assertSound(core, id);
      const held = rows.filter(
        ({ name, status }) => name === 'd' && (status === 'pending' || status === 'running'),
      );
      assert.ok(held.length <= 1, 'the resource is held once');
      assert.deepEqual(await core.events.failing(), []);
    });
  });
}
