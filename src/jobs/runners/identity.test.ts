import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { dialects } from '../../../test/support/databases.ts';
import { type Person, seedMember, seedProject, seedUser } from '../../../test/support/seed.ts';
import { startService, type TestService } from '../../../test/support/service.ts';
import { Level } from '../../core/access/levels.ts';
import type { ProjectWithNamespace } from '../../core/projects/find.ts';
import { makeRunner } from './testing.ts';

for (const kind of dialects) {
  describe(`who runners are, on ${kind}`, () => {
    let service: TestService;
    let project: ProjectWithNamespace;
    let groupId: number;
    let maintainer: Person;
    let developer: Person;

    before(async () => {
      service = await startService({ kind });
      project = await seedProject(service.core, 'built');
      maintainer = await seedUser(service.core, 'maintainer');
      developer = await seedUser(service.core, 'developer');
      await seedMember(service.core, project, maintainer.user, Level.maintainer);
      await seedMember(service.core, project, developer.user, Level.developer);
      groupId = (await service.api('POST', '/groups', { body: { name: 'Team', path: 'team' } })).body.id;
    });
    after(() => service.close());

    /** A call of the protocol: no user's token. */
    const call = (method: string, path: string, body: Record<string, unknown>) =>
      service.api(method, path, { token: null, body });
    const register = (token: string, extra: Record<string, unknown> = {}) =>
      call('POST', '/runners', { token, ...extra });
    const read = async (id: number) => (await service.api('GET', `/runners/${id}`)).body;

    describe('registration by a token of the place', () => {
      it('gives the runner to the place that the token is of', async () => {
        const instance = await service.api('POST', '/runners/reset_registration_token');
        const { runners_token: ofProject } = (await service.api('GET', `/projects/${project.id}`)).body;
        const { runners_token: ofGroup } = (await service.api('GET', `/groups/${groupId}`)).body;
        const cases = [
          [instance.body.token, 'instance_type'],
          [ofProject, 'project_type'],
          [ofGroup, 'group_type'],
        ] as const;
        for (const [token, type] of cases) {
          assert.match(token, /^GR1348941/);
          const { status, body } = await register(token, { description: 'old way', tag_list: 'b, a ,b' });
          assert.equal(status, 201);
          assert.match(body.token, /^glrtr-[\w-]{20}$/);
          assert.equal(body.token_expires_at, null);
          const runner = await read(body.id);
          assert.deepEqual(
            [runner.runner_type, runner.description, runner.tag_list, runner.is_shared, runner.created_by],
            [type, 'old way', ['a', 'b'], type === 'instance_type', null],
          );
          assert.deepEqual(
            runner.projects.map((each: { id: number }) => each.id),
            type === 'project_type' ? [project.id] : [],
          );
          assert.deepEqual(
            runner.groups.map((each: { id: number }) => each.id),
            type === 'group_type' ? [groupId] : [],
          );
        }
      });

      it('shows the token to those alone who manage the place, the same each time', async () => {
        const as = async (token: string) =>
          (await service.api('GET', `/projects/${project.id}`, { token })).body.runners_token;
        const shown = await as(maintainer.token);
        assert.match(shown, /^GR1348941/);
        assert.equal(await as(maintainer.token), shown);
        assert.equal(await as(developer.token), undefined);
      });

      it('ends with the reset of the token, which needs the right', async () => {
        const path = `/projects/${project.id}/runners/reset_registration_token`;
        const { runners_token: old } = (await service.api('GET', `/projects/${project.id}`)).body;
        assert.equal((await service.api('POST', path, { token: developer.token })).status, 403);
        const fresh = await service.api('POST', path, { token: maintainer.token });
        assert.equal(fresh.status, 201);
        assert.notEqual(fresh.body.token, old);
        const refused = await register(old);
        assert.deepEqual(
          [refused.status, refused.body],
          [403, { message: '403 Forbidden - invalid token supplied' }],
        );
        assert.equal((await register(fresh.body.token)).status, 201);
      });

      it('refuses what is missing, unknown, and a runner that could take no job', async () => {
        const { runners_token: token } = (await service.api('GET', `/projects/${project.id}`)).body;
        const problem = 'can not be empty when runner is not allowed to pick untagged jobs';
        const cases: [Record<string, unknown>, number, unknown][] = [
          [{}, 400, { error: 'token is missing' }],
          [{ token: '' }, 403, { message: '403 Forbidden - invalid token supplied' }],
          [{ token: 'x' }, 403, { message: '403 Forbidden - invalid token supplied' }],
          [{ token, run_untagged: false }, 400, { message: { tags_list: [problem] } }],
          [
            { token, maximum_timeout: 599 },
            400,
            { message: { maximum_timeout: ['needs to be at least 10 minutes'] } },
          ],
          [{ token, access_level: 'open' }, 400, { error: 'access_level does not have a valid value' }],
          [{ token, active: true, paused: true }, 400, { error: 'active, paused are mutually exclusive' }],
          [
            { token, maintainer_note: 'a', maintenance_note: 'b' },
            400,
            { error: 'maintainer_note, maintenance_note are mutually exclusive' },
          ],
        ];
        for (const [body, status, expected] of cases) {
          const reply = await call('POST', '/runners', body);
          assert.deepEqual([reply.status, reply.body], [status, expected]);
        }
      });

      it('takes the note under its older name, too', async () => {
        const { runners_token: token } = (await service.api('GET', `/projects/${project.id}`)).body;
        const { body } = await register(token, { maintainer_note: 'call Ann' });
        assert.equal((await read(body.id)).maintenance_note, 'call Ann');
      });

      it('can be switched off by an administrator', async () => {
        const { runners_token: token } = (await service.api('GET', `/projects/${project.id}`)).body;
        const allow = (value: boolean) =>
          service.api('PUT', '/application/settings', { body: { allow_runner_registration_token: value } });
        await allow(false);
        const reply = await register(token);
        assert.deepEqual(
          [reply.status, reply.body],
          [410, { message: '410 Gone - runner registration disallowed' }],
        );
        assert.equal((await service.api('GET', `/projects/${project.id}`)).body.runners_token, null);
        await allow(true);
        assert.equal((await register(token)).status, 201);
      });
    });

    describe('making by a user', () => {
      it('is for those who manage the place', async () => {
        const cases: [Person | null, Record<string, unknown>, number][] = [
          [null, { runner_type: 'instance_type' }, 201],
          [maintainer, { runner_type: 'instance_type' }, 403],
          [maintainer, { runner_type: 'project_type', project_id: project.id }, 201],
          [developer, { runner_type: 'project_type', project_id: project.id }, 403],
          [maintainer, { runner_type: 'group_type', group_id: groupId }, 404],
          [null, { runner_type: 'group_type', group_id: groupId }, 201],
          [null, { runner_type: 'group_type', group_id: 999_999 }, 404],
          [null, { runner_type: 'project_type' }, 400],
          [null, { runner_type: 'any' }, 400],
          [null, {}, 400],
        ];
        for (const [who, body, status] of cases) {
          const reply = await service.api('POST', '/user/runners', {
            body,
            ...(who && { token: who.token }),
          });
          assert.equal(reply.status, status, JSON.stringify([body, reply.body]));
          if (status === 201) assert.match(reply.body.token, /^glrt-[\w-]{20}$/);
        }
        const anonymous = await service.api('POST', '/user/runners', { token: null, body: {} });
        assert.equal(anonymous.status, 401);
      });

      it('keeps no token that could be read again', async () => {
        const { token } = await makeRunner(service);
        const rows = await service.core.db.selectFrom('runners').selectAll().execute();
        assert.ok(!JSON.stringify(rows).includes(token));
      });
    });

    describe('the runner’s own token', () => {
      it('is verified, and notes the machine that did', async () => {
        const runner = await makeRunner(service);
        assert.equal((await read(runner.id)).status, 'never_contacted');
        const info = { name: 'gitlab-runner', version: '17.9.0', platform: 'linux', architecture: 'amd64' };
        const { status, body } = await call('POST', '/runners/verify', {
          token: runner.token,
          system_id: 's_1',
          info,
        });
        assert.deepEqual(
          [status, body],
          [200, { id: runner.id, token: runner.token, token_expires_at: null }],
        );
        const shown = await read(runner.id);
        assert.deepEqual(
          [shown.status, shown.online, shown.version, shown.platform, shown.job_execution_status],
          ['online', true, '17.9.0', 'linux', 'idle'],
        );
        await call('POST', '/runners/verify', { token: runner.token, system_id: 's_2', info });
        const machines = (await service.api('GET', `/runners/${runner.id}/managers`)).body;
        assert.deepEqual(
          machines.map((each: { system_id: string }) => each.system_id),
          ['s_2', 's_1'],
        );
        const gone = await call('DELETE', '/runners/managers', { token: runner.token, system_id: 's_1' });
        assert.equal(gone.status, 204);
        const again = await call('DELETE', '/runners/managers', { token: runner.token, system_id: 's_1' });
        assert.deepEqual(
          [again.status, again.body],
          [404, { message: '404 Runner manager not found Not Found' }],
        );
      });

      it('is refused where it is none', async () => {
        for (const [method, path] of [
          ['POST', '/runners/verify'],
          ['DELETE', '/runners'],
          ['POST', '/runners/reset_authentication_token'],
          ['POST', '/jobs/request'],
        ] as const) {
          const wrong = await call(method, path, { token: 'glrt-wrong' });
          assert.deepEqual([wrong.status, wrong.body], [403, { message: '403 Forbidden' }], path);
          assert.equal((await call(method, path, {})).status, 400, path);
        }
      });

      it('is replaced by itself and by who manages the runner', async () => {
        const runner = await makeRunner(service, { runner_type: 'project_type', project_id: project.id });
        const own = await call('POST', '/runners/reset_authentication_token', { token: runner.token });
        assert.equal(own.status, 201);
        assert.equal((await call('POST', '/runners/verify', { token: runner.token })).status, 403);
        assert.equal((await call('POST', '/runners/verify', { token: own.body.token })).status, 200);
        const path = `/runners/${runner.id}/reset_authentication_token`;
        assert.equal((await service.api('POST', path, { token: developer.token })).status, 403);
        const reset = await service.api('POST', path, { token: maintainer.token });
        assert.equal((await call('POST', '/runners/verify', { token: reset.body.token })).status, 200);
      });

      it('deletes the runner', async () => {
        const runner = await makeRunner(service);
        assert.equal((await call('DELETE', '/runners', { token: runner.token })).status, 204);
        assert.equal((await service.api('GET', `/runners/${runner.id}`)).status, 404);
      });
    });

    describe('looking after runners', () => {
      it('changes what is said and nothing else', async () => {
        const runner = await makeRunner(service, {
          runner_type: 'instance_type',
          description: 'before',
          tag_list: ['one'],
        });
        const put = (body: Record<string, unknown>, token?: string) =>
          service.api('PUT', `/runners/${runner.id}`, { body, ...(token && { token }) });
        const { body } = await put({ paused: true, tag_list: ['two', 'one'], maximum_timeout: 3600 });
        assert.deepEqual(
          [body.paused, body.active, body.tag_list, body.maximum_timeout, body.description],
          [true, false, ['one', 'two'], 3600, 'before'],
        );
        assert.equal((await put({})).status, 400);
        const both = await put({ active: true, paused: true });
        assert.deepEqual([both.status, both.body], [400, { error: 'active, paused are mutually exclusive' }]);
        assert.equal((await put({ tag_list: [], run_untagged: false })).status, 400);
        assert.equal((await put({ paused: false }, maintainer.token)).status, 403);
      });

      it('lists what one looks after, and everything to administrators', async () => {
        const own = await makeRunner(service, { runner_type: 'project_type', project_id: project.id });
        const shared = await makeRunner(service);
        const ids = async (path: string, options = {}) =>
          (await service.api('GET', path, { query: { per_page: 100 }, ...options })).body.map(
            (each: { id: number }) => each.id,
          );
        const mine = await ids('/runners', { token: maintainer.token });
        assert.ok(mine.includes(own.id) && !mine.includes(shared.id));
        assert.deepEqual(await ids('/runners', { token: developer.token }), []);
        const all = await ids('/runners/all');
        assert.ok(all.includes(own.id) && all.includes(shared.id));
        assert.equal((await service.api('GET', '/runners/all', { token: maintainer.token })).status, 403);
        const ofProject = await ids(`/projects/${project.id}/runners`, { token: maintainer.token });
        assert.ok(ofProject.includes(own.id) && ofProject.includes(shared.id));
        const ofGroup = await ids(`/groups/${groupId}/runners`);
        assert.ok(!ofGroup.includes(own.id) && ofGroup.includes(shared.id));
      });

      it('filters by type, state and tags, and refuses a scope that is none', async () => {
        const tagged = await makeRunner(service, {
          runner_type: 'instance_type',
          tag_list: ['100%_"odd"', 'x'],
          paused: true,
        });
        const ids = async (query: Record<string, unknown>) =>
          (await service.api('GET', '/runners/all', { query: { per_page: 100, ...query } })).body.map(
            (each: { id: number }) => each.id,
          );
        assert.deepEqual(await ids({ tag_list: '100%_"odd",x' }), [tagged.id]);
        assert.deepEqual(await ids({ tag_list: '100' }), []);
        assert.ok((await ids({ paused: true })).includes(tagged.id));
        assert.ok(!(await ids({ status: 'active' })).includes(tagged.id));
        assert.ok((await ids({ status: 'never_contacted', type: 'instance_type' })).includes(tagged.id));
        assert.ok(!(await ids({ scope: 'specific' })).includes(tagged.id));
        for (const version of ['99.9.0', '99.10.1']) {
          const said = { token: tagged.token, system_id: version, info: { version } };
          await call('POST', '/runners/verify', said);
        }
        assert.deepEqual(await ids({ version_prefix: '99.1' }), [tagged.id]);
        assert.deepEqual(await ids({ version_prefix: '99' }), [tagged.id]);
        assert.deepEqual(await ids({ version_prefix: '9%' }), []);
        const refused = await service.api('GET', '/runners/all', { query: { scope: 'odd' } });
        assert.deepEqual([refused.status, refused.body], [400, { message: 'Scope contains invalid value' }]);
      });

      it('gives a runner to a second project, and takes it away again', async () => {
        const runner = await makeRunner(service, { runner_type: 'project_type', project_id: project.id });
        const second = await seedProject(service.core, 'second', { ownerId: maintainer.user.id });
        const path = `/projects/${second.id}/runners`;
        const body = { runner_id: runner.id };
        const give = () => service.api('POST', path, { body, token: maintainer.token });
        assert.equal((await give()).status, 201);
        assert.deepEqual((await give()).body, { message: { runner: ['has already been taken'] } });
        assert.equal(
          (await service.api('DELETE', `/runners/${runner.id}`, { token: maintainer.token })).status,
          403,
        );
        const remove = () => service.api('DELETE', `${path}/${runner.id}`, { token: maintainer.token });
        assert.equal((await remove()).status, 204);
        assert.equal((await remove()).status, 404);
        const last = await service.api('DELETE', `/projects/${project.id}/runners/${runner.id}`);
        assert.equal(last.status, 403);
        await service.api('PUT', `/runners/${runner.id}`, { body: { locked: true } });
        const locked = await give();
        assert.deepEqual(
          [locked.status, locked.body],
          [403, { message: '403 Forbidden - Runner is locked' }],
        );
      });
    });
  });
}
