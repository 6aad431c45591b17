import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { dialects } from '../../../test/support/databases.ts';
import { type Person, seedUser } from '../../../test/support/seed.ts';
import { startService, type TestService } from '../../../test/support/service.ts';
import { findProjectById } from '../projects/store.ts';

for (const kind of dialects) {
  describe(`groups on ${kind}`, () => {
    let service: TestService;
    let ann: Person;
    let bob: Person;

    before(async () => {
      service = await startService({ kind });
      ann = await seedUser(service.core, 'ann');
      bob = await seedUser(service.core, 'bob');
    });
    after(() => service.close());

    const call = (method: string, path: string, body?: unknown, person: Person = ann) =>
      service.api(method, path, { token: person.token, ...(body !== undefined && { body }) });
    const made = async (path: string, body: unknown) => {
      const reply = await call('POST', path, body);
      assert.equal(reply.status, 201, reply.text);
      return reply.body;
    };
    const group = (path: string, more: object = {}) => made('/groups', { name: path, path, ...more });
    const paths = async (path: string, person: Person = ann) => {
      const reply = await call('GET', path, undefined, person);
      assert.equal(reply.status, 200, reply.text);
      return reply.body.map((entry: { full_path: string }) => entry.full_path);
    };

    it('belong to who makes them, and hold groups of their own', async () => {
      const top = await group('top', { visibility: 'internal', description: 'All of us' });
      assert.equal(top.full_path, 'top');
      assert.equal(top.parent_id, null);
      assert.equal(top.web_url, `${service.baseUrl}/groups/top`);
      assert.equal(top.description, 'All of us');
      const sub = await made('/groups', { name: 'Sub Group', path: 'sub', parent_id: top.id });
      assert.equal(sub.full_path, 'top/sub');
      assert.equal(sub.full_name, 'top / Sub Group');
      const [owner] = (await call('GET', `/groups/${top.id}/members`)).body;
      assert.deepEqual([owner.username, owner.access_level], ['ann', 50]);
      assert.equal((await call('GET', '/groups/TOP%2Fsub')).body.id, sub.id);
    });

    it('refuse in the words of GitLab', async () => {
      const parent = await group('words');
      await group('taken', { parent_id: parent.id });
      const cases: [object, number, unknown][] = [
        [{ path: 'x' }, 400, { error: 'name is missing' }],
        [{}, 400, { error: 'name is missing, path is missing' }],
        [
          { name: 'words', path: 'WORDS' },
          400,
          { message: 'Failed to save group {:path=>["has already been taken"]}' },
        ],
        [
          { name: 'taken', path: 'taken', parent_id: parent.id },
          400,
          {
            message:
              'Failed to save group {:name=>["has already been taken"], :path=>["has already been taken"]}',
          },
        ],
        [
          { name: 'x', path: 'api' },
          400,
          { message: 'Failed to save group {:path=>["api is a reserved name"]}' },
        ],
        [
          { name: 'x', path: 'x', parent_id: parent.id, visibility: 'public' },
          400,
          {
            message:
              'Failed to save group {:visibility_level=>["public is not allowed since the parent group has a private visibility."]}',
          },
        ],
        [{ name: 'x', path: 'x', parent_id: 999_999 }, 404, { message: '404 Group Not Found' }],
      ];
      for (const [body, status, answer] of cases) {
        const reply = await call('POST', '/groups', body);
        assert.deepEqual([reply.status, reply.body], [status, answer]);
      }
      for (const path of ['..', '-x', 'a/b', 'x.git', 'x.', 'a b']) {
        assert.equal((await call('POST', '/groups', { name: 'hostile', path })).status, 400, path);
      }
    });

    it('do not take the path of a person or a project', async () => {
      assert.equal((await call('POST', '/groups', { name: 'bob', path: 'Bob' })).status, 400);
      const parent = await group('mixed');
      await made('/projects', { name: 'thing', namespace_id: parent.id });
      const reply = await call('POST', '/groups', { name: 'thing', path: 'thing', parent_id: parent.id });
      assert.equal(reply.status, 400);
    });

    it('are made by those who may', async () => {
      await service.core.db
        .updateTable('users')
        .set({ can_create_group: 0 })
        .where('id', '=', bob.user.id)
        .execute();
      assert.equal((await call('POST', '/groups', { name: 'x', path: 'x' }, bob)).status, 403);
      const parent = await group('ranks');
      const sub = (path: string) => call('POST', '/groups', { name: path, path, parent_id: parent.id }, bob);
      assert.equal((await sub('a')).status, 404);
      await made(`/groups/${parent.id}/members`, { user_id: bob.user.id, access_level: 30 });
      assert.equal((await sub('b')).status, 403);
      await call('PUT', `/groups/${parent.id}/members/${bob.user.id}`, { access_level: 40 });
      assert.equal((await sub('c')).status, 201);
      await call('PUT', `/groups/${parent.id}`, { subgroup_creation_level: 'owner' });
      assert.equal((await sub('d')).status, 403);
      assert.equal((await call('PUT', `/groups/${parent.id}`, { name: 'x' }, bob)).status, 403);
      assert.equal((await call('DELETE', `/groups/${parent.id}`, undefined, bob)).status, 403);
    });

    it('hang twenty deep at most', async () => {
      const first = await group('deep0');
      let parent = first;
      for (let depth = 1; depth < 20; depth++) parent = await group(`deep${depth}`, { parent_id: parent.id });
      const reply = await call('POST', '/groups', { name: 'x', path: 'x', parent_id: parent.id });
      assert.match(reply.body.message, /has too deep level of nesting/);
      const other = await group('over');
      const moved = await call('POST', `/groups/${first.id}/transfer`, { group_id: other.id });
      assert.match(moved.body.message, /too deep level of nesting/);
      const project = await made('/projects', { name: 'bottom', namespace_id: parent.id });
      assert.equal(project.permissions.group_access.access_level, 50);
    });

    it('take everything below along to a new path', async () => {
      const top = await group('old');
      const sub = await group('sub', { parent_id: top.id });
      const project = await made('/projects', { name: 'deep', namespace_id: sub.id });
      const reply = await call('PUT', `/groups/${top.id}`, { name: 'New', path: 'new', description: null });
      assert.equal(reply.body.full_path, 'new');
      assert.equal((await call('GET', '/groups/new%2Fsub')).body.full_name, 'New / sub');
      const moved = (await call('GET', '/projects/new%2Fsub%2Fdeep')).body;
      assert.equal(moved.name_with_namespace, 'New / sub / deep');
      assert.equal((await call('GET', '/projects/old%2Fsub%2Fdeep')).status, 301);
      assert.equal((await call('GET', '/groups/old')).status, 404);
      await service.core.events.idle();
      const events = await service.core.events.readSince(0, ['project.updated'], 1000);
      const own = events.filter(({ payload }) => payload.projectId === project.id);
      assert.deepEqual(own[0]!.payload.changes, { path: ['old/sub/deep', 'new/sub/deep'] });
    });

    it('are no more closed than what is in them', async () => {
      const top = await group('open', { visibility: 'public' });
      await group('sub', { parent_id: top.id, visibility: 'public' });
      await made('/projects', { name: 'p', namespace_id: top.id, visibility: 'internal' });
      const reply = await call('PUT', `/groups/${top.id}`, { visibility: 'private' });
      assert.deepEqual(reply.body, {
        message: {
          visibility_level: [
            'private is not allowed since this group contains projects with higher visibility.',
            'private is not allowed since there are sub-groups with higher visibility.',
          ],
        },
      });
      const sub = await call('PUT', '/groups/open%2Fsub', { visibility: 'private' });
      assert.equal(sub.body.visibility, 'private');
    });

    it('go with all that is in them', async () => {
      const top = await group('doomed');
      const sub = await group('sub', { parent_id: top.id });
      const { id } = await made('/projects', {
        name: 'p',
        namespace_id: sub.id,
        initialize_with_readme: true,
      });
      const repository = service.core.repositoryOf((await findProjectById(service.core.db, id))!);
      const reply = await call('DELETE', `/groups/${top.id}`);
      assert.deepEqual([reply.status, reply.body], [202, { message: '202 Accepted' }]);
      for (const path of ['/groups/doomed', '/groups/doomed%2Fsub', `/projects/${id}`]) {
        assert.equal((await call('GET', path)).status, 404, path);
      }
      await service.core.events.idle();
      assert.equal(await repository.exists(), false);
      const events = await service.core.events.readSince(0, ['project.deleted', 'group.deleted'], 1000);
      assert.deepEqual(
        events.slice(-3).map(({ payload }) => payload.fullPath),
        ['doomed/sub/p', 'doomed/sub', 'doomed'],
      );
    });

    describe('a transfer', () => {
      it('hangs a group below another, no more open than that', async () => {
        const target = await group('target');
        const wanderer = await group('wanderer', { visibility: 'public' });
        const child = await group('child', { parent_id: wanderer.id, visibility: 'public' });
        await made('/projects', { name: 'p', namespace_id: child.id, visibility: 'public' });
        const reply = await call('POST', `/groups/${wanderer.id}/transfer`, { group_id: target.id });
        assert.equal(reply.status, 201, reply.text);
        assert.equal(reply.body.full_path, 'target/wanderer');
        assert.equal(reply.body.visibility, 'private');
        const project = (await call('GET', '/projects/target%2Fwanderer%2Fchild%2Fp')).body;
        assert.equal(project.visibility, 'private');
        assert.deepEqual(await paths('/groups/target/descendant_groups'), [
          'target/wanderer/child',
          'target/wanderer',
        ]);
        const top = await call('POST', `/groups/${wanderer.id}/transfer`);
        assert.equal(top.body.full_path, 'wanderer');
        assert.deepEqual(await paths('/groups/target/descendant_groups'), []);
      });

      it('is refused in the words of GitLab', async () => {
        const a = await group('ta');
        const b = await group('tb', { parent_id: a.id });
        const c = await group('tc');
        await group('tb', { parent_id: c.id });
        const text = async (id: number, body?: object) =>
          (await call('POST', `/groups/${id}/transfer`, body)).body.message;
        assert.equal(await text(a.id), 'Transfer failed: Group is already a root group.');
        assert.equal(
          await text(b.id, { group_id: a.id }),
          'Transfer failed: Group is already associated to the parent group.',
        );
        assert.equal(
          await text(a.id, { group_id: b.id }),
          'Transfer failed: Cannot transfer group to one of its subgroup.',
        );
        assert.equal(
          await text(b.id, { group_id: c.id }),
          'Transfer failed: The parent group already has a subgroup or a project with the same path.',
        );
      });
    });

    it('are shared with another group and taken back', async () => {
      const shared = await group('shared');
      const guests = await group('guests');
      await made(`/groups/${guests.id}/members`, { user_id: bob.user.id, access_level: 40 });
      assert.equal((await call('GET', `/groups/${shared.id}`, undefined, bob)).status, 404);
      const reply = await call('POST', `/groups/${shared.id}/share`, {
        group_id: guests.id,
        group_access: 30,
      });
      assert.equal(reply.body.shared_with_groups[0].group_full_path, 'guests');
      assert.equal((await call('GET', `/groups/${shared.id}`, undefined, bob)).status, 200);
      const all = (await call('GET', `/groups/${shared.id}/members/all`)).body;
      assert.deepEqual(
        all.map((member: { username: string; access_level: number }) => [
          member.username,
          member.access_level,
        ]),
        [
          ['ann', 50],
          ['bob', 30],
        ],
      );
      assert.equal((await call('DELETE', `/groups/${shared.id}/share/${guests.id}`)).status, 204);
      assert.equal((await call('GET', `/groups/${shared.id}`, undefined, bob)).status, 404);
    });

    describe('lists', () => {
      let zoe: Person;
      before(async () => {
        zoe = await seedUser(service.core, 'zoe');
        for (const [path, visibility] of [
          ['zoo', 'public'],
          ['zoo-two', 'private'],
          ['azoo', 'private'],
        ] as const) {
          const reply = await call('POST', '/groups', { name: path, path, visibility }, zoe);
          if (path !== 'azoo') continue;
          await call('POST', '/groups', { name: 'deep', path: 'deep', parent_id: reply.body.id }, zoe);
        }
      });
      const zoes = (query: string) => paths(`/groups?${query}`, zoe);

      it('hold what the caller may see', async () => {
        assert.deepEqual(await zoes('owned=true'), ['azoo', 'azoo/deep', 'zoo', 'zoo-two']);
        assert.deepEqual(await zoes('owned=true&top_level_only=true'), ['azoo', 'zoo', 'zoo-two']);
        const others = await paths('/groups?search=zoo');
        assert.deepEqual(others, ['zoo']);
        assert.equal((await zoes('all_available=false')).includes('open'), false);
        assert.equal((await zoes('')).includes('open'), true);
      });

      it('narrow and sort', async () => {
        assert.deepEqual(await zoes('search=zoo&order_by=similarity'), [
          'zoo',
          'zoo-two',
          'azoo',
          'azoo/deep',
        ]);
        assert.deepEqual(await zoes('search=zoo&visibility=private&sort=desc&order_by=path'), [
          'zoo-two',
          'azoo/deep',
          'azoo',
        ]);
        const [skipped] = (await call('GET', '/groups?search=zoo', undefined, zoe)).body;
        assert.equal((await zoes(`owned=true&skip_groups[]=${skipped.id}`)).length, 3);
        assert.deepEqual(await paths('/groups/azoo/subgroups', zoe), ['azoo/deep']);
      });

      it('count no further than GitLab', async () => {
        assert.equal((await call('GET', '/groups?page=500&per_page=100')).status, 200);
        const { status, body } = await call('GET', '/groups?page=501&per_page=100');
        assert.equal(status, 405);
        assert.match(body.error, /maximum allowed offset of 50000 .* objects of type Group\./);
      });

      it('can be walked by position', async () => {
        const seen: string[] = [];
        let path = '/groups?pagination=keyset&owned=true&per_page=3';
        for (;;) {
          const reply = await call('GET', path, undefined, zoe);
          assert.equal(reply.status, 200, reply.text);
          seen.push(...reply.body.map((entry: { full_path: string }) => entry.full_path));
          const next = /^<([^>]+)>; rel="next"$/.exec(reply.headers['link'] ?? '')?.[1];
          if (!next) break;
          path = next.slice(next.indexOf('/groups?'));
        }
        assert.deepEqual(seen, ['azoo', 'azoo/deep', 'zoo', 'zoo-two']);
        assert.equal((await call('GET', '/groups?pagination=keyset&order_by=path')).status, 405);
      });
    });

    describe('as namespaces', () => {
      it('are listed with the own one', async () => {
        const eve = await seedUser(service.core, 'eve');
        await call('POST', '/groups', { name: 'Eves', path: 'eves' }, eve);
        const list = (await call('GET', '/namespaces', undefined, eve)).body;
        assert.deepEqual(
          list.map((entry: { kind: string; full_path: string }) => [entry.kind, entry.full_path]),
          [
            ['user', 'eve'],
            ['group', 'eves'],
          ],
        );
        assert.equal(list[1].members_count_with_descendants, 1);
        assert.equal((await call('GET', '/namespaces/eves', undefined, eve)).body.kind, 'group');
        assert.equal((await call('GET', '/namespaces/eve', undefined, bob)).status, 404);
        const everything = await service.api('GET', '/namespaces?search=eve');
        assert.equal(everything.body.length, 2);
      });

      it('say whether a path is taken, and which is free', async () => {
        await group('busy');
        await group('busy1');
        const reply = await call('GET', '/namespaces/busy/exists');
        assert.deepEqual(reply.body, { exists: true, suggests: ['busy2'] });
        assert.deepEqual((await call('GET', '/namespaces/free/exists')).body, {
          exists: false,
          suggests: [],
        });
      });
    });
  });
}
