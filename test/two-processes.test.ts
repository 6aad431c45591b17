import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { openTestGit, type TestGit } from '../src/git/testing.ts';
import { createLog } from '../src/platform/log.ts';
import { openService } from '../src/service.ts';
import { createTestDatabase, type TestDatabase } from './support/databases.ts';
import { PROCESS_TOKEN, type ServiceProcess, startProcess } from './support/process.ts';
import { ROOT_TOKEN } from './support/service.ts';

describe('two processes on one PostgreSQL and one data folder', () => {
  let database: TestDatabase;
  let dataDir: string;
  let work: TestGit;
  let first: ServiceProcess;
  let second: ServiceProcess;
  let project: { id: number; path_with_namespace: string };

  before(async () => {
    database = await createTestDatabase('postgres');
    dataDir = await mkdtemp(join(tmpdir(), 'ingot-two-'));
    work = await openTestGit();
    [first, second] = (await Promise.all(
      [0, 1].map(() => startProcess({ dataDir, databaseUrl: database.url })),
    )) as [ServiceProcess, ServiceProcess];
    const made = await first.api('POST', '/projects', { name: 'p', initialize_with_readme: true });
    project = made.body;
  });
  after(async () => {
    await Promise.all([first.kill(), second.kill()]);
    await work[Symbol.asyncDispose]();
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  });

  const commit = (service: ServiceProcess, name: string) =>
    service.api('POST', `/projects/${project.id}/repository/commits`, {
      branch: 'main',
      commit_message: name,
      actions: [{ action: 'create', file_path: name, content: name }],
    });

  const filesSeenBy = async (service: ServiceProcess): Promise<string[]> => {
    const { body } = await service.api('GET', `/projects/${project.id}/repository/tree?per_page=100`);
    return body.map((entry: { name: string }) => entry.name);
  };

  it('serve what the other has made', async () => {
    assert.equal((await second.api('GET', `/projects/${project.id}`)).status, 200);
    assert.deepEqual(await filesSeenBy(second), ['README.md']);
  });

  it('hand a job that the one has made to a runner that waits at the other', async () => {
    const { body: made } = await first.api('POST', '/projects', { name: 'built' });
    const runner = { runner_type: 'project_type', project_id: made.id };
    const { token } = (await second.api('POST', '/user/runners', runner)).body;
    const waiting = second.api('POST', '/jobs/request', { token, last_update: 'seen' });
    const script = 'build:\n  script: "true"\n';
    await first.api('POST', `/projects/${made.id}/repository/commits`, {
      branch: 'main',
      commit_message: 'Build',
      actions: [{ action: 'create', file_path: '.gitlab-ci.yml', content: script }],
    });
    const { status, body } = await waiting;
    assert.deepEqual([status, body?.job_info.name], [201, 'build']);
    const job = await first.api('GET', `/projects/${made.id}/jobs/${body.id}`);
    assert.equal(job.body.status, 'running');
  });

  it('put commits of both on one branch without losing any', async () => {
    const names = Array.from({ length: 12 }, (_, i) => `file-${String(i).padStart(2, '0')}`);
    const replies = await Promise.all(names.map((name, i) => commit(i % 2 === 0 ? first : second, name)));
    assert.deepEqual(
      replies.map(({ status }) => status),
      names.map(() => 201),
    );
    const expected = ['README.md', ...names];
    assert.deepEqual(await filesSeenBy(first), expected);
    assert.deepEqual(await filesSeenBy(second), expected);
  });

  it('let one of them make a branch that both are asked for', async () => {
    const asked = { branch: 'wanted', ref: 'main' };
    const path = `/projects/${project.id}/repository/branches`;
    const replies = await Promise.all([first, second].map((service) => service.api('POST', path, asked)));
    assert.deepEqual(replies.map(({ status }) => status).sort(), [201, 400]);
  });

  it('begin a wiki at the same time and keep the pages of both', async () => {
    const titles = Array.from({ length: 8 }, (_, i) => `page-${i}`);
    const path = `/projects/${project.id}/wikis`;
    const replies = await Promise.all(
      titles.map((title, i) => (i % 2 === 0 ? first : second).api('POST', path, { title, content: title })),
    );
    assert.deepEqual(
      replies.map(({ status }) => status),
      titles.map(() => 201),
    );
    for (const service of [first, second]) {
      const { body } = await service.api('GET', path);
      assert.deepEqual(
        body.map(({ slug }: { slug: string }) => slug),
        titles,
      );
    }
  });

  it('change the files of one snippet at the same time without losing any', async () => {
    const made = await first.api('POST', '/snippets', { title: 's', file_name: 'f', content: 'x' });
    const path = `/snippets/${made.body.id}`;
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, i) => {
        const files = [{ action: 'create', file_path: `f${i}`, content: 'x' }];
        return (i % 2 === 0 ? first : second).api('PUT', path, { files });
      }),
    );
    assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]));
    assert.equal((await second.api('GET', path)).body.files.length, 9);
  });

  it('show a push to one at once in the other', async () => {
    const address = ({ url }: ServiceProcess) =>
      `${url.replace('://', `://x:${PROCESS_TOKEN}@`)}/${project.path_with_namespace}.git`;
    const tree = await work.workTree();
    await tree.git('fetch', '-q', address(first), 'main');
    await tree.git('reset', '-q', '--hard', 'FETCH_HEAD');
    const pushed = await tree.save({ pushed: 'x' });
    await tree.git('push', '-q', address(second), 'HEAD:refs/heads/main');
    const { body } = await first.api('GET', `/projects/${project.id}/repository/branches/main`);
    assert.equal(body.commit.id, pushed);
  });

  it('go on, reads, writes and events, when one is killed', async () => {
    await first.kill();
    assert.equal((await commit(second, 'survived')).status, 201);
    assert.ok((await filesSeenBy(second)).includes('survived'));
    for (;;) {
      const metrics = await fetch(`${second.url}/-/metrics`).then((response) => response.text());
      if (/^ingot_outbox_depth 0$/m.test(metrics)) break;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  });
});

describe('processes that start together', () => {
  it('make one first administrator on a fresh database, and all serve', async (test) => {
    const database = await createTestDatabase('postgres');
    const dataDir = await mkdtemp(join(tmpdir(), 'ingot-two-'));
    const options = { dataDir, databaseUrl: database.url, fsync: false, log: createLog('silent') };
    const services = await Promise.all(Array.from({ length: 5 }, () => openService(options)));
    test.after(async () => {
      await Promise.all(services.map((service) => service.close()));
      await database.drop();
      await rm(dataDir, { recursive: true, force: true });
    });
    await Promise.all(services.map((service) => service.listen({ host: '127.0.0.1', port: 0 })));
    const tokens = services.flatMap(({ rootToken }) => rootToken ?? []);
    assert.equal(tokens.length, 1);
    for (const { server } of services) {
      const headers = { 'private-token': tokens[0]! };
      const { body } = await server.inject({ url: '/api/v4/user', headers });
      assert.equal(JSON.parse(body).username, 'root');
    }
  });
});

describe('events among two processes', () => {
  it('are handed out once, by the one that leads, and by the other when that ends', async (test) => {
    const database = await createTestDatabase('postgres');
    const dataDir = await mkdtemp(join(tmpdir(), 'ingot-two-'));
    const open = async () => {
      const handled: string[] = [];
      const options = { dataDir, databaseUrl: database.url, rootToken: ROOT_TOKEN, fsync: false };
      const service = await openService({ ...options, log: createLog('silent') });
      service.core.events.subscribe('test.witness', ['ref.moved'], async ({ payload }) => {
        handled.push(payload.ref);
      });
      await service.listen({ host: '127.0.0.1', port: 0 });
      const post = (url: string, payload: object) =>
        service.server.inject({
          method: 'POST',
          url: `/api/v4${url}`,
          headers: { 'private-token': ROOT_TOKEN },
          payload,
        });
      return { ...service, handled, post };
    };
    const [leader, other] = [await open(), await open()];
    test.after(async () => {
      await leader.close();
      await other.close();
      await database.drop();
      await rm(dataDir, { recursive: true, force: true });
    });
    const made = await other.post('/projects', { name: 'p', initialize_with_readme: true });
    const branches = `/projects/${made.json().id}/repository/branches`;
    const branch = (service: typeof leader, name: string) =>
      service.post(branches, { branch: name, ref: 'main' });
    const untilHandled = async (handled: string[], count: number) => {
      while (handled.length < count) await new Promise((resolve) => setTimeout(resolve, 20));
    };
    for (const name of ['a', 'b', 'c', 'd']) await branch(name < 'c' ? leader : other, name);
    await untilHandled(leader.handled, 5);
    assert.deepEqual(
      leader.handled,
      ['main', 'a', 'b', 'c', 'd'].map((name) => `refs/heads/${name}`),
    );
    assert.deepEqual(other.handled, []);
    await leader.close();
    await branch(other, 'e');
    await untilHandled(other.handled, 1);
    assert.deepEqual(other.handled, ['refs/heads/e']);
  });
});
