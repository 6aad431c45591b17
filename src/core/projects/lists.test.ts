import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { dialects } from '../../../test/support/databases.ts';
import { type Person, seedUser } from '../../../test/support/seed.ts';
import { type Reply, startService, type TestService } from '../../../test/support/service.ts';

for (const kind of dialects) {
  describe(`lists of projects on ${kind}`, () => {
    let service: TestService;
    let ann: Person;
    let bob: Person;
    const ids: Record<string, number> = {};

    before(async () => {
      service = await startService({ kind });
      ann = await seedUser(service.core, 'ann');
      bob = await seedUser(service.core, 'bob');
      ids['team'] = await made('/groups', { name: 'Team', path: 'team', visibility: 'public' });
      ids['sub'] = await made('/groups', { name: 'Sub', path: 'sub', parent_id: ids['team'] });
      await project('alpha', { visibility: 'public', topics: 'ruby,go', description: 'A Compact Forge' });
      await project('beta', { visibility: 'internal', topics: 'go' });
      await project('gamma', { issues_enabled: false });
      await project('delta', {
        namespace_id: ids['team'],
        visibility: 'public',
        merge_requests_enabled: false,
      });
      await project('epsilon', { namespace_id: ids['sub'] });
      await service.api('POST', `/projects/${ids['gamma']}/archive`);
      await service.api('POST', `/projects/${ids['epsilon']}/members`, {
        body: { user_id: bob.user.id, access_level: 20 },
      });
    });
    after(() => service.close());

    const made = async (path: string, body: unknown): Promise<number> => {
      const reply = await service.api('POST', path, { body, token: ann.token });
      assert.equal(reply.status, 201, reply.text);
      return reply.body.id;
    };
    const project = async (name: string, body: object) => {
      ids[name] = await made('/projects', { name, ...body });
    };
    const get = (path: string, query: Record<string, unknown> = {}, person: Person = ann) =>
      service.api('GET', path, { query, token: person.token });
    const names = async (path: string, query: Record<string, unknown> = {}, person: Person = ann) => {
      const reply = await get(path, { order_by: 'id', sort: 'asc', ...query }, person);
      assert.equal(reply.status, 200, reply.text);
      assert.equal(reply.headers['x-total'] ?? String(reply.body.length), String(reply.body.length));
      return reply.body.map(({ name }: { name: string }) => name).join(' ');
    };

    it('hold what the caller may see and nothing else, newest first', async () => {
      assert.equal(await names('/projects'), 'alpha beta gamma delta epsilon');
      assert.equal(await names('/projects', {}, bob), 'alpha beta delta epsilon');
      const external = await seedUser(service.core, 'ext');
      await service.core.db
        .updateTable('users')
        .set({ external: 1 })
        .where('id', '=', external.user.id)
        .execute();
      assert.equal(await names('/projects', {}, external), 'alpha delta');
      const reply = await get('/projects');
      assert.equal(reply.body[0].name, 'epsilon');
    });

    it('narrow by what the caller is there', async () => {
      assert.equal(await names('/projects', { membership: true }, bob), 'epsilon');
      assert.equal(await names('/projects', { min_access_level: 20 }, bob), 'epsilon');
      assert.equal(await names('/projects', { min_access_level: 30 }, bob), '');
      assert.equal(await names('/projects', { owned: true }), 'alpha beta gamma delta epsilon');
      assert.equal(await names('/projects', { owned: true }, bob), '');
    });

    it('narrow by what a project is', async () => {
      assert.equal(await names('/projects', { visibility: 'public' }), 'alpha delta');
      assert.equal(await names('/projects', { archived: true }), 'gamma');
      assert.equal(await names('/projects', { archived: false }), 'alpha beta delta epsilon');
      assert.equal(await names('/projects', { with_issues_enabled: true }), 'alpha beta delta epsilon');
      assert.equal(await names('/projects', { with_merge_requests_enabled: 1 }), 'alpha beta gamma epsilon');
      assert.equal(await names('/projects', { topic: 'go' }), 'alpha beta');
      assert.equal(await names('/projects', { topic: 'go,ruby' }), 'alpha');
      assert.equal(await names('/projects', { topic: 'g%' }), '');
      assert.equal(await names('/projects', { id_after: ids['gamma'] }), 'delta epsilon');
      assert.equal(await names('/projects', { id_before: ids['gamma'] }), 'alpha beta');
      assert.equal(await names('/projects', { last_activity_after: '2999-01-01T00:00:00Z' }), '');
    });

    it('narrow by words, wherever they stand', async () => {
      assert.equal(await names('/projects', { search: 'ALPH' }), 'alpha');
      assert.equal(await names('/projects', { search: 'compact forge' }), 'alpha');
      assert.equal(await names('/projects', { search: 'forge alpha' }), 'alpha');
      assert.equal(await names('/projects', { search: 'forge beta' }), '');
      assert.equal(await names('/projects', { search: '%' }), '');
      assert.equal(await names('/projects', { search: 'team' }), '');
      assert.equal(await names('/projects', { search: 'team', search_namespaces: true }), 'delta epsilon');
    });

    it('come in the order asked for', async () => {
      const order = { sort: 'desc', order_by: 'name', archived: false };
      assert.equal(await names('/projects', order), 'epsilon delta beta alpha');
      assert.equal(
        await names('/projects', { ...order, order_by: 'path', sort: 'asc' }),
        'alpha beta delta epsilon',
      );
      const similar = { search: 'ta', order_by: 'similarity', sort: 'desc' };
      assert.equal(await names('/projects', similar), 'delta beta');
      for (const by of ['created_at', 'updated_at', 'last_activity_at', 'star_count']) {
        assert.equal((await get('/projects', { order_by: by })).body.length, 5, by);
      }
      assert.deepEqual((await get('/projects', { order_by: 'size' })).body, {
        error: 'order_by does not have a valid value',
      });
    });

    it('show less with simple', async () => {
      const [first] = (await get('/projects', { simple: true })).body;
      assert.equal(first.name, 'epsilon');
      assert.equal(first.visibility, undefined);
      assert.equal(first.namespace.full_path, 'team/sub');
    });

    /** Follows the links to the end. */
    const walk = async (query: Record<string, unknown>): Promise<[string, number]> => {
      let url: string | null = null;
      const seen: string[] = [];
      for (let pages = 1; ; pages++) {
        const reply: Reply =
          url === null
            ? await get('/projects', { pagination: 'keyset', per_page: 2, ...query })
            : await service.api('GET', url, { token: ann.token });
        assert.equal(reply.status, 200, reply.text);
        assert.equal(reply.headers['x-total'], undefined);
        seen.push(...reply.body.map(({ name }: { name: string }) => name));
        const next = /^<([^>]+)>; rel="next"$/.exec(reply.headers['link'] ?? '')?.[1];
        if (next === undefined) return [seen.join(' '), pages];
        url = next.slice(next.indexOf('/api/v4') + '/api/v4'.length);
      }
    };

    it('can be walked by position', async () => {
      assert.deepEqual(await walk({ order_by: 'id', sort: 'asc' }), ['alpha beta gamma delta epsilon', 3]);
      assert.deepEqual(await walk({ order_by: 'id', sort: 'desc' }), ['epsilon delta gamma beta alpha', 3]);
      assert.deepEqual(await walk({}), ['epsilon delta gamma beta alpha', 3]);
      assert.deepEqual(await walk({ order_by: 'name', sort: 'asc' }), ['alpha beta delta epsilon gamma', 3]);
      const [byActivity] = await walk({ order_by: 'last_activity_at' });
      assert.equal(byActivity.split(' ').length, 5);
    });

    it('name the next position as clients of GitLab know it', async () => {
      const reply = await get('/projects', {
        pagination: 'keyset',
        order_by: 'id',
        sort: 'asc',
        per_page: 2,
      });
      assert.match(reply.headers['link']!, new RegExp(`id_after=${ids['beta']}&`));
    });

    it('refuse a position that is none', async () => {
      const ask = (query: object) => get('/projects', { pagination: 'keyset', ...query });
      for (const cursor of [
        'x',
        'e30',
        Buffer.from('{"by":"id","value":"1","id":1}').toString('base64url'),
      ]) {
        assert.deepEqual((await ask({ cursor, order_by: 'id' })).body, { error: 'cursor is invalid' });
      }
      assert.equal((await ask({ order_by: 'similarity' })).status, 405);
    });

    it('of a person, a group and what is below it', async () => {
      assert.equal(await names('/users/ann/projects', {}, bob), 'alpha beta');
      assert.equal(await names(`/users/${ann.user.id}/projects`), 'alpha beta gamma');
      assert.equal((await get('/users/nobody/projects')).body.message, '404 User Not Found');
      assert.equal(await names('/groups/team/projects'), 'delta');
      assert.equal(await names('/groups/team/projects', { include_subgroups: true }), 'delta epsilon');
      const detail = (await get('/groups/team')).body;
      assert.deepEqual(
        detail.projects.map(({ name }: { name: string }) => name),
        ['delta'],
      );
      assert.equal((await get('/groups/team', { with_projects: false })).body.projects, undefined);
    });

    it('of a group hold what is shared with it', async () => {
      const share = { group_id: ids['team'], group_access: 20 };
      const path = `/projects/${ids['gamma']}/share`;
      const reply = await service.api('POST', path, { body: share, token: ann.token });
      assert.deepEqual(
        [reply.status, reply.body.project_id, reply.body.group_id, reply.body.group_access],
        [201, ids['gamma'], ids['team'], 20],
      );
      assert.equal((await service.api('POST', path, { body: share, token: ann.token })).status, 409);
      assert.equal(await names('/groups/team/projects'), 'gamma delta');
      assert.equal(await names('/groups/team/projects', { with_shared: false }), 'delta');
      assert.equal(await names('/groups/team/projects/shared'), 'gamma');
      const { shared_with_groups: shown } = (await get(`/projects/${ids['gamma']}`)).body;
      assert.equal(shown[0].group_full_path, 'team');
      const remove = () => service.api('DELETE', `${path}/${ids['team']}`, { token: ann.token });
      assert.equal((await remove()).status, 204);
      assert.deepEqual((await remove()).body, { message: '404 Group Link Not Found' });
      assert.equal(await names('/groups/team/projects'), 'delta');
    });

    it('of the people and groups around a project', async () => {
      const path = `/projects/${ids['epsilon']}`;
      const people = (await get(`${path}/users`)).body.map(({ username }: Person['user']) => username);
      assert.deepEqual(people.sort(), ['ann', 'bob']);
      assert.equal((await get(`${path}/users`, { search: 'bo' })).body.length, 1);
      const groups = (await get(`${path}/groups`)).body.map(
        (group: { full_path: string }) => group.full_path,
      );
      assert.deepEqual(groups, ['team', 'team/sub']);
    });
  });
}
