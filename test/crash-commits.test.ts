import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createLog } from '../src/platform/log.ts';
import { openService, type Service, type ServiceOptions } from '../src/service.ts';
import { createTestDatabase, dialects } from './support/databases.ts';

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const TOKEN = 'glpat-crash-test-token';
const COMMITS = 200;

/** The service as a process of its own, to be killed like one. */
async function serve(dataDir: string, databaseUrl: string | undefined) {
  const port = await freePort();
  const child = spawn(
    process.execPath,
    [MAIN, 'serve', '--data', dataDir, '--port', String(port), '--no-demo'],
    {
      env: {
        ...process.env,
        INGOT_ROOT_TOKEN: TOKEN,
        INGOT_LOG_LEVEL: 'error',
        ...(databaseUrl && { DATABASE_URL: databaseUrl }),
      },
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  );
  const url = `http://127.0.0.1:${port}`;
  await untilReady(url, child);
  const api = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${url}/api/v4${path}`, {
      method,
      headers: { 'private-token': TOKEN, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
    return { status: response.status, body: (await response.json()) as any };
  };
  return { child, api };
}

async function untilReady(url: string, child: ChildProcess): Promise<void> {
  for (;;) {
    assert.equal(child.exitCode, null, 'the service ended by itself');
    const ready = await fetch(`${url}/-/readiness`).then(
      (response) => response.ok,
      () => false,
    );
    if (ready) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

async function opened(options: ServiceOptions): Promise<Service & AsyncDisposable> {
  const service = await openService(options);
  return Object.assign(service, { [Symbol.asyncDispose]: service.close });
}

const killed = (child: ChildProcess) =>
  new Promise((resolve) => {
    child.once('exit', resolve);
    child.kill('SIGKILL');
  });

for (const kind of dialects) {
  describe(`SIGKILL in the middle of ${COMMITS} concurrent commits, on ${kind}`, () => {
    it('keeps every acknowledged commit, every ref valid, and tells of every move', async (test) => {
      const database = await createTestDatabase(kind);
      const dataDir = await mkdtemp(join(tmpdir(), 'ingot-crash-'));
      test.after(async () => {
        await database.drop();
        await rm(dataDir, { recursive: true, force: true });
      });
      const first = await serve(dataDir, database.url);
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
        if (acknowledged.length >= COMMITS / 3) ending ??= killed(first.child);
      });
      await Promise.allSettled(commits);
      await (ending ?? killed(first.child));
      assert.ok(acknowledged.length > 0, 'nothing was acknowledged before the end');
      assert.ok(acknowledged.length < COMMITS, 'everything was done before the end');

      const second = await serve(dataDir, database.url);
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
      await killed(second.child);

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
