import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { dialects } from '../../../test/support/databases.ts';
import { seedPerson, seedProject } from '../../../test/support/seed.ts';
import { type Reply, startService, type TestService } from '../../../test/support/service.ts';

const BASIC_KEYS = 'avatar_url id locked name public_email state username web_url'.split(' ');
const NOT_FOUND = { message: '404 User Not Found' };

for (const kind of dialects) {
  describe(`seeing users on ${kind}`, () => {
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
  });
}
