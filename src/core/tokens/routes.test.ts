import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { dialects } from '../../../test/support/databases.ts';
import { seedPerson } from '../../../test/support/seed.ts';
import { type Reply, startService, type TestService } from '../../../test/support/service.ts';

const DAY_MS = 86_400_000;
const UNAUTHORIZED = { message: '401 Unauthorized' };
const TOKEN_KEYS =
  'active created_at description expires_at id last_used_at name revoked scopes user_id'.split(' ');

for (const kind of dialects) {
  describe(`access tokens on ${kind}`, () => {
    let service: TestService;
    let ada: { id: number; token: string };
    let bob: { id: number; token: string };

    before(async () => {
      service = await startService({ kind });
      ada = await seedPerson(service.core, 'ada');
      bob = await seedPerson(service.core, 'bob');
    });
    after(() => service.close());

    const day = (inDays: number) =>
      new Date(service.core.clock.now() + inDays * DAY_MS).toISOString().slice(0, 10);
    const make = (token: string, body: Record<string, unknown>): Promise<Reply> =>
      service.api('POST', '/user/personal_access_tokens', {
        token,
        body: { name: 'made', scopes: ['api'], ...body },
      });
    const names = (reply: Reply): string[] => reply.body.map((row: { name: string }) => row.name);

    it('makes a token for oneself that is shown once and works', async () => {
      const made = await make(ada.token, {
        name: 'ci',
        description: 'for CI',
        scopes: ['read_api', 'read_user'],
      });
      assert.equal(made.status, 201);
      assert.deepEqual(Object.keys(made.body).sort(), [...TOKEN_KEYS, 'token'].sort());
      assert.match(made.body.token, /^glpat-[\w-]{20}$/);
      assert.equal(made.body.expires_at, day(365));
      assert.deepEqual(made.body.scopes, ['read_api', 'read_user']);
      const shown = await service.api('GET', `/personal_access_tokens/${made.body.id}`, { token: ada.token });
      assert.deepEqual(Object.keys(shown.body).sort(), TOKEN_KEYS);
      const self = await service.api('GET', '/personal_access_tokens/self', { token: made.body.token });
      assert.equal(self.body.id, made.body.id);
      const rows = await service.core.db.selectFrom('access_tokens').selectAll().execute();
      assert.equal(JSON.stringify(rows).includes(made.body.token), false, 'only its hash is stored');
    });

    it('makes a token that ends today, which is good for nothing', async () => {
      const made = await make(ada.token, { expires_at: day(0) });
      assert.deepEqual([made.status, made.body.active, made.body.expires_at], [201, false, day(0)]);
      assert.equal((await service.api('GET', '/user', { token: made.body.token })).status, 401);
    });

    it('refuses a token that cannot be, in GitLab’s words', async () => {
      const missing = await service.api('POST', '/user/personal_access_tokens', { token: ada.token });
      assert.deepEqual(missing.body, { error: 'name is missing, scopes is missing' });
      const cases: [Record<string, unknown>, unknown][] = [
        [{ name: ' ' }, { message: { name: ["can't be blank"] } }],
        [{ name: 'x'.repeat(256) }, { message: { name: ['is too long (maximum is 255 characters)'] } }],
        [{ scopes: [] }, { message: { scopes: ["can't be blank"] } }],
        [{ scopes: ['everything'] }, { error: 'scopes does not have a valid value' }],
        [{ scopes: ['sudo'] }, { message: { scopes: ['can only contain available scopes'] } }],
        [{ expires_at: day(-1) }, { message: { expires_at: ["can't be in the past"] } }],
        [{ expires_at: day(366) }, { message: { expires_at: [`must be before ${day(366)}`] } }],
        [{ expires_at: 'soon' }, { error: 'expires_at is invalid' }],
        [{ expires_at: '2031-02-31' }, { error: 'expires_at is invalid' }],
      ];
      for (const [body, expected] of cases) {
        const reply = await make(ada.token, body);
        assert.equal(reply.status, 400);
        assert.deepEqual(reply.body, expected);
      }
      assert.equal((await make(ada.token, { expires_at: day(1) })).body.expires_at, day(1));
      assert.equal((await make(ada.token, { expires_at: day(365) })).body.expires_at, day(365));
    });

    it('makes nothing that reaches further than the token in use', async () => {
      const plain = await make(service.rootToken, { scopes: ['api'] });
      const wider = await make(plain.body.token, { scopes: ['api', 'sudo'] });
      assert.equal(wider.status, 403);
      assert.equal(wider.body.scope, 'sudo');
      assert.equal((await make(plain.body.token, { scopes: ['write_repository', 'read_user'] })).status, 201);
      const rotate = await service.api('POST', '/personal_access_tokens/1/rotate', {
        token: plain.body.token,
      });
      assert.equal(rotate.body.scope, 'sudo admin_mode', 'nor by rotating a wider one');
      const narrow = await make(ada.token, { scopes: ['read_api'] });
      assert.equal((await make(narrow.body.token, { scopes: ['read_api'] })).status, 403);
    });

    it('lists the own tokens, and everybody’s to administrators', async () => {
      const carl = await seedPerson(service.core, 'carl');
      await make(carl.token, { name: 'Zeta 100%', expires_at: day(3) });
      const gone = await make(carl.token, { name: 'alpha' });
      await service.api('DELETE', `/personal_access_tokens/${gone.body.id}`, { token: carl.token });
      const list = (query: Record<string, unknown>, token = carl.token) =>
        service.api('GET', '/personal_access_tokens', { token, query });
      const all = ['test', 'Zeta 100%', 'alpha'];
      const cases: [Record<string, unknown>, string[]][] = [
        [{}, all],
        [{ state: 'active' }, ['test', 'Zeta 100%']],
        [{ state: 'inactive' }, ['alpha']],
        [{ revoked: true }, ['alpha']],
        [{ revoked: false }, ['test', 'Zeta 100%']],
        [{ search: 'ZETA' }, ['Zeta 100%']],
        [{ search: '100%' }, ['Zeta 100%']],
        [{ search: '1_0' }, []],
        [{ expires_before: day(4) }, ['Zeta 100%']],
        [{ expires_after: day(4) }, ['alpha']],
        [{ created_before: '2001-01-01T00:00:00Z' }, []],
        [{ created_after: '2001-01-01T00:00:00Z' }, all],
        [{ sort: 'created_desc' }, ['alpha', 'Zeta 100%', 'test']],
        [{ sort: 'expires_asc' }, ['Zeta 100%', 'alpha', 'test']],
        [{ sort: 'expires_desc' }, ['alpha', 'Zeta 100%', 'test']],
        [{ page: 2, per_page: 2 }, ['alpha']],
        [{ user_id: carl.id }, all],
      ];
      for (const [query, expected] of cases) {
        assert.deepEqual(names(await list(query)), expected, JSON.stringify(query));
      }
      assert.equal((await list({})).headers['x-total'], '3');
      const foreign = await list({ user_id: bob.id });
      assert.equal(foreign.status, 401);
      assert.deepEqual(foreign.body, UNAUTHORIZED);
      assert.deepEqual(names(await list({ user_id: carl.id }, service.rootToken)), all);
      const everybody = await list({ per_page: 100 }, service.rootToken);
      assert.ok(new Set(everybody.body.map((row: { user_id: number }) => row.user_id)).size >= 4);
    });

    it('answers 401 for the tokens of others, 404 to administrators for none', async () => {
      const made = await make(ada.token, {});
      const path = `/personal_access_tokens/${made.body.id}`;
      const calls = [
        ['GET', path],
        ['DELETE', path],
        ['POST', `${path}/rotate`],
        ['GET', '/personal_access_tokens/999999'],
      ] as const;
      for (const [method, url] of calls) {
        const reply = await service.api(method, url, { token: bob.token });
        assert.equal(reply.status, 401, url);
      }
      const none = await service.api('GET', '/personal_access_tokens/999999');
      assert.equal(none.status, 404);
      assert.deepEqual(none.body, { message: '404 Not Found' });
      assert.equal((await service.api('GET', path)).body.user_id, ada.id);
      assert.equal((await service.api('GET', '/personal_access_tokens/abc')).status, 400);
    });

    it('revokes by id and by itself, at once', async () => {
      const one = await make(ada.token, {});
      const other = await make(ada.token, { scopes: ['read_user'] });
      const byId = await service.api('DELETE', `/personal_access_tokens/${one.body.id}`, {
        token: ada.token,
      });
      assert.equal(byId.status, 204);
      const bySelf = await service.api('DELETE', '/personal_access_tokens/self', { token: other.body.token });
      assert.equal(bySelf.status, 204);
      for (const { body } of [one, other]) {
        const reply = await service.api('GET', '/user', { token: body.token });
        assert.equal(reply.body.error, 'invalid_token');
      }
    });

    it('rotates: the old one is revoked, the new one has its name and scopes for a week', async () => {
      const old = await make(ada.token, { name: 'turn', scopes: ['self_rotate', 'read_api'] });
      const path = '/personal_access_tokens/self/rotate';
      const turned = await service.api('POST', path, { token: old.body.token });
      assert.equal(turned.status, 200);
      assert.notEqual(turned.body.token, old.body.token);
      assert.deepEqual(turned.body.scopes, ['self_rotate', 'read_api']);
      assert.equal(turned.body.name, 'turn');
      assert.equal(turned.body.expires_at, day(7));
      const dead = await service.api('POST', path, { token: old.body.token });
      assert.equal(dead.body.error, 'invalid_token');
      const again = await service.api('POST', `/personal_access_tokens/${old.body.id}/rotate`, {
        token: ada.token,
      });
      assert.deepEqual([again.status, again.body], [400, { message: 'token already revoked' }]);
      const late = { token: turned.body.token, body: { expires_at: day(400) } };
      assert.equal((await service.api('POST', path, late)).status, 400);
      assert.equal(
        (await service.api('GET', '/user', { token: turned.body.token })).status,
        200,
        'still alive',
      );
    });

    it('lets exactly one of two rotations at once succeed', async () => {
      const old = await make(ada.token, {});
      const path = `/personal_access_tokens/${old.body.id}/rotate`;
      const replies = await Promise.all([1, 2, 3].map(() => service.api('POST', path, { token: ada.token })));
      assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 400, 400]);
    });

    it('lets administrators make tokens for others, and nobody else', async () => {
      const path = `/users/${ada.id}/personal_access_tokens`;
      const body = { name: 'given', scopes: ['read_user'] };
      const made = await service.api('POST', path, { body });
      assert.equal(made.status, 201);
      assert.equal((await service.api('GET', '/user', { token: made.body.token })).body.username, 'ada');
      assert.equal((await service.api('POST', path, { body, token: ada.token })).status, 403);
      const nobody = await service.api('POST', '/users/99999/personal_access_tokens', { body });
      assert.deepEqual([nobody.status, nobody.body], [404, { message: '404 User Not Found' }]);
    });

    it('keeps impersonation tokens from their owner', async () => {
      const path = `/users/${bob.id}/impersonation_tokens`;
      const made = await service.api('POST', path, { body: { name: 'as bob', scopes: ['api'] } });
      assert.equal(made.status, 201);
      assert.equal(made.body.impersonation, true);
      assert.equal((await service.api('GET', '/user', { token: made.body.token })).body.username, 'bob');
      const own = await service.api('GET', '/personal_access_tokens', { token: bob.token });
      assert.equal(names(own).includes('as bob'), false);
      const asked = await service.api('GET', `/personal_access_tokens/${made.body.id}`, { token: bob.token });
      assert.equal(asked.status, 401);
      assert.equal((await service.api('GET', path, { token: bob.token })).status, 403);
      assert.deepEqual(names(await service.api('GET', path)), ['as bob']);
      const one = `${path}/${made.body.id}`;
      assert.equal((await service.api('GET', one)).body.name, 'as bob');
      assert.equal((await service.api('DELETE', one)).status, 204);
      assert.deepEqual(names(await service.api('GET', path, { query: { state: 'active' } })), []);
      assert.deepEqual(names(await service.api('GET', path, { query: { state: 'inactive' } })), ['as bob']);
      const foreign = await service.api('GET', `/users/${ada.id}/impersonation_tokens/${made.body.id}`);
      assert.equal(foreign.status, 404);
    });
  });
}
