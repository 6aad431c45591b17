import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { dialects } from '../../../test/support/databases.ts';
import { seedUser } from '../../../test/support/seed.ts';
import { startService, type TestService } from '../../../test/support/service.ts';
import { protectionDefaults } from './branch-protection.ts';
import { registry, settingNames } from './registry.ts';
import { Settings } from './settings.ts';

const PATH = '/application/settings';

for (const kind of dialects) {
  describe(`application settings on ${kind}`, () => {
    let service: TestService;
    let ada: string;

    before(async () => {
      service = await startService({ kind });
      ada = (await seedUser(service.core, 'ada')).token;
    });
    after(() => service.close());

    const put = (body: Record<string, unknown>) => service.api('PUT', PATH, { body });

    it('begins with the defaults', async () => {
      const { status, body } = await service.api('GET', PATH);
      assert.equal(status, 200);
      for (const name of settingNames) assert.deepEqual(body[name], registry[name].default, name);
      assert.equal(body.updated_at, null);
    });

    it('is for administrators', async () => {
      for (const method of ['GET', 'PUT']) {
        const reply = await service.api(method, PATH, { token: ada });
        assert.deepEqual([reply.status, reply.body], [403, { message: '403 Forbidden' }]);
      }
    });

    it('keeps what is set and says when', async () => {
      const changes = {
        default_project_visibility: 'internal',
        default_branch_name: 'trunk',
        default_projects_limit: 30,
        can_create_group: false,
        receive_max_input_size: 50,
        default_branch_protection: 1,
      };
      const { body } = await put(changes);
      const shown = (await service.api('GET', PATH)).body;
      for (const [name, value] of Object.entries(changes)) {
        assert.equal(body[name], value, name);
        assert.equal(shown[name], value, name);
      }
      assert.equal(typeof shown.updated_at, 'string');
      assert.deepEqual(shown.default_branch_protection_defaults, protectionDefaults(1));
    });

    it('clears what may be empty and leaves the rest alone', async () => {
      await put({ default_branch_name: 'trunk', receive_max_input_size: 1, default_projects_limit: 7 });
      const { body } = await put({
        default_branch_name: null,
        receive_max_input_size: null,
        default_projects_limit: null,
      });
      assert.deepEqual(
        [body.default_branch_name, body.receive_max_input_size, body.default_projects_limit],
        [null, null, 7],
      );
    });

    it('ignores names that it does not know, and those that only tell what is not there', async () => {
      const { status, body } = await put({ signup_enabled: true, no_such_setting: 1, id: 9 });
      assert.equal(status, 200);
      assert.deepEqual([body.signup_enabled, body.id, 'no_such_setting' in body], [false, 1, false]);
    });

    it('refuses what is out of bounds and keeps nothing of that call', async () => {
      const cases: [Record<string, unknown>, unknown][] = [
        [
          { default_projects_limit: -1 },
          { message: { default_projects_limit: ['must be greater than or equal to 0'] } },
        ],
        [
          { default_projects_limit: 2 ** 31 },
          { message: { default_projects_limit: ['must be less than or equal to 2147483647'] } },
        ],
        [
          { receive_max_input_size: 0 },
          { message: { receive_max_input_size: ['must be greater than or equal to 1'] } },
        ],
        [
          { default_branch_protection: 5 },
          { message: { default_branch_protection: ['is not included in the list'] } },
        ],
        [
          { default_project_visibility: 'secret' },
          { error: 'default_project_visibility does not have a valid value' },
        ],
        [{ default_projects_limit: 'many' }, { error: 'default_projects_limit is invalid' }],
        [{ can_create_group: 'perhaps' }, { error: 'can_create_group is invalid' }],
      ];
      for (const name of [
        '-x',
        'a b',
        'a..b',
        '/a',
        'a/',
        'a.lock',
        'a~1',
        'a:b',
        '@',
        'a@{1}',
        'a\\b',
        '.a',
        'a//b',
      ]) {
        cases.push([
          { default_branch_name: name },
          { message: { default_branch_name: ['is not a valid Git branch name'] } },
        ]);
      }
      const before = (await service.api('GET', PATH)).body;
      for (const [body, expected] of cases) {
        const reply = await put({ default_projects_limit: 1, ...body });
        assert.deepEqual([reply.status, reply.body], [400, expected]);
      }
      assert.deepEqual((await service.api('GET', PATH)).body, before);
    });

    it('takes branch names that are good', async () => {
      for (const name of ['main', 'release/1.x', 'élan', 'a-b_c', '']) {
        assert.equal((await put({ default_branch_name: name })).body.default_branch_name, name);
      }
    });

    it('shows a change of another process soon, one of its own at once', async () => {
      const here = new Settings(service.core);
      const there = new Settings(service.core);
      await here.current();
      await there.update({ default_projects_limit: 9 }, 1);
      assert.equal(await there.get('default_projects_limit'), 9);
      while ((await here.get('default_projects_limit')) !== 9)
        await new Promise((done) => setTimeout(done, 50));
      const first = await here.current();
      assert.equal(await here.current(), first, 'and asks the database no more for a while');
    });
  });
}
