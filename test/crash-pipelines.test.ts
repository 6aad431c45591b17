import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { pipelineRef } from '../src/git/pipeline-refs.ts';
import { resolveRef } from '../src/git/refs.ts';
import { createLog } from '../src/platform/log.ts';
import { openService } from '../src/service.ts';
import { createTestDatabase, dialects } from './support/databases.ts';
import { assertSound } from './support/pipelines.ts';
import { PROCESS_TOKEN, startProcess } from './support/process.ts';
import { seedCommit, seedProject } from './support/seed.ts';

/** After how many answers the process is killed, each time on what the last one left. */
const KILLS = [3, 6];
const CONFIG = 'one: { stage: build, script: a }\nbegin: { stage: build, trigger: { include: child.yml } }\n';

for (const kind of dialects) {
  describe(`SIGKILL among pipelines that begin, on ${kind}`, () => {
    it('leaves each push with one pipeline and each bridge with one child, and loses none that was answered', async (test) => {
      const database = await createTestDatabase(kind);
      const dataDir = await mkdtemp(join(tmpdir(), 'ingot-crash-'));
      const where = { dataDir, databaseUrl: database.url, log: createLog('silent') };
      const first = await openService({ ...where, rootToken: PROCESS_TOKEN, fsync: false });
      await first.listen({ host: '127.0.0.1', port: 0 });
      const project = await seedProject(first.core, 'crashing');
      const files = { '.gitlab-ci.yml': CONFIG, 'child.yml': 'inner: { script: b }\n' };
      await seedCommit(first.core, project, { branch: 'main', files });
      await first.core.events.idle();
      await first.close();

      const answered: number[] = [];
      let branches = 0;
      for (const limit of KILLS) {
        const service = await startProcess({ ...where, env: { INGOT_FSYNC: 'false' } });
        let answers = 0;
        let killed: Promise<void> | null = null;
        const work = async () => {
          while (killed === null) {
            const branch = `b${++branches}`;
            await service.api('POST', `/projects/${project.id}/repository/branches`, { branch, ref: 'main' });
            const asked = await service.api('POST', `/projects/${project.id}/pipeline`, { ref: 'main' });
            if (asked.status === 201) answered.push(asked.body.id);
            if (++answers >= limit) killed ??= service.kill();
          }
        };
        await Promise.allSettled([work(), work()]);
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
      const rows = await core.db.selectFrom('pipelines').selectAll().orderBy('id').execute();
      const repo = core.repositoryOf(project);
      for (let n = 1; n <= branches; n++) {
        const isThere = (await resolveRef(repo, `refs/heads/b${n}`)) !== null;
        const begun = rows.filter(({ ref, source }) => ref === `b${n}` && source === 'push');
        assert.equal(begun.length, isThere ? 1 : 0, `pipelines of b${n}`);
      }
      for (const id of answered)
        assert.ok(
          rows.some((row) => row.id === id),
          `pipeline ${id} is gone`,
        );
      const bridges = await core.db.selectFrom('jobs').selectAll().where('kind', '=', 'bridge').execute();
      const sources = await core.db.selectFrom('pipeline_sources').selectAll().execute();
      for (const { id, status } of bridges) {
        assert.equal(status, 'success');
        assert.equal(sources.filter(({ source_job_id }) => source_job_id === id).length, 1);
      }
      for (const { id, sha, status } of rows) {
        await assertSound(core, id);
        if (status !== 'pending') continue;
        const kept = await resolveRef(repo, pipelineRef(id));
        // written right after the pipeline, or when a runner takes its first job
        assert.ok(kept === sha || kept === null);
      }
      assert.equal(new Set(rows.map(({ iid }) => iid)).size, rows.length);
      assert.deepEqual(await core.events.failing(), []);
    });
  });
}
