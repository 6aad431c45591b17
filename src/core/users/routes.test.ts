import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { dialects } from '../../../test/support/databases.ts';
import { seedProject, seedUser } from '../../../test/support/seed.ts';
import { type Reply, startService, type TestService } from '../../../test/support/service.ts';

const BASIC_KEYS = 'avatar_url id locked name public_email state username web_url'.split(' ');
const NOT_FOUND = { message: '404 User Not Found' };

for (const kind of dialects) {
  describe(`users on ${kind}`, () => {
    let service: TestService;
    let ada: { id: number; token: string };
    let bob: { id: number; token: string };

    before(async () => {
      service = await startService({ kind });
      ada = await person('ada');
      bob = await person('bob');
    });
    after(() => service.close());

    async function person(username: string) {
      const { user, token } = await seedUser(service.core, username);
      return { id: user.id, token };
    }

    const make = (body: Record<string, unknown>): Promise<Reply> =>
      service.api('POST', '/users', { body: { name: 'Somebody', force_random_password: true, ...body } });
    const made = async (username: string, more: Record<string, unknown> = {}): Promise<number> =>
      (await make({ username, email: `${username}@example.org`, ...more })).body.id;
    const usernames = (reply: Reply): string[] => reply.body.map((row: { username: string }) => row.username);
    const list = (query: Record<string, unknown>, token = service.rootToken) =>
      service.api('GET', '/users', { token, query: { per_page: 100, ...query } });

    describe('looking', () => {
      it('shows oneself with what clients read at their start', async () => {
        const own = (await service.api('GET', '/user', { token: ada.token })).body;
        assert.equal(own.username, 'ada');
        assert.equal(own.email, 'ada@example.com');
        assert.equal(own.can_create_project, true);
        assert.equal('is_admin' in own, false);
        assert.equal(own.avatar_url, `${service.baseUrl}/uploads/-/system/user/avatar/${ada.id}/avatar.svg`);
        const root = (await service.api('GET', '/user')).body;
        assert.deepEqual(
          [root.id, root.username, root.name, root.is_admin],
          [1, 'root', 'Administrator', true],
        );
      });

      it('shows others as far as the caller may see them', async () => {
        const id = await made('private-person', { private_profile: true, note: 'secret', bio: 'Hello' });
        const asAda = (await service.api('GET', `/users/${id}`, { token: ada.token })).body;
        assert.deepEqual(Object.keys(asAda).sort(), BASIC_KEYS);
        const asRoot = (await service.api('GET', `/users/${id}`)).body;
        assert.deepEqual([asRoot.note, asRoot.bio], ['secret', 'Hello']);
        const bobAsAda = (await service.api('GET', `/users/${bob.id}`, { token: ada.token })).body;
        assert.equal(bobAsAda.bio, '');
        assert.equal('email' in bobAsAda || 'note' in bobAsAda, false);
      });

      it('answers for nobody and nonsense', async () => {
        const nobody = await service.api('GET', '/users/99999', { token: ada.token });
        assert.deepEqual([nobody.status, nobody.body], [404, NOT_FOUND]);
        const nonsense = await service.api('GET', '/users/ada', { token: ada.token });
        assert.deepEqual([nonsense.status, nonsense.body], [400, { error: 'id is invalid' }]);
      });

      it('answers an empty status, by id and by name', async () => {
        const empty = {
          emoji: null,
          message: null,
          message_html: '',
          availability: null,
          clear_status_at: null,
        };
        for (const path of ['/user/status', `/users/${ada.id}/status`, '/users/ADA/status']) {
          assert.deepEqual((await service.api('GET', path)).body, empty);
        }
        assert.equal((await service.api('GET', '/users/nobody/status')).status, 404);
      });

      it('draws a picture for everybody, without a token', async () => {
        const get = (path: string) =>
          service.service.server.inject({ url: `/uploads/-/system/user/avatar/${path}` });
        const picture = await get(`${ada.id}/avatar.svg`);
        assert.equal(picture.statusCode, 200);
        assert.equal(picture.headers['content-type'], 'image/svg+xml');
        assert.equal(picture.headers['content-security-policy'], "default-src 'none'; sandbox");
        assert.equal(picture.headers['x-content-type-options'], 'nosniff');
        assert.match(picture.payload, /^<svg [^>]*>.*<\/svg>$/);
        assert.notEqual(picture.payload, (await get(`${bob.id}/avatar.svg`)).payload);
        assert.equal((await get('0/avatar.svg')).statusCode, 200, 'the ghost has a face');
        for (const path of ['99999/avatar.svg', 'x/avatar.svg', '99999999999999999999/avatar.svg']) {
          assert.equal((await get(path)).statusCode, 404);
        }
      });
    });

    describe('listing', () => {
      before(async () => {
        await made('lister-ext', { external: true, name: 'Élodie Tester' });
        await made('lister-adm', { admin: true, name: 'Zoe 100%' });
        const blocked = await made('lister-blk', { name: 'Abe' });
        await service.api('POST', `/users/${blocked}/block`);
        await service.core.db
          .updateTable('users')
          .set({ bot: 1 })
          .where('username', '=', 'lister-ext')
          .execute();
      });

      it('filters', async () => {
        const all = ['lister-adm', 'lister-blk', 'lister-ext'];
        const cases: [Record<string, unknown>, string[]][] = [
          [{}, all],
          [{ external: true }, ['lister-ext']],
          [{ exclude_external: true }, ['lister-adm', 'lister-blk']],
          [{ admins: true }, ['lister-adm']],
          [{ blocked: true }, ['lister-blk']],
          [{ active: true }, ['lister-adm', 'lister-ext']],
          [{ exclude_active: true }, ['lister-blk']],
          [{ humans: true }, ['lister-adm', 'lister-blk']],
          [{ without_project_bots: true }, ['lister-adm', 'lister-blk']],
          [{ exclude_humans: true }, ['lister-ext']],
          [{ username: 'LISTER-EXT' }, ['lister-ext']],
          [{ username: 'lister' }, []],
          [{ search: 'lister' }, all],
          [{ search: 'zOE' }, ['lister-adm']],
          [{ search: 'Élo' }, ['lister-ext']],
          [{ search: '0%' }, ['lister-adm']],
          [{ search: 'r_a' }, []],
          [{ search: 'lister-adm@example.org' }, ['lister-adm']],
          [{ search: 'lister-adm@' }, []],
          [{ created_after: '2001-01-01' }, all],
          [{ created_before: '2001-01-01' }, []],
        ];
        for (const [query, expected] of cases) {
          const found = usernames(await list(query)).filter((name) => name.startsWith('lister'));
          assert.deepEqual(found.sort(), expected, JSON.stringify(query));
        }
      });

      it('hides blocked users, mail addresses and details from everybody but administrators', async () => {
        const reply = await list({ search: 'lister' }, ada.token);
        assert.deepEqual(usernames(reply).sort(), ['lister-adm', 'lister-ext']);
        assert.deepEqual(Object.keys(reply.body[0]).sort(), BASIC_KEYS);
        assert.deepEqual(usernames(await list({ search: 'lister-adm@example.org' }, ada.token)), []);
        assert.equal((await list({ search: 'root' })).body[0].is_admin, true);
      });

      it('leaves out those who have projects when asked', async () => {
        await seedProject(service.core, 'own', { ownerId: bob.id });
        const found = usernames(await list({ without_projects: true }));
        assert.equal(found.includes('bob'), false);
        assert.equal(found.includes('ada'), true);
      });

      it('orders by each column, newest id first by default', async () => {
        const ids = (await list({})).body.map((row: { id: number }) => row.id);
        assert.deepEqual(
          ids,
          ids.toSorted((a: number, b: number) => b - a),
        );
        for (const order_by of ['name', 'username', 'created_at', 'updated_at']) {
          const up = usernames(await list({ order_by, sort: 'asc' }));
          const down = usernames(await list({ order_by, sort: 'desc' }));
          assert.deepEqual(up, down.toReversed(), order_by);
        }
        assert.deepEqual((await list({ order_by: 'email' })).body, {
          error: 'order_by does not have a valid value',
        });
      });

      it('pages by number with totals, and no deeper than GitLab', async () => {
        const total = (await list({})).body.length;
        const page = await list({ per_page: 2, page: 2 });
        assert.equal(page.body.length, 2);
        assert.equal(page.headers['x-total'], String(total));
        assert.deepEqual((await list({ page: 9000 })).body, {
          error:
            'Offset pagination has a maximum allowed offset of 50000 for requests that return objects of type User. Remaining records can be retrieved using keyset pagination.',
        });
      });

      it('pages by position through every order, meeting each user once', async () => {
        for (const order_by of ['id', 'name', 'created_at']) {
          const whole = usernames(await list({ order_by, sort: 'asc' }));
          const met: string[] = [];
          const keyset = { pagination: 'keyset', order_by, sort: 'asc', per_page: 3 };
          let next: string | undefined = `/users?${new URLSearchParams(keyset as never)}`;
          while (next !== undefined) {
            const reply = await service.api('GET', next);
            assert.equal(reply.headers['x-total'], undefined);
            met.push(...usernames(reply));
            next = /<[^>]*\/api\/v4([^>]+)>; rel="next"/.exec(reply.headers['link'] ?? '')?.[1];
          }
          assert.deepEqual(met, whole, order_by);
        }
      });

      it('refuses cursors that nobody was given', async () => {
        const cursor = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
        const bad = [
          'x',
          cursor([]),
          cursor({ value: 'a', id: 1 }),
          cursor({ value: 1, id: 1.5 }),
          cursor(1),
        ];
        for (const each of bad) {
          const reply = await list({ pagination: 'keyset', cursor: each });
          assert.deepEqual([reply.status, reply.body], [400, { error: 'cursor is invalid' }]);
        }
        const named = { pagination: 'keyset', order_by: 'name', cursor: cursor({ value: 'a\0', id: 1 }) };
        assert.equal((await list(named)).status, 400);
      });
    });

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

    describe('changing', () => {
      it('changes what is given and leaves the rest', async () => {
        const id = await made('changing', { bio: 'before', location: 'here' });
        const reply = await service.api('PUT', `/users/${id}`, {
          body: { bio: '', organization: 'Org', admin: true, note: 'n', email: 'moved@example.org' },
        });
        assert.equal(reply.status, 200);
        const { bio, location, organization, is_admin, note, email, username, name } = reply.body;
        assert.deepEqual(
          { bio, location, organization, is_admin, note, email, username, name },
          {
            bio: '',
            location: 'here',
            organization: 'Org',
            is_admin: true,
            note: 'n',
            email: 'moved@example.org',
            username: 'changing',
            name: 'Somebody',
          },
        );
        const nobody = await service.api('PUT', '/users/99999', { body: { bio: 'x' } });
        assert.deepEqual([nobody.status, nobody.body], [404, NOT_FOUND]);
      });

      it('lets a public address be only the own one, and takes it away with that', async () => {
        const id = await made('publicly', { public_email: 'publicly@example.org' });
        const path = `/users/${id}`;
        assert.equal((await service.api('GET', path)).body.public_email, 'publicly@example.org');
        assert.equal(
          (await service.api('PUT', path, { body: { bio: 'x' } })).body.public_email,
          'publicly@example.org',
        );
        const moved = await service.api('PUT', path, { body: { email: 'elsewhere@example.org' } });
        assert.equal(moved.body.public_email, null);
        const shown = { public_email: 'elsewhere@example.org' };
        assert.equal(
          (await service.api('PUT', path, { body: shown })).body.public_email,
          'elsewhere@example.org',
        );
        assert.equal(
          (await service.api('PUT', path, { body: { public_email: '' } })).body.public_email,
          null,
        );
      });

      it('carries the projects along when a user is renamed, and leaves a way from the old path', async () => {
        const id = await made('old-name', { name: 'Old' });
        const project = await seedProject(service.core, 'tool', { ownerId: id });
        const reply = await service.api('PUT', `/users/${id}`, {
          body: { username: 'new-name', name: 'New' },
        });
        assert.equal(reply.body.username, 'new-name');
        const moved = await service.core.db
          .selectFrom('projects')
          .select(['full_path', 'name_with_namespace'])
          .where('id', '=', project.id)
          .executeTakeFirstOrThrow();
        assert.equal(moved.full_path, 'new-name/tool');
        const redirect = await service.core.db
          .selectFrom('project_redirects')
          .selectAll()
          .where('path', '=', 'old-name/tool')
          .executeTakeFirst();
        assert.equal(redirect?.project_id, project.id);
        assert.ok(await made('old-name', { email: 'another@example.org' }), 'the old name is free again');
      });
    });

    describe('deleting', () => {
      it('takes tokens, namespace and personal projects along', async () => {
        const { user, token } = await seedUser(service.core, 'leaving');
        const project = await seedProject(service.core, 'mine', { ownerId: user.id });
        const reply = await service.api('DELETE', `/users/${user.id}`);
        assert.equal(reply.status, 204);
        assert.equal((await service.api('GET', '/user', { token })).status, 401);
        assert.equal((await service.api('GET', `/users/${user.id}`)).status, 404);
        const { db } = service.core;
        const left = await db.selectFrom('projects').select('id').where('id', '=', project.id).execute();
        assert.deepEqual(left, []);
        assert.deepEqual((await service.api('DELETE', `/users/${user.id}`)).body, NOT_FOUND);
        assert.ok(await made('leaving'), 'the name is free again');
      });

      it('keeps projects that he made elsewhere', async () => {
        const { user } = await seedUser(service.core, 'maker');
        const project = await seedProject(service.core, 'kept');
        const { db } = service.core;
        await db.updateTable('projects').set({ creator_id: user.id }).where('id', '=', project.id).execute();
        await service.api('DELETE', `/users/${user.id}`);
        const row = await db
          .selectFrom('projects')
          .select('creator_id')
          .where('id', '=', project.id)
          .execute();
        assert.deepEqual(row, [{ creator_id: null }]);
      });

      it('does not leave a group without an owner, unless told to', async () => {
        const { user, token } = await seedUser(service.core, 'owner');
        const body = { name: 'Solo', path: 'solo' };
        const group = await service.api('POST', '/groups', { token, body });
        const refused = await service.api('DELETE', `/users/${user.id}`);
        const message = 'User cannot be removed while is the sole-owner of a group';
        assert.deepEqual([refused.status, refused.body], [409, { message }]);
        await service.core.db
          .insertInto('members')
          .values({
            user_id: ada.id,
            namespace_id: group.body.id,
            project_id: null,
            access_level: 50,
            expires_at: null,
            requested_at: null,
            created_by_id: null,
            created_at: 1,
          })
          .execute();
        assert.equal((await service.api('DELETE', `/users/${user.id}`)).status, 204);
        assert.equal((await service.api('GET', `/groups/${group.body.id}`)).status, 200);
        const hard = await service.api('DELETE', `/users/${ada.id}`, { query: { hard_delete: true } });
        assert.equal(hard.status, 204);
        assert.equal((await service.api('GET', `/groups/${group.body.id}`)).status, 404);
      });
    });

    describe('blocking', () => {
      it('refuses the calls of a blocked user until he is unblocked', async () => {
        const { user, token } = await seedUser(service.core, 'blockable');
        const act = (action: string) => service.api('POST', `/users/${user.id}/${action}`);
        const status = async () => (await service.api('GET', '/user', { token })).status;
        assert.equal(await status(), 200);
        for (const [off, on] of [
          ['block', 'unblock'],
          ['ban', 'unban'],
        ] as const) {
          const reply = await act(off);
          assert.deepEqual([reply.status, reply.body], [201, true]);
          assert.equal(await status(), 403);
          assert.equal((await act(on)).body, true);
          assert.equal(await status(), 200);
        }
        assert.deepEqual((await service.api('POST', '/users/99999/block')).body, NOT_FOUND);
      });
    });
  });
}
