import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { PROCESS_TOKEN, type ServiceProcess, startProcess } from './support/process.ts';

const MB = 1024 * 1024;

async function serve(test: TestContext, env: Record<string, string> = {}): Promise<ServiceProcess> {
  const dataDir = await mkdtemp(join(tmpdir(), 'ingot-stop-'));
  const service = await startProcess({ dataDir, env });
  test.after(async () => {
    await service.kill();
    await rm(dataDir, { recursive: true, force: true });
  });
  return service;
}

/** A POST whose body is held back after its first byte; `finish` sends the rest, on a connection that is kept alive. */
async function beginPost({ url }: ServiceProcess, path: string, body: string) {
  const call = request(`${url}/api/v4${path}`, {
    method: 'POST',
    agent: new Agent({ keepAlive: true }),
    headers: {
      'private-token': PROCESS_TOKEN,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    },
  });
  const answered = once(call, 'response').then(([response]) => response as IncomingMessage);
  answered.catch(() => {}); // a test that cuts it off looks at the error itself
  call.on('error', () => {});
  call.write(body.slice(0, 1));
  await untilServed(url, 1);
  const finish = async () => {
    call.end(body.slice(1));
    return answered;
  };
  return { call, answered, finish };
}

/** Until the service has read the head of that many requests beside this one. */
async function untilServed(url: string, count: number): Promise<void> {
  for (let tries = 0; tries < count * 3; tries++) await fetch(`${url}/-/liveness`);
}

/** The pack of a whole repository, begun and not read on. */
async function beginClone({ url }: ServiceProcess, path: string, commit: string): Promise<IncomingMessage> {
  const line = `want ${commit} no-progress\n`;
  const body = `${(line.length + 4).toString(16).padStart(4, '0')}${line}00000009done\n`;
  const call = request(`${url}/${path}.git/git-upload-pack`, {
    method: 'POST',
    auth: `x:${PROCESS_TOKEN}`,
    headers: { 'content-type': 'application/x-git-upload-pack-request' },
  });
  call.end(body);
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  response.pause();
  return response;
}

async function sizeOf(response: IncomingMessage): Promise<number> {
  let size = 0;
  for await (const chunk of response) size += (chunk as Buffer).length;
  return size;
}

async function untilClosed(url: string): Promise<void> {
  for (;;) {
    try {
      await fetch(`${url}/-/liveness`);
    } catch {
      return; // refused: nobody listens any more
    }
  }
}

describe('SIGTERM', () => {
  it('lets a write and a slow clone come to their end, takes nothing new, and ends with 0', async (test) => {
    const service = await serve(test);
    const { body: project } = await service.api('POST', '/projects', {
      name: 'p',
      initialize_with_readme: true,
    });
    const { body: commit } = await service.api('POST', `/projects/${project.id}/repository/commits`, {
      branch: 'main',
      commit_message: 'large',
      actions: [
        {
          action: 'create',
          file_path: 'large',
          encoding: 'base64',
          content: randomBytes(16 * MB).toString('base64'),
        },
      ],
    });
    const clone = await beginClone(service, project.path_with_namespace, commit.id);
    const post = await beginPost(service, '/projects', JSON.stringify({ name: 'late' }));
    service.child.kill('SIGTERM');
    await untilClosed(service.url);
    assert.equal(service.child.exitCode, null);
    const answer = await post.finish();
    assert.equal(answer.statusCode, 201);
    answer.resume();
    assert.ok((await sizeOf(clone)) > 16 * MB);
    assert.ok(clone.complete);
    assert.equal(await service.ended(), 0);
  });

  it('cuts off what takes longer than INGOT_DRAIN_SECONDS, and ends with 0', async (test) => {
    const service = await serve(test, { INGOT_DRAIN_SECONDS: '1', INGOT_LOG_LEVEL: 'warn' });
    const post = await beginPost(service, '/projects', JSON.stringify({ name: 'never' }));
    service.child.kill('SIGTERM');
    assert.equal(await service.ended(), 0);
    await assert.rejects(post.answered);
    assert.match(service.output(), /still under way/);
  });

  it('given twice ends at once', async (test) => {
    const service = await serve(test, { INGOT_DRAIN_SECONDS: '9999' });
    await beginPost(service, '/projects', JSON.stringify({ name: 'never' }));
    service.child.kill('SIGTERM');
    await untilClosed(service.url);
    service.child.kill('SIGTERM');
    assert.equal(await service.ended(), 130);
  });
});
