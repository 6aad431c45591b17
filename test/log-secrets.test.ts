import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { openTestGit } from '../src/git/testing.ts';
import { PROCESS_TOKEN, startProcess } from './support/process.ts';

const PASSWORD = 'a-password-of-nobody-else';
const WRONG = 'glpat-a-wrong-token-of-tests';

describe('what the service prints', () => {
  it('holds a line for each request, and no secret, whichever way it came', async (test) => {
    const dataDir = await mkdtemp(join(tmpdir(), 'ingot-log-'));
    const work = await openTestGit();
    const service = await startProcess({ dataDir, env: { INGOT_LOG_LEVEL: 'trace' } });
    test.after(async () => {
      await service.kill();
      await work[Symbol.asyncDispose]();
      await rm(dataDir, { recursive: true, force: true });
    });
    const { body: project } = await service.api('POST', '/projects', {
      name: 'p',
      initialize_with_readme: true,
    });
    const asked = { email: 'a@x.test', username: 'ann', name: 'Ann', password: PASSWORD };
    await service.api('POST', '/users', asked);
    await service.api('POST', '/users', asked); // refused: taken
    const wish = { name: 't', scopes: ['api'] };
    const { body: made } = await service.api('POST', '/users/2/personal_access_tokens', wish);
    const call = (path: string, headers: Record<string, string>, method = 'GET', body?: string) =>
      fetch(`${service.url}${path}`, { method, headers, ...(body && { body }) }).then((reply) =>
        reply.text(),
      );
    for (const token of [PROCESS_TOKEN, WRONG, made.token]) {
      await call('/api/v4/user', { 'private-token': token });
      await call('/api/v4/user', { authorization: `Bearer ${token}` });
      await call('/api/v4/user', { 'job-token': token });
      for (const name of ['private_token', 'access_token', 'bearer_token', 'job_token', 'token']) {
        await call(`/api/v4/user?${name}=${token}`, {});
        await call(`/api/v4/nothing?${name}=${token}`, {});
        await call(`/nothing?${name}=${token}`, {});
        const form = { 'content-type': 'application/x-www-form-urlencoded' };
        await call('/api/v4/projects', form, 'POST', `name=q&${name}=${token}`);
        await call(
          '/api/v4/projects',
          { 'content-type': 'application/json' },
          'POST',
          `{"${name}": "${token}`,
        );
      }
      const tree = await work.workTree();
      const address = `${service.url.replace('://', `://x:${token}@`)}/${project.path_with_namespace}.git`;
      await tree.save({ file: token });
      await tree.git('push', address, 'HEAD:refs/heads/new').catch((error: Error) => error);
    }
    const printed = service.output();
    for (const secret of [PROCESS_TOKEN, WRONG, made.token, PASSWORD]) {
      assert.equal(printed.includes(secret), false, 'a secret was printed');
    }
    const lines = printed.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []));
    const requests = lines.filter(({ msg }) => msg === 'request');
    assert.ok(requests.length > 60);
    for (const { id, method, route, status, ms } of requests) {
      assert.match(id, /^[0-9A-Z]{26}$/);
      assert.deepEqual(
        [typeof method, typeof route, typeof status, typeof ms],
        ['string', 'string', 'number', 'number'],
      );
    }
    assert.ok(requests.some(({ user, route }) => user === 'ann' && route === '/api/v4/user'));
  });
});
