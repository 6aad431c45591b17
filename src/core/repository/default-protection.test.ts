import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { seedUser } from '../../../test/support/seed.ts';
import { startService, type TestService } from '../../../test/support/service.ts';

const DEVELOPER = 30;

describe('default_branch_protection', () => {
  let service: TestService;
  let developer: { id: number; token: string };

  before(async () => {
    service = await startService();
    const { user, token } = await seedUser(service.core, 'dora');
    developer = { id: user.id, token };
  });
  after(() => service.close());

  const set = (level: number) =>
    service.api('PUT', '/application/settings', { body: { default_branch_protection: level } });

  async function project(name: string, options: object = {}): Promise<string> {
    const { body } = await service.api('POST', '/projects', { body: { name, ...options } });
    const member = { user_id: developer.id, access_level: DEVELOPER };
    await service.api('POST', `/projects/${body.id}/members`, { body: member });
    return `/projects/${body.id}`;
  }

  const levels = async (path: string) => {
    const { body } = await service.api('GET', `${path}/protected_branches`);
    return body.map((rule: Record<string, { access_level: number }[]>) => [
      rule['push_access_levels']?.[0]?.access_level,
      rule['merge_access_levels']?.[0]?.access_level,
    ]);
  };

  const commitAsDeveloper = async (path: string) => {
    const file = { branch: 'main', content: 'x', commit_message: 'm' };
    const reply = await service.api('POST', `${path}/repository/files/f`, {
      token: developer.token,
      body: file,
    });
    return reply.status === 201;
  };

  for (const [level, rules, mayBegin, mayGoOn] of [
    [0, [], true, true],
    [1, [[30, 30]], true, true],
    [2, [[40, 40]], false, false],
    [3, [[40, 30]], false, false],
    [4, [[40, 40]], true, false],
  ] as const) {
    it(`of ${level} protects the first branch of a new project accordingly`, async () => {
      await set(level);
      const filled = await project(`filled-${level}`, { initialize_with_readme: true });
      assert.deepEqual(await levels(filled), rules);
      assert.equal(await commitAsDeveloper(filled), mayGoOn);
      assert.equal(await commitAsDeveloper(await project(`empty-${level}`)), mayBegin);
    });

    it(`of ${level} protects the default branch of a fork alike`, async () => {
      await set(level);
      const source = await project(`source-${level}`, { initialize_with_readme: true });
      const fork = { name: `fork-${level}`, path: `fork-${level}` };
      const { body } = await service.api('POST', `${source}/fork`, { body: fork });
      assert.deepEqual(await levels(`/projects/${body.id}`), rules);
    });
  }
});
