import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { describe, it } from 'node:test';
import { resolveRef } from '../src/git/refs.ts';
import { createLog } from '../src/platform/log.ts';
import { openService } from '../src/service.ts';
import { createTestDatabase, dialects } from './support/databases.ts';
import { type ServiceProcess, startProcess } from './support/process.ts';

/** After how many answers the process is killed, each time on what the last one left. */
const KILLS = [2, 6, 11];
const WORKERS = 4;

interface Known {
  name: string;
  id: number;
  /** What has been acknowledged; null while the outcome of its last change is not known. */
  state: 'there' | 'deleted' | null;
}

/** Creates, fills, forks, renames and deletes projects until the process is killed; notes what was acknowledged. */
async function work(service: ServiceProcess, known: Known[], tag: string, answered: () => void) {
  for (let round = 0; ; round++) {
    const { body: made, status } = await service.api('POST', '/projects', {
      name: `${tag}-${round}`,
      initialize_with_readme: true,
    });
    assert.equal(status, 201);
    const project: Known = { name: made.path, id: made.id, state: 'there' };
    known.push(project);
    answered();
    const forked = { name: `${tag}-${round}-fork`, path: `${tag}-${round}-fork` };
    const { body: fork } = await service.api('POST', `/projects/${made.id}/fork`, forked);
    known.push({ name: fork.path, id: fork.id, state: 'there' });
    answered();
    project.state = null;
    if (round % 2 === 0) {
      await service.api('DELETE', `/projects/${made.id}`);
      project.state = 'deleted';
    } else {
      const { body } = await service.api('PUT', `/projects/${made.id}`, { path: `${made.path}-new` });
      Object.assign(project, { name: body.path, state: 'there' });
    }
    answered();
  }
}

async function killAfter(service: ServiceProcess, known: Known[], run: number, limit: number) {
  let answers = 0;
  let killed: Promise<void> | null = null;
  const answered = () => {
    if (++answers >= limit) killed ??= service.kill();
  };
  const workers = Array.from({ length: WORKERS }, (_, i) => work(service, known, `r${run}w${i}`, answered));
  await Promise.allSettled(workers);
  await (killed ?? service.kill());
  assert.ok(killed, 'the service ended by itself');
}

/** Every repository on disk, and whatever lies beside them, relative to the folder of all. */
async function foldersBelow(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  const paths = entries.map((entry) => relative(dir, join(entry.parentPath, entry.name)));
  return paths.filter((path) => basename(path).includes('.git') && !dirname(path).includes('.git')).sort();
}

for (const kind of dialects) {
  describe(`SIGKILL among projects that come, fork, move and go, on ${kind}`, () => {
    it('leaves each wholly there or wholly gone', async (test) => {
      const database = await createTestDatabase(kind);
      const dataDir = await mkdtemp(join(tmpdir(), 'ingot-crash-'));
      const known: Known[] = [];
      for (const [run, limit] of KILLS.entries()) {
        const service = await startProcess({
          dataDir,
          databaseUrl: database.url,
          env: { INGOT_FSYNC: 'false' },
        });
        await killAfter(service, known, run, limit);
      }
      const service = await openService({
        dataDir,
        databaseUrl: database.url,
        log: createLog('silent'),
      });
      test.after(async () => {
        await service.close();
        await database.drop();
        await rm(dataDir, { recursive: true, force: true });
      });
      await service.listen({ host: '127.0.0.1', port: 0 });
      const { core } = service;
      await core.events.idle();

      const rows = await core.db.selectFrom('projects').selectAll().execute();
      for (const { id, name, state } of known) {
        const row = rows.find((each) => each.id === id);
        if (state === 'there') assert.equal(row?.path, name);
        if (state === 'deleted') assert.equal(row, undefined, `${name} is there again`);
      }
      const storage = rows.map((row) => row.storage_path).sort();
      assert.deepEqual(await foldersBelow(join(dataDir, 'repositories')), storage);
      assert.deepEqual(await core.db.selectFrom('repository_reservations').selectAll().execute(), []);
      assert.deepEqual(await core.db.selectFrom('ref_intents').selectAll().execute(), []);
      assert.deepEqual(await core.events.failing(), []);
      for (const row of rows) {
        const repo = core.repositoryOf(row);
        assert.equal(await repo.head(), row.default_branch);
        const fsck = ['fsck', '--strict', '--no-dangling'];
        assert.equal(execFileSync('git', fsck, { cwd: repo.path }).toString(), '');
        assert.ok(await resolveRef(repo, 'refs/heads/main'), 'its first commit is missing');
      }
    });
  });
}
