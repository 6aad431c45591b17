import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { createTestDatabase, dialects } from './support/databases.ts';
import { PROCESS_TOKEN, type ServiceProcess, startProcess } from './support/process.ts';

interface Taken {
  id: number;
  token: string;
  project: number;
}

/** A job as a runner has it, with nothing that executes it. */
async function takeJob(service: ServiceProcess): Promise<Taken> {
  const { body: project } = await service.api('POST', '/projects', { name: 'logs', default_branch: 'main' });
  const { body: runner } = await service.api('POST', '/user/runners', {
    runner_type: 'project_type',
    project_id: project.id,
  });
  const content = 'build:\n  script: ["true"]\n';
  await service.api('POST', `/projects/${project.id}/repository/commits`, {
    branch: 'main',
    commit_message: 'a job',
    actions: [{ action: 'create', file_path: '.gitlab-ci.yml', content }],
  });
  for (;;) {
    const { status, body } = await service.api('POST', '/jobs/request', { token: runner.token, info: {} });
    if (status === 201) return { id: body.id, token: body.token, project: project.id };
    assert.equal(status, 204);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const send = (service: ServiceProcess, { id, token }: Taken, start: number, text: string) =>
  fetch(`${service.url}/api/v4/jobs/${id}/trace`, {
    method: 'PATCH',
    headers: {
      'job-token': token,
      'content-type': 'text/plain',
      'content-range': `${start}-${start + text.length - 1}`,
    },
    body: text,
  });

async function read(service: ServiceProcess, { id, project }: Taken): Promise<string> {
  const reply = await fetch(`${service.url}/api/v4/projects/${project}/jobs/${id}/trace`, {
    headers: { 'private-token': PROCESS_TOKEN },
  });
  assert.equal(reply.status, 200);
  return reply.text();
}

for (const kind of dialects) {
  describe(`SIGKILL while a log is being sent, on ${kind}`, () => {
    it('takes nothing that was acknowledged, and the runner goes on where the log ends', async (test) => {
      const database = await createTestDatabase(kind);
      const dataDir = await mkdtemp(join(tmpdir(), 'ingot-logs-'));
      const open = () => startProcess({ dataDir, databaseUrl: database.url });
      let service = await open();
      test.after(async () => {
        await service.kill();
        await database.drop();
        await rm(dataDir, { recursive: true, force: true });
      });
      const job = await takeJob(service);
      let sent = '';
      let killed: Promise<void> | null = null;
      for (let line = 0; ; line++) {
        const text = `line ${line} ${'x'.repeat(line % 5000)}\n`;
        const status = await send(service, job, sent.length, text).then(
          (reply) => reply.status,
          () => null,
        );
        if (status !== 202) break;
        sent += text;
        if (line === 40) killed = service.kill();
      }
      assert.ok(killed, 'it ended before it was killed');
      await killed;
      service = await open();
      const kept = await read(service, job);
      assert.equal(kept.slice(0, sent.length), sent, 'all that was acknowledged is there');
      const reply = await send(service, job, kept.length + 7, 'beyond');
      assert.equal(reply.status, 416);
      assert.equal(reply.headers.get('range'), `0-${kept.length}`);
      assert.equal((await send(service, job, kept.length, 'the end\n')).status, 202);
      const done = await service.api('PUT', `/jobs/${job.id}`, { token: job.token, state: 'success' });
      assert.equal(done.status, 200);
      assert.equal(await read(service, job), `${kept}the end\n`);
    });
  });
}

describe('two processes on one PostgreSQL and one data folder', () => {
  it('show each other logs as they grow, and take them in turn', async (test) => {
    const database = await createTestDatabase('postgres');
    const dataDir = await mkdtemp(join(tmpdir(), 'ingot-logs-'));
    const [first, second] = (await Promise.all(
      [0, 1].map(() => startProcess({ dataDir, databaseUrl: database.url })),
    )) as [ServiceProcess, ServiceProcess];
    test.after(async () => {
      await Promise.all([first.kill(), second.kill()]);
      await database.drop();
      await rm(dataDir, { recursive: true, force: true });
    });
    const job = await takeJob(first);
    let sent = '';
    for (let line = 0; line < 20; line++) {
      const text = `line ${line}\n`;
      const [to, from] = line % 2 === 0 ? [first, second] : [second, first];
      assert.equal((await send(to, job, sent.length, text)).status, 202);
      sent += text;
      assert.equal(await read(from, job), sent);
    }
    // the same piece to both at once, as when a runner tries again before it has its answer
    const replies = await Promise.all([first, second].map((to) => send(to, job, sent.length, 'twice\n')));
    assert.ok(replies.some(({ status }) => status === 202));
    sent += 'twice\n';
    assert.equal(await read(second, job), sent);
    const following = await fetch(`${second.url}/api/v4/projects/${job.project}/jobs/${job.id}/trace`, {
      headers: {
        'private-token': PROCESS_TOKEN,
        accept: 'text/event-stream',
        'last-event-id': String(sent.length),
      },
    });
    assert.equal((await send(first, job, sent.length, 'last\n')).status, 202);
    await first.api('PUT', `/jobs/${job.id}`, { token: job.token, state: 'success' });
    assert.match(await following.text(), /data: "last\\n"\n\nevent: end/);
    assert.equal(await read(second, job), `${sent}last\n`);
  });
});
