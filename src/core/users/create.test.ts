import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { dialects } from '../../../test/support/databases.ts';
import { seedPerson } from '../../../test/support/seed.ts';
import { type Reply, startService, type TestService } from '../../../test/support/service.ts';

for (const kind of dialects) {
  describe(`making users on ${kind}`, () => {
    let service: TestService;
    let ada: { id: number; token: string };
    let bob: { id: number; token: string };

    before(async () => {
      service = await startService({ kind });
      ada = await seedPerson(service.core, 'ada');
      bob = await seedPerson(service.core, 'bob');
    });
    after(() => service.close());

    const make = (body: Record<string, unknown>): Promise<Reply> =>
      service.api('POST', '/users', { body: { name: 'Somebody', force_random_password: true, ...body } });
    const list = (query: Record<string, unknown>, token = service.rootToken) =>
      service.api('GET', '/users', { token, query: { per_page: 100, ...query } });

    describe('making', () => {
      it('is for administrators, before anything else is looked at', async () => {
        for (const [method, path] of [
          ['POST', '/users'],
          ['PUT', `/users/${bob.id}`],
          ['DELETE', `/users/${bob.id}`],
          ['POST', `/users/${bob.id}/block`],
        ] as const) {
          const reply = await service.api(method, path, { token: ada.token });
          assert.deepEqual([reply.status, reply.body], [403, { message: '403 Forbidden' }]);
        }
      });

      it('makes a user with a namespace of his own', async () => {
        const reply = await make({
          username: 'Grace.H',
          email: 'Grace@example.org',
          name: 'Grace Hopper',
          bio: 'Admiral',
          organization: 'Navy',
          job_title: 'Admiral',
          projects_limit: 0,
          can_create_group: false,
        });
        assert.equal(reply.status, 201);
        const { body } = reply;
        assert.deepEqual([body.username, body.email, body.state], ['Grace.H', 'Grace@example.org', 'active']);
        assert.equal(body.work_information, 'Admiral at Navy');
        assert.deepEqual([body.can_create_group, body.can_create_project], [false, false]);
        const home = await service.core.db
          .selectFrom('namespaces')
          .selectAll()
          .where('id', '=', body.namespace_id)
          .executeTakeFirstOrThrow();
        assert.deepEqual(
          [home.kind, home.owner_id, home.full_path, home.full_name, home.traversal],
          ['user', body.id, 'Grace.H', 'Grace Hopper', `/${home.id}/`],
        );
      });

      it('names what is missing', async () => {
        assert.deepEqual((await service.api('POST', '/users', { body: {} })).body, {
          error:
            'email is missing, name is missing, username is missing, password, reset_password, force_random_password are missing, at least one parameter must be provided',
        });
      });

      it('answers 409 for what is taken, in any case, by users and groups', async () => {
        await service.core.db
          .insertInto('namespaces')
          .values({
            kind: 'group',
            parent_id: null,
            owner_id: null,
            name: 'Crew',
            path: 'crew',
            full_path: 'crew',
            full_name: 'Crew',
            traversal: '/x/',
            created_at: 1,
            updated_at: 1,
          })
          .execute();
        const cases: [Record<string, unknown>, string][] = [
          [{ username: 'new', email: 'ADA@example.com' }, 'Email has already been taken'],
          [{ username: 'ADA', email: 'new@example.com' }, 'Username has already been taken'],
          [{ username: 'Crew', email: 'new@example.com' }, 'Username has already been taken'],
        ];
        for (const [body, message] of cases) {
          const reply = await make(body);
          assert.deepEqual([reply.status, reply.body], [409, { message }]);
          const change = await service.api('PUT', `/users/${bob.id}`, { body });
          assert.deepEqual([change.status, change.body], [409, { message }]);
        }
        assert.equal((await list({ username: 'new' })).body.length, 0, 'nothing is left of the attempts');
      });

      it('refuses what cannot be, field by field', async () => {
        const format =
          "can only include non-accented letters, digits, '_', '-' and '.'. It must not start with '-', '_', or '.', nor end with '-', '_', '.', '.git', or '.atom'.";
        const cases: [Record<string, unknown>, Record<string, string[]>][] = [
          [{ username: 'a b' }, { username: [format] }],
          [{ username: '../etc' }, { username: [format] }],
          [{ username: '-x' }, { username: [format] }],
          [{ username: 'x.git' }, { username: [format] }],
          [{ username: 'x/y' }, { username: [format] }],
          [{ username: 'exté' }, { username: [format] }],
          [{ username: '' }, { username: ["can't be blank"] }],
          [{ username: 'x'.repeat(256) }, { username: ['is too long (maximum is 255 characters)'] }],
          [{ username: 'Admin' }, { username: ['Admin is a reserved name'] }],
          [{ username: 'api' }, { username: ['api is a reserved name'] }],
          [{ username: 'uploads' }, { username: ['uploads is a reserved name'] }],
          [{ username: 'ghost' }, { username: ['ghost is a reserved name'] }],
          [{ email: 'nonsense' }, { email: ['is invalid'] }],
          [{ email: 'a@b\r\nBcc: c@d' }, { email: ['is invalid'] }],
          [{ email: '<a@b>' }, { email: ['is invalid'] }],
          [{ name: '  ' }, { name: ["can't be blank"] }],
          [{ password: 'short' }, { password: ['is too short (minimum is 8 characters)'] }],
          [{ projects_limit: -1 }, { projects_limit: ['must be greater than or equal to 0'] }],
          [{ bio: 'x'.repeat(256) }, { bio: ['is too long (maximum is 255 characters)'] }],
          [{ public_email: 'other@example.org' }, { public_email: ['is not an email you own'] }],
          [
            { name: '', password: 'x', bio: 'x'.repeat(256) },
            {
              name: ["can't be blank"],
              password: ['is too short (minimum is 8 characters)'],
              bio: ['is too long (maximum is 255 characters)'],
            },
          ],
        ];
        for (const [body, message] of cases) {
          const reply = await make({ username: 'fine', email: 'fine@example.org', ...body });
          assert.deepEqual([reply.status, reply.body], [400, { message }], JSON.stringify(body));
        }
        for (const body of [{ username: 'a\0b' }, { projects_limit: 1e300 }, { admin: 'maybe' }]) {
          const reply = await make({ username: 'fine', email: 'fine@example.org', ...body });
          assert.equal(reply.status, 400);
        }
      });

      it('takes defaults from the application settings', async () => {
        const settings = { default_projects_limit: 3, user_default_external: true, can_create_group: false };
        await service.api('PUT', '/application/settings', { body: settings });
        const { body } = await make({ username: 'by-default', email: 'by-default@example.org' });
        assert.deepEqual([body.projects_limit, body.external, body.can_create_group], [3, true, false]);
        const reset = {
          default_projects_limit: 100_000,
          user_default_external: false,
          can_create_group: true,
        };
        await service.api('PUT', '/application/settings', { body: reset });
      });
    });
  });
}
