import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { dialects } from '../../../test/support/databases.ts';
import { type Person, seedCommit, seedUser } from '../../../test/support/seed.ts';
import { type CallOptions, startService, type TestService } from '../../../test/support/service.ts';
import { resolveRef } from '../../git/refs.ts';
import { findProjectById } from './store.ts';

for (const kind of dialects) {
  describe(`projects on ${kind}`, () => {
    let service: TestService;
    let ann: Person;
    let bob: Person;
    let group: { id: number };
    before(async () => {
      service = await startService({ kind });
      ann = await seedUser(service.core, 'ann');
      bob = await seedUser(service.core, 'bob');
      group = await made('/groups', { name: 'Team', path: 'team' }, ann);
    });
    after(() => service.close());

    const as = (person: Person, options: CallOptions = {}) => ({ ...options, token: person.token });
    const post = (path: string, body: unknown, person: Person = ann) =>
      service.api('POST', path, as(person, { body }));
    const made = async (path: string, body: unknown, person: Person = ann) => {
      const reply = await post(path, body, person);
      assert.equal(reply.status, 201, reply.text);
      return reply.body;
    };
    const get = (path: string, person: Person = ann) => service.api('GET', path, as(person));
    const put = (path: string, body: unknown, person: Person = ann) =>
      service.api('PUT', path, as(person, { body }));
    const errorOf = async (body: unknown, person: Person = ann) => {
      const reply = await post('/projects', body, person);
      return [reply.status, reply.body];
    };

    describe('creating one', () => {
      it('goes into the own namespace, private and empty, and belongs to its owner', async () => {
        const project = await made('/projects', { name: 'First Project' });
        assert.equal(project.path, 'first-project');
        assert.equal(project.path_with_namespace, 'ann/first-project');
        assert.equal(project.name_with_namespace, 'ANN / First Project');
        assert.equal(project.visibility, 'private');
        assert.equal(project.empty_repo, true);
        assert.equal(project.default_branch, 'main');
        assert.equal(project.owner.username, 'ann');
        assert.equal(project.namespace.kind, 'user');
        assert.equal(project.permissions.project_access.access_level, 50);
        assert.equal(project.permissions.group_access, null);
        assert.equal(project.http_url_to_repo, `${service.baseUrl}/ann/first-project.git`);
        assert.equal(project._links.self, `${service.baseUrl}/api/v4/projects/${project.id}`);
      });

      it('takes a path alone for the name', async () => {
        const project = await made('/projects', { path: 'only.path' });
        assert.equal(project.name, 'only.path');
      });

      it('commits a README on the branch asked for, which is protected from then on', async () => {
        const project = await made('/projects', {
          name: 'readme',
          description: 'About it',
          initialize_with_readme: true,
          default_branch: 'trunk',
        });
        assert.equal(project.default_branch, 'trunk');
        assert.equal(project.empty_repo, false);
        assert.equal(project.readme_url, `${service.baseUrl}/ann/readme/-/blob/trunk/README.md`);
        const row = await findProjectById(service.core.db, project.id);
        assert.match(
          (await resolveRef(service.core.repositoryOf(row!), 'refs/heads/trunk'))!,
          /^[0-9a-f]{40}$/,
        );
        const rules = await service.core.db
          .selectFrom('protected_branches')
          .select(['name', 'push_access_level', 'merge_access_level'])
          .where('project_id', '=', project.id)
          .execute();
        assert.deepEqual(rules, [{ name: 'trunk', push_access_level: 40, merge_access_level: 40 }]);
      });

      it('keeps settings, by their new names and their old ones', async () => {
        const project = await made('/projects', {
          name: 'settings',
          namespace_id: group.id,
          issues_enabled: false,
          wiki_access_level: 'private',
          public_builds: false,
          tag_list: 'a, b',
          merge_method: 'ff',
          squash_option: 'always',
          build_timeout: 1200,
          emails_disabled: true,
        });
        assert.equal(project.issues_enabled, false);
        assert.equal(project.issues_access_level, 'disabled');
        assert.equal(project._links.issues, undefined);
        assert.equal(project.wiki_access_level, 'private');
        assert.equal(project.wiki_enabled, true);
        assert.equal(project.public_jobs, false);
        assert.deepEqual(project.topics, ['a', 'b']);
        assert.deepEqual(project.tag_list, ['a', 'b']);
        assert.equal(project.merge_method, 'ff');
        assert.equal(project.squash_option, 'always');
        assert.equal(project.build_timeout, 1200);
        assert.equal(project.emails_enabled, false);
        assert.equal(project.owner, undefined);
        assert.equal(project.permissions.group_access.access_level, 50);
        assert.equal(project.permissions.project_access, null);
      });

      it('refuses a topic that is too long', async () => {
        const made = await service.api('POST', '/projects', { body: { name: 'with-topics' } });
        const body = { topics: ['x'.repeat(256)], name: 'other-topics' };
        const problem = { message: { topics: ['name is too long (maximum is 255 characters)'] } };
        for (const [method, path] of [
          ['POST', ''],
          ['PUT', `/${made.body.id}`],
        ] as const) {
          const reply = await service.api(method, `/projects${path}`, { body });
          assert.deepEqual([reply.status, reply.body], [400, problem]);
        }
      });

      it('refuses in the words of GitLab', async () => {
        await made('/projects', { name: 'Taken', path: 'taken' });
        const cases: [unknown, unknown][] = [
          [{}, { error: 'name, path are missing, at least one parameter must be provided' }],
          [
            { name: 'Taken', path: 'TAKEN' },
            { message: { name: ['has already been taken'], path: ['has already been taken'] } },
          ],
          [{ name: 'Other', path: 'taken' }, { message: { path: ['has already been taken'] } }],
          [{ name: 'x', namespace_id: 999_999 }, { message: { namespace: ['is not valid'] } }],
          [{ name: 'x', visibility: 'open' }, { error: 'visibility does not have a valid value' }],
          [{ name: 'x', build_timeout: 5 }, { error: 'build_timeout is invalid' }],
          [
            { name: 'x', visibility: 'public', namespace_id: group.id },
            { message: { visibility_level: ['public is not allowed in a private group.'] } },
          ],
          [{ path: 'tree' }, { message: { path: ['tree is a reserved name'] } }],
          [{ name: 'x', default_branch: '../x' }, { message: { default_branch: ['is invalid'] } }],
          [
            { name: 'x', import_url: 'https://example.com/x.git' },
            { message: { import_url: ['is not supported: push the repository instead'] } },
          ],
        ];
        for (const [body, answer] of cases) assert.deepEqual(await errorOf(body), [400, answer]);
      });

      it('holds every name against the rules, whatever it would do to a path', async () => {
        for (const path of [
          '..',
          '.',
          '-x',
          'a/b',
          'x.git',
          'x.atom',
          'a b',
          '../../etc',
          'a..b',
          'x\u0301',
        ]) {
          const [status] = await errorOf({ name: 'hostile', path });
          assert.equal(status, 400, path);
        }
      });

      it('is not for strangers of a group, who are not told whether it exists', async () => {
        assert.deepEqual(await errorOf({ name: 'x', namespace_id: group.id }, bob), [
          400,
          { message: { namespace: ['is not valid'] } },
        ]);
      });

      it('asks the group who may', async () => {
        await service.api('POST', `/groups/${group.id}/members`, {
          body: { user_id: bob.user.id, access_level: 30 },
        });
        const first = await post('/projects', { name: 'bobs', namespace_id: group.id }, bob);
        assert.equal(first.status, 201);
        await put(`/groups/${group.id}`, { project_creation_level: 'maintainer' });
        const second = await post('/projects', { name: 'bobs2', namespace_id: group.id }, bob);
        assert.equal(second.status, 400);
        await service.api('DELETE', `/groups/${group.id}/members/${bob.user.id}`);
      });

      it('stops at the limit of projects', async () => {
        const carl = await seedUser(service.core, 'carl');
        await service.core.db
          .updateTable('users')
          .set({ projects_limit: 1 })
          .where('id', '=', carl.user.id)
          .execute();
        await made('/projects', { name: 'one' }, carl);
        const reply = await post('/projects', { name: 'two' }, carl);
        assert.equal(reply.status, 403);
        assert.match(reply.body.message, /Your project limit is 1 projects!/);
      });

      it('for somebody else is for administrators', async () => {
        assert.equal((await post(`/projects/user/${bob.user.id}`, { name: 'gift' })).status, 403);
        const reply = await service.api('POST', `/projects/user/${bob.user.id}`, { body: { name: 'gift' } });
        assert.equal(reply.body.path_with_namespace, 'bob/gift');
        assert.equal(reply.body.creator_id, bob.user.id);
      });
    });

    describe('changing one', () => {
      it('leads from the old path to the new one, until another project takes it', async () => {
        const { id } = await made('/projects', { name: 'before' });
        const reply = await put(`/projects/${id}`, { name: 'After', path: 'after' });
        assert.equal(reply.body.path_with_namespace, 'ann/after');
        assert.equal(reply.body.name_with_namespace, 'ANN / After');
        const moved = await get('/projects/ann%2Fbefore?statistics=1');
        assert.equal(moved.status, 301);
        assert.equal(moved.headers['location'], `${service.baseUrl}/api/v4/projects/${id}?statistics=1`);
        const write = await put('/projects/ann%2Fbefore', { description: 'x' });
        assert.deepEqual(
          [write.status, write.body],
          [405, { message: 'Non GET methods are not allowed for moved projects' }],
        );
        const other = await made('/projects', { name: 'before' });
        assert.equal((await get('/projects/ann%2Fbefore')).body.id, other.id);
      });

      it('takes only a branch that is there for the default one, and points HEAD to it', async () => {
        const { id } = await made('/projects', { name: 'heads', initialize_with_readme: true });
        const missing = await put(`/projects/${id}`, { default_branch: 'nowhere' });
        assert.deepEqual(missing.body, {
          message: { base: ["Could not change HEAD: branch 'nowhere' does not exist"] },
        });
        const project = (await findProjectById(service.core.db, id))!;
        const repository = service.core.repositoryOf(project);
        const commit = await resolveRef(repository, 'refs/heads/main');
        const origin = { userId: ann.user.id, via: 'api' } as const;
        await service.core.refUpdates.update(
          project,
          [{ ref: 'refs/heads/next', old: null, new: commit }],
          origin,
        );
        const reply = await put(`/projects/${id}`, { default_branch: 'next' });
        assert.equal(reply.body.default_branch, 'next');
        assert.equal(await repository.head(), 'next');
      });

      it('keeps what is for owners from maintainers', async () => {
        const { id } = await made('/projects', { name: 'ranks' });
        await made(`/projects/${id}/members`, { user_id: bob.user.id, access_level: 40 });
        const status = async (body: unknown) => (await put(`/projects/${id}`, body, bob)).status;
        assert.equal(await status({ description: 'by bob' }), 200);
        assert.equal(await status({ name: 'Renamed by bob' }), 200);
        assert.equal(await status({ visibility: 'public' }), 403);
        assert.equal(await status({ archived: true }), 403);
        assert.equal((await post(`/projects/${id}/archive`, {}, bob)).status, 403);
        assert.equal((await service.api('DELETE', `/projects/${id}`, as(bob))).status, 403);
        await put(`/projects/${id}/members/${bob.user.id}`, { access_level: 30 });
        assert.equal(await status({ description: 'again' }), 403);
      });

      it('makes an archived one read-only, and writable again', async () => {
        const { id } = await made('/projects', { name: 'shelf', initialize_with_readme: true });
        assert.equal((await post(`/projects/${id}/archive`, {})).body.archived, true);
        const access = await service.core.access.project(
          { user: ann.user, admin: false },
          (await findProjectById(service.core.db, id))!,
        );
        assert.equal(access.can('push_code'), false);
        assert.equal(access.can('read_code'), true);
        assert.equal((await post(`/projects/${id}/unarchive`, {})).body.archived, false);
      });

      it('tells the other rooms what is different, in the same step', async () => {
        const { id } = await made('/projects', { name: 'told' });
        await put(`/projects/${id}`, { name: 'told', description: 'nothing that others need' });
        await put(`/projects/${id}`, { path: 'retold', visibility: 'internal' });
        const events = await eventsOf(id);
        assert.deepEqual(events, [
          ['project.created', undefined],
          ['project.updated', { path: ['ann/told', 'ann/retold'], visibility: ['private', 'internal'] }],
        ]);
      });
    });

    const eventsOf = async (projectId: number) => {
      await service.core.events.idle();
      const types = ['project.created', 'project.updated', 'project.deleted'] as const;
      const events = await service.core.events.readSince(0, types, 1000);
      return events
        .filter(({ payload }) => payload.projectId === projectId)
        .map((event) => [event.type, event.type === 'project.updated' ? event.payload.changes : undefined]);
    };

    describe('deleting one', () => {
      it('is done at once, and its repository is gone after its event', async () => {
        const { id } = await made('/projects', { name: 'doomed', initialize_with_readme: true });
        const repository = service.core.repositoryOf((await findProjectById(service.core.db, id))!);
        const reply = await service.api('DELETE', `/projects/${id}`, as(ann));
        assert.deepEqual([reply.status, reply.body], [202, { message: '202 Accepted' }]);
        assert.equal((await get(`/projects/${id}`)).status, 404);
        await service.core.events.idle();
        assert.equal(await repository.exists(), false);
        assert.deepEqual((await eventsOf(id)).at(-1), ['project.deleted', undefined]);
      });

      it('makes room for another of that name', async () => {
        const first = await made('/projects', { name: 'again' });
        await service.api('DELETE', `/projects/${first.id}`, as(ann));
        const second = await made('/projects', { name: 'again' });
        assert.notEqual(second.id, first.id);
      });
    });

    it('is hidden from strangers, and open to all when it is public', async () => {
      const { id } = await made('/projects', { name: 'hidden' });
      const hidden = await get(`/projects/${id}`, bob);
      assert.deepEqual([hidden.status, hidden.body], [404, { message: '404 Project Not Found' }]);
      await put(`/projects/${id}`, { visibility: 'public' });
      const open = await get(`/projects/${id}`, bob);
      assert.equal(open.status, 200);
      assert.deepEqual(open.body.permissions, { project_access: null, group_access: null });
    });

    it('counts commits and bytes for those who may push', async () => {
      const { id } = await made('/projects', {
        name: 'counted',
        visibility: 'public',
        initialize_with_readme: true,
      });
      const { statistics } = (await get(`/projects/${id}?statistics=true`)).body;
      assert.equal(statistics.commit_count, 1);
      assert.ok(statistics.repository_size > 0);
      assert.equal(statistics.storage_size, statistics.repository_size);
      assert.equal((await get(`/projects/${id}?statistics=true`, bob)).body.statistics, undefined);
      assert.equal((await get(`/projects/${id}`)).body.statistics, undefined);
    });

    it('says in which languages it is written', async () => {
      const { id } = await made('/projects', { name: 'tongues' });
      const languages = async () => (await get(`/projects/${id}/languages`)).body;
      assert.deepEqual(await languages(), {});
      await seedCommit(service.core, (await findProjectById(service.core.db, id))!, {
        branch: 'main',
        files: {
          'a.rb': 'x'.repeat(200),
          'lib/ä "b".ts': 'x'.repeat(100),
          'README.md': 'x'.repeat(900),
          'node_modules/big.js': 'x'.repeat(900),
        },
      });
      assert.deepEqual(await languages(), { Ruby: 66.67, TypeScript: 33.33 });
      assert.deepEqual(await languages(), { Ruby: 66.67, TypeScript: 33.33 }, 'kept');
    });

    it('has its repository tidied up when somebody asks', async () => {
      const { id } = await made('/projects', { name: 'tidy' });
      const reply = await post(`/projects/${id}/housekeeping`, {});
      assert.deepEqual([reply.status, reply.body], [201, null]);
      await service.core.events.idle();
      const events = await service.core.events.readSince(0, ['project.housekeeping'], 10);
      assert.equal(events.at(-1)!.payload.projectId, id);
    });

    it('is starred once by each', async () => {
      const { id } = await made('/projects', { name: 'stars', visibility: 'public' });
      const star = async (verb: string, person: Person) =>
        (await post(`/projects/${id}/${verb}`, {}, person)).status;
      assert.equal(await star('unstar', ann), 304);
      assert.equal(await star('star', ann), 201);
      assert.equal(await star('star', ann), 304);
      assert.equal(await star('star', bob), 201);
      assert.equal((await get(`/projects/${id}`)).body.star_count, 2);
      const starrers = (await get(`/projects/${id}/starrers?search=bo`)).body;
      assert.deepEqual(
        starrers.map(({ user }: { user: { username: string } }) => user.username),
        ['bob'],
      );
      const starred = (await get(`/users/bob/starred_projects`)).body;
      assert.deepEqual(
        starred.map((project: { id: number }) => project.id),
        [id],
      );
      assert.equal(await star('unstar', ann), 201);
      assert.equal((await get(`/projects/${id}`)).body.star_count, 1);
    });

    it('keeps two that are made at the same moment apart', async () => {
      const replies = await Promise.all(
        Array.from({ length: 6 }, () => post('/projects', { name: 'race', initialize_with_readme: true })),
      );
      const statuses = replies.map(({ status }) => status).sort();
      assert.deepEqual(statuses, [201, 400, 400, 400, 400, 400]);
      const left = await service.core.db.selectFrom('repository_reservations').selectAll().execute();
      assert.deepEqual(left, []);
    });
  });
}
