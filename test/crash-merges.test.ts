import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { createLog } from '../src/platform/log.ts';
import { openService } from '../src/service.ts';
import { createTestDatabase, dialects } from './support/databases.ts';
import { startProcess } from './support/process.ts';

const REQUESTS = 12;

for (const kind of dialects) {
  describe(`SIGKILL in the middle of ${REQUESTS} merges and rebases, on ${kind}`, () => {
    it('keeps what was acknowledged, and ends what was begun', async (test) => {
      const database = await createTestDatabase(kind);
      const dataDir = await mkdtemp(join(tmpdir(), 'ingot-crash-'));
      test.after(async () => {
        await database.drop();
        await rm(dataDir, { recursive: true, force: true });
      });
      const first = await startProcess({ dataDir, databaseUrl: database.url });
      const made = await first.api('POST', '/projects', { name: 'crash', initialize_with_readme: true });
      const at = `/projects/${made.body.id}`;
      const requests = Array.from({ length: REQUESTS }, async (_, i) => {
        await first.api('POST', `${at}/repository/commits`, {
          branch: `b${i}`,
          start_branch: 'main',
          commit_message: `commit ${i}`,
          actions: [{ action: 'create', file_path: `file-${i}`, content: `${i}\n` }],
        });
        const body = { source_branch: `b${i}`, target_branch: 'main', title: `request ${i}` };
        return (await first.api('POST', `${at}/merge_requests`, body)).body.iid as number;
      });
      const iids = await Promise.all(requests);

      const acknowledged: number[] = [];
      let ending: Promise<unknown> | null = null;
      const calls = iids.map(async (iid, i) => {
        if (i % 3 === 0) await first.api('PUT', `${at}/merge_requests/${iid}/rebase`, {});
        const reply = await first.api('PUT', `${at}/merge_requests/${iid}/merge`, {});
        if (reply.status === 200) acknowledged.push(iid);
        if (acknowledged.length >= REQUESTS / 3) ending ??= first.kill();
      });
      await Promise.allSettled(calls);
      await (ending ?? first.kill());
      assert.ok(acknowledged.length > 0, 'nothing was acknowledged before the end');

      const service = await openService({ dataDir, databaseUrl: database.url, log: createLog('silent') });
      try {
        const { core } = service;
        await core.refUpdates.recover();
        await core.events.start();
        await core.events.idle();
        const rows = await core.db.selectFrom('merge_requests').selectAll().orderBy('iid').execute();
        const project = await core.db.selectFrom('projects').selectAll().executeTakeFirstOrThrow();
        const bare = core.repositoryOf(project).path;
        assert.equal(git(bare, 'fsck', '--strict', '--full', '--no-dangling').trim(), '');
        const files = new Set(git(bare, 'ls-tree', '--name-only', 'main').trim().split('\n'));
        for (const row of rows) {
          const inMain = files.has(`file-${iids.indexOf(row.iid)}`);
          assert.equal(row.state, inMain ? 'merged' : 'opened', `!${row.iid}`);
          assert.ok(
            inMain || !acknowledged.includes(row.iid),
            `!${row.iid} was acknowledged and is not there`,
          );
          assert.equal(row.rebase_in_progress, 0, `!${row.iid} is being rebased for ever`);
          if (row.merge_commit_sha) git(bare, 'merge-base', '--is-ancestor', row.merge_commit_sha, 'main');
        }
      } finally {
        await service.close();
      }
    });
  });
}

const git = (bare: string, ...args: string[]): string =>
  execFileSync('git', args, { cwd: bare, encoding: 'utf8', env: { ...process.env, GIT_DIR: bare } });
