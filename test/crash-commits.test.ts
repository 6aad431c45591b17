import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { createLog } from '../src/platform/log.ts';
import { openService, type Service, type ServiceOptions } from '../src/service.ts';
import { createTestDatabase, dialects } from './support/databases.ts';
import { startProcess } from './support/process.ts';

const COMMITS = 200;

async function opened(options: ServiceOptions): Promise<Service & AsyncDisposable> {
  const service = await openService(options);
  return Object.assign(service, { [Symbol.asyncDispose]: service.close });
}

for (const kind of dialects) {
  describe(`SIGKILL in the middle of ${COMMITS} concurrent commits, on ${kind}`, () => {
    it('keeps every acknowledged commit, every ref valid, and tells of every move', async (test) => {
      const database = await createTestDatabase(kind);
      const dataDir = await mkdtemp(join(tmpdir(), 'ingot-crash-'));
      test.after(async () => {
        await database.drop();
        await rm(dataDir, { recursive: true, force: true });
      });
      const first = await startProcess({ dataDir, databaseUrl: database.url });
      const { body: project } = await first.api('POST', '/projects', {
        name: 'crash',
        initialize_with_readme: true,
      });
      const acknowledged: { id: string; branch: string }[] = [];
      let ending: Promise<unknown> | null = null;
      const commits = Array.from({ length: COMMITS }, async (_, i) => {
        // Half of them on one branch, one after the other; half each on a branch of its own.
        const branch = i % 2 === 0 ? 'main' : `branch-${i}`;
        const reply = await first.api('POST', `/projects/${project.id}/repository/commits`, {
          branch,
          ...(branch !== 'main' && { start_branch: 'main' }),
          commit_message: `commit ${i}`,
          actions: [{ action: 'create', file_path: `file-${i}`, content: `${i}\n` }],
        });
        if (reply.status === 201) acknowledged.push({ id: reply.body.id, branch });
        if (acknowledged.length >= COMMITS / 3) ending ??= first.kill();
      });
      await Promise.allSettled(commits);
      await (ending ?? first.kill());
      assert.ok(acknowledged.length > 0, 'nothing was acknowledged before the end');
      assert.ok(acknowledged.length < COMMITS, 'everything was done before the end');

      const second = await startProcess({ dataDir, databaseUrl: database.url });
      for (const { id, branch } of acknowledged) {
        const { status, body } = await second.api(
          'GET',
          `/projects/${project.id}/repository/commits/${id}/refs`,
        );
        assert.equal(status, 200, `commit ${id} of ${branch} is gone`);
        const names = body.map((ref: { name: string }) => ref.name);
        assert.ok(
          names.includes(branch) || names.length === 20,
          `commit ${id} is not on ${branch} but on ${names.join(', ')}`,
        );
      }
      await second.kill();

      await using service = await opened({ dataDir, databaseUrl: database.url, log: createLog('silent') });
      const { core } = service;
      await core.events.start();
      await core.events.idle();
      const row = await core.db.selectFrom('projects').select('storage_path').executeTakeFirstOrThrow();
      const bare = core.repositoryOf(row).path;
      assert.equal(git(bare, 'fsck', '--strict', '--full', '--no-dangling').trim(), '');
      const refs = new Map(
        git(bare, 'for-each-ref', '--format=%(refname) %(objectname)', 'refs/heads')
          .trim()
          .split('\n')
          .map((line) => line.split(' ') as [string, string]),
      );
      const told = await core.events.readSince(0, ['ref.moved'], 10_000);
      const values = new Map<string, string | null>();
      for (const { payload } of told) {
        assert.equal(
          payload.oldOid,
          values.get(payload.ref) ?? null,
          `a move of ${payload.ref} was not told`,
        );
        values.set(payload.ref, payload.newOid);
      }
      assert.deepEqual([...values].sort(), [...refs].sort());
      const left = await core.db.selectFrom('ref_intents').selectAll().execute();
      assert.deepEqual(left, []);
    });
  });
}

const git = (cwd: string, ...args: string[]) => execFileSync('git', args, { cwd, encoding: 'utf8' });
