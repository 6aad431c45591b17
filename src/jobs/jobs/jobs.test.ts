import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { dialects } from '../../../test/support/databases.ts';
import { type Person, seedCommit, seedMember, seedProject, seedUser } from '../../../test/support/seed.ts';
import { type CallOptions, startService, type TestService } from '../../../test/support/service.ts';
import { Level } from '../../core/access/levels.ts';
import type { ProjectWithNamespace } from '../../core/projects/find.ts';
import { issueJobToken } from '../../core/tokens/job-tokens.ts';
import { type JobSpec, type SeededPipeline, seedPipeline } from '../processing/testing.ts';

for (const kind of dialects) {
  describe(`jobs over HTTP on ${kind}`, () => {
    let service: TestService;
    let project: ProjectWithNamespace;
    let sha: string;
    let dev: Person;
    let reporter: Person;
    let stranger: Person;
    before(async () => {
      service = await startService({ kind });
      project = await seedProject(service.core, 'jobs');
      sha = await seedCommit(service.core, project, {
        branch: 'main',
        files: { a: '1' },
        message: 'First\n',
      });
      dev = await seedUser(service.core, 'dev');
      reporter = await seedUser(service.core, 'reporter');
      stranger = await seedUser(service.core, 'stranger');
      await seedMember(service.core, project, dev.user, Level.developer);
      await seedMember(service.core, project, reporter.user, Level.reporter);
    });
    after(() => service.close());

    const seed = (jobs: Record<string, JobSpec>, in_: { id: number } = project) =>
      seedPipeline(service.core, in_, jobs, { sha, userId: dev.user.id });
    const call = (method: string, path: string, options?: CallOptions) =>
      service.api(method, `/projects/${project.id}${path}`, options);
    const tokenOf = (jobId: number, projectId: number) =>
      service.core.database.transaction((tx) =>
        issueJobToken(tx, { jobId, userId: dev.user.id, projectId }, service.core.clock.now()),
      );
    const post = async (pipeline: SeededPipeline, name: string, action: string, options?: CallOptions) =>
      call('POST', `/jobs/${(await pipeline.job(name)).id}/${action}`, options);

    describe('one job', () => {
      it('has what clients read, with its types', async () => {
        const pipeline = await seed({ build: { tags: ['arm', 'linux'], allowFailure: true } });
        await pipeline.run('build');
        await pipeline.finish('build', { status: 'failed', failureReason: 'script_failure', coverage: 81.5 });
        const { id } = await pipeline.job('build');
        const { status, body } = await call('GET', `/jobs/${id}`);
        assert.equal(status, 200);
        const { user, commit, created_at, started_at, finished_at, ...rest } = body;
        for (const time of [created_at, started_at, finished_at]) assert.match(time, /^\d{4}-.*Z$/);
        assert.ok(rest.duration >= 0 && rest.queued_duration >= 0);
        assert.deepEqual([user.username, user.bio, user.organization], ['dev', '', '']);
        assert.deepEqual([commit.id, commit.title, commit.author_name], [sha, 'First', 'Ann']);
        assert.deepEqual(
          [rest.status, rest.name, rest.stage, rest.ref, rest.tag, rest.coverage, rest.allow_failure],
          ['failed', 'build', 'stage 0', 'main', false, 81.5, true],
        );
        assert.equal(rest.failure_reason, 'script_failure');
        assert.deepEqual(rest.tag_list, ['arm', 'linux']);
        assert.deepEqual(
          [rest.pipeline.id, rest.pipeline.sha, rest.pipeline.ref],
          [pipeline.id, sha, 'main'],
        );
        assert.equal(rest.web_url, `${service.baseUrl}/root/jobs/-/jobs/${id}`);
        assert.deepEqual([rest.artifacts, rest.artifacts_expire_at, rest.runner], [[], null, null]);
        assert.ok(!('artifacts_file' in rest) && !('download_url' in rest));
      });

      it('waits: it has no start, and a reason only once it has failed', async () => {
        const pipeline = await seed({ build: {}, next: { stage: 1 } });
        const { body } = await call('GET', `/jobs/${(await pipeline.job('build')).id}`);
        assert.deepEqual(
          [body.status, body.started_at, body.finished_at, body.duration],
          ['pending', null, null, null],
        );
        assert.equal(typeof body.queued_duration, 'number');
        assert.ok(!('failure_reason' in body));
        const next = await call('GET', `/jobs/${(await pipeline.job('next')).id}`);
        assert.equal(next.body.queued_duration, null);
      });

      it('is refused to whom it is not for, in the right words', async () => {
        const { id } = await (await seed({ build: {} })).job('build');
        assert.equal((await call('GET', `/jobs/${id}`, { token: null })).status, 401);
        const unseen = await call('GET', `/jobs/${id}`, { token: stranger.token });
        assert.deepEqual([unseen.status, unseen.body], [404, { message: '404 Project Not Found' }]);
        const unknown = await call('GET', '/jobs/99999999');
        assert.deepEqual([unknown.status, unknown.body], [404, { message: '404 Not found' }]);
        const word = await call('GET', '/jobs/abc');
        assert.deepEqual([word.status, word.body], [400, { error: 'job_id is invalid' }]);
        const elsewhere = await seedProject(service.core, `other-${kind}`);
        assert.equal((await service.api('GET', `/projects/${elsewhere.id}/jobs/${id}`)).status, 404);
      });

      it('is read by its own token while it runs', async () => {
        const pipeline = await seed({ build: {} });
        const { id } = await pipeline.run('build');
        const token = await tokenOf(id, project.id);
        const own = await service.api('GET', '/job', { token: null, headers: { 'job-token': token } });
        assert.deepEqual([own.status, own.body.id, own.body.status], [200, id, 'running']);
        const personal = await service.api('GET', '/job', { token: dev.token });
        assert.deepEqual([personal.status, personal.body], [404, { message: '404 Job Not Found' }]);
        await pipeline.finish('build');
        const late = await service.api('GET', '/job', { token: null, query: { job_token: token } });
        assert.equal(late.status, 401);
      });
    });

    describe('what agents are told of a running job', () => {
      const ask = (options: CallOptions) => service.api('GET', '/job/allowed_agents', options);
      const by = (token: string) => ask({ token: null, headers: { 'job-token': token } });

      it('is who it is, by its own token', async () => {
        const top = (await service.api('POST', '/groups', { body: { name: 'top', path: 'top' } })).body.id;
        const sub = await service.api('POST', '/groups', {
          body: { name: 'sub', path: 'sub', parent_id: top },
        });
        const body = { path: 'agents', namespace_id: sub.body.id };
        const home = (await service.api('POST', '/projects', { body })).body;
        await service.api('POST', `/projects/${home.id}/members`, {
          body: { user_id: dev.user.id, access_level: Level.developer },
        });
        const pipeline = await seed({ ship: {}, plain: {} }, home);
        const { id } = await pipeline.run('ship');
        const { db } = service.core;
        await db.updateTable('jobs').set({ environment: 'review/One' }).where('id', '=', id).execute();
        const reply = await by(await tokenOf(id, home.id));
        assert.equal(reply.status, 200, reply.text);
        const { environment, ...rest } = reply.body;
        assert.deepEqual(rest, {
          allowed_agents: [],
          job: { id },
          pipeline: { id: pipeline.id },
          project: { id: home.id, groups: [{ id: sub.body.id }, { id: top }] },
          user: {
            id: dev.user.id,
            username: 'dev',
            roles_in_project: ['guest', 'planner', 'reporter', 'developer'],
          },
        });
        assert.match(environment.slug, /^review-one-[a-z0-9]+$/);
        assert.equal(environment.tier, 'development');
        const plain = await pipeline.run('plain');
        assert.equal('environment' in (await by(await tokenOf(plain.id, home.id))).body, false);
      });

      it('is told to nobody else', async () => {
        const personal = await ask({ token: dev.token });
        assert.deepEqual([personal.status, personal.body], [404, { message: '404 Job Not Found' }]);
        assert.equal((await ask({ token: null })).status, 401);
        const pipeline = await seed({ build: {} });
        const { id } = await pipeline.run('build');
        const token = await tokenOf(id, project.id);
        assert.deepEqual((await by(token)).body.project, { id: project.id, groups: [] });
        await pipeline.finish('build');
        assert.equal((await by(token)).status, 401);
      });
    });

    describe('the list of a project', () => {
      let home: ProjectWithNamespace;
      const list = (query: Record<string, unknown> = {}, path = '/jobs') =>
        service.api('GET', `/projects/${home.id}${path}`, { query });
      const names = async (query: Record<string, unknown>) => {
        const reply = await list(query);
        assert.equal(reply.status, 200, reply.text);
        return reply.body.map(({ name }: { name: string }) => name);
      };
      before(async () => {
        home = await seedProject(service.core, 'listed');
        const first = await seed({ a: {}, b: { when: 'manual' }, c: { stage: 1 } }, home);
        await first.run('a');
        await seedPipeline(service.core, home, { d: {}, bridge: { kind: 'bridge' } }, { ref: 'other' });
      });

      it('has the newest first, without totals and bridges', async () => {
        const reply = await list({ per_page: 3 });
        assert.deepEqual(
          reply.body.map(({ name }: { name: string }) => name),
          ['d', 'c', 'b'],
        );
        assert.equal(reply.headers['x-next-page'], '2');
        assert.ok(!('x-total' in reply.headers) && !reply.headers['link']!.includes('last'));
        assert.deepEqual(await names({ per_page: 3, page: 2 }), ['a']);
      });

      it('takes the scope in every spelling', async () => {
        assert.deepEqual(await names({ scope: 'running' }), ['a']);
        assert.deepEqual(await names({ scope: ['running', 'manual'] }), ['b', 'a']);
        assert.deepEqual(await names({ scope: ['pending', 'created', 'pending'] }), ['d', 'c']);
        assert.deepEqual(await names({ scope: { x: 'running' } }), ['a']);
        assert.deepEqual(await names({ scope: 'scheduled' }), []);
        for (const scope of ['nonsense', ['running', 'x'], 'run,ning']) {
          const reply = await list({ scope });
          assert.deepEqual([reply.status, reply.body], [400, { error: 'scope does not have a valid value' }]);
        }
      });

      it('is narrowed by name, ref and time', async () => {
        assert.deepEqual(await names({ name: 'a' }), ['a']);
        assert.deepEqual(await names({ ref: 'other' }), ['d']);
        assert.deepEqual(await names({ ref: 'main', scope: 'manual' }), ['b']);
        const now = Date.now();
        const iso = (ms: number) => new Date(ms).toISOString();
        assert.deepEqual(await names({ created_after: iso(now + 3600_000) }), []);
        assert.equal((await names({ created_after: iso(now - 3600_000) })).length, 4);
        await service.core.db
          .updateTable('jobs')
          .set({ created_at: 5000 })
          .where('name', '=', 'a')
          .where('project_id', '=', home.id)
          .execute();
        assert.deepEqual(await names({ created_before: iso(now - 3600_000) }), ['a']);
        assert.deepEqual(
          await names({ created_after: iso(5000), created_before: iso(5000), scope: ['manual', 'running'] }),
          ['a'],
        );
      });

      it('is followed by position to its end', async () => {
        const seen: string[] = [];
        let query: Record<string, unknown> = {
          pagination: 'keyset',
          per_page: 2,
          scope: ['pending', 'manual', 'running', 'created'],
        };
        for (let pages = 0; pages < 5; pages++) {
          const reply = await list(query);
          seen.push(...reply.body.map(({ name }: { name: string }) => name));
          const next = /<([^>]+)>; rel="next"/.exec(reply.headers['link'] ?? '');
          if (!next) break;
          assert.ok(!('x-page' in reply.headers));
          const link = new URL(next[1]!);
          query = { ...query, cursor: link.searchParams.get('cursor') };
        }
        assert.deepEqual(seen, ['d', 'c', 'b', 'a']);
        assert.equal((await list({ pagination: 'keyset', cursor: 'bm9uc2Vuc2U' })).status, 400);
      });

      it('is for who may see jobs', async () => {
        assert.equal((await list({})).status, 200);
        const anonymous = await service.api('GET', `/projects/${home.id}/jobs`, { token: null });
        assert.equal(anonymous.status, 401);
      });

      it('is asked for no more often than the instance allows', async () => {
        const limit = (value: number) =>
          service.api('PUT', '/application/settings', { body: { project_jobs_api_rate_limit: value } });
        await limit(1);
        const replies = [
          await call('GET', '/jobs', { token: dev.token }),
          await call('GET', '/jobs', { token: dev.token }),
        ];
        await limit(0);
        assert.deepEqual(
          replies.map(({ status }) => status),
          [200, 429],
        );
      });
    });

    describe('the list of a pipeline', () => {
      it('has its current jobs, and the others when asked', async () => {
        const pipeline = await seed({ a: {}, b: {} });
        await pipeline.run('a');
        await pipeline.finish('a', { status: 'failed' });
        await post(pipeline, 'a', 'retry');
        const list = (query = {}) => call('GET', `/pipelines/${pipeline.id}/jobs`, { query });
        const plain = await list();
        assert.deepEqual(
          plain.body.map(({ name, status }: { name: string; status: string }) => [name, status]),
          [
            ['a', 'pending'],
            ['b', 'pending'],
          ],
        );
        assert.equal(plain.headers['x-total'], '2');
        const all = await list({ include_retried: true, scope: ['failed', 'pending'] });
        assert.deepEqual(
          all.body.map(({ name }: { name: string }) => name),
          ['a', 'b', 'a'],
        );
        assert.equal((await list({ scope: { x: 'failed' } })).status, 400);
        const unknown = await call('GET', '/pipelines/99999999/jobs');
        assert.deepEqual([unknown.status, unknown.body], [404, { message: '404 Not found' }]);
      });
    });

    describe('cancelling', () => {
      it('answers `canceled` without an end; the next read has it', async () => {
        const pipeline = await seed({ build: {} });
        await pipeline.run('build');
        const reply = await post(pipeline, 'build', 'cancel', { token: dev.token });
        assert.deepEqual([reply.status, reply.body.status, reply.body.finished_at], [201, 'canceled', null]);
        const { body } = await call('GET', `/jobs/${reply.body.id}`);
        assert.equal(body.status, 'canceled');
        assert.match(body.finished_at, /Z$/);
      });

      it('gives a runner that can the time to end', async () => {
        const pipeline = await seed({ build: {} });
        await pipeline.run('build', { cancel_gracefully: 1 });
        const reply = await post(pipeline, 'build', 'cancel');
        assert.equal(reply.body.status, 'canceled');
        assert.equal((await pipeline.job('build')).status, 'canceling');
        const force = { body: { force: true } };
        assert.equal((await post(pipeline, 'build', 'cancel', { ...force, token: dev.token })).status, 403);
        assert.equal((await post(pipeline, 'build', 'cancel', force)).body.status, 'canceled');
        assert.equal((await pipeline.job('build')).status, 'canceled');
      });

      it('of what has ended changes nothing', async () => {
        const pipeline = await seed({ build: {} });
        await pipeline.run('build');
        await pipeline.finish('build');
        const reply = await post(pipeline, 'build', 'cancel');
        assert.deepEqual([reply.status, reply.body.status], [201, 'success']);
        assert.match(reply.body.finished_at, /Z$/);
      });

      it('is for developers', async () => {
        const pipeline = await seed({ build: {} });
        for (const action of ['cancel', 'retry', 'play', 'erase']) {
          assert.equal((await post(pipeline, 'build', action, { token: reporter.token })).status, 403);
          assert.equal((await post(pipeline, 'build', action, { token: null })).status, 401);
          assert.equal((await post(pipeline, 'build', action, { token: stranger.token })).status, 404);
        }
      });

      it('of a job of a protected branch is for who may push there', async () => {
        const pipeline = await seed({ build: {} });
        await service.core.db
          .updateTable('jobs')
          .set({ protected: 1 })
          .where('pipeline_id', '=', pipeline.id)
          .execute();
        await service.api('POST', `/projects/${project.id}/protected_branches`, {
          body: { name: 'main', push_access_level: 40, merge_access_level: 40 },
        });
        assert.equal((await post(pipeline, 'build', 'cancel', { token: dev.token })).status, 403);
        assert.equal((await post(pipeline, 'build', 'cancel')).status, 201);
        await service.api('DELETE', `/projects/${project.id}/protected_branches/main`);
      });
    });

    describe('retrying', () => {
      it('gives a new pending job of the same name and leaves the old one', async () => {
        const pipeline = await seed({ build: {} });
        await pipeline.run('build');
        await pipeline.finish('build', { status: 'failed' });
        const old = await pipeline.job('build');
        const reply = await post(pipeline, 'build', 'retry', { token: dev.token });
        assert.equal(reply.status, 201);
        const { id, status, name, started_at, finished_at, duration } = reply.body;
        assert.notEqual(id, old.id);
        assert.deepEqual(
          [status, name, started_at, finished_at, duration],
          ['pending', 'build', null, null, null],
        );
        assert.equal((await call('GET', `/jobs/${old.id}`)).body.status, 'failed');
        const again = await call('POST', `/jobs/${old.id}/retry`);
        assert.deepEqual(
          [again.status, again.body],
          [403, { message: '403 Forbidden - Job is not retryable' }],
        );
      });

      it('is refused while the job goes on', async () => {
        const pipeline = await seed({ build: {}, ask: { when: 'manual' } });
        for (const name of ['build', 'ask']) {
          assert.equal((await post(pipeline, name, 'retry')).status, 403);
        }
      });
    });

    describe('playing', () => {
      it('says `started`, and the job waits for a runner with the variables given', async () => {
        const pipeline = await seed({ ask: { when: 'manual' } });
        const variables = [{ key: 'TARGET', value: 'moon' }];
        const reply = await post(pipeline, 'ask', 'play', { body: { job_variables_attributes: variables } });
        const { status, started_at, finished_at, duration } = reply.body;
        assert.deepEqual(
          [reply.status, status, started_at, finished_at, duration],
          [200, 'started', null, null, null],
        );
        const { id, status: now, user_id: user } = await pipeline.job('ask');
        assert.deepEqual([now, user], ['pending', 1]);
        const row = await service.core.db
          .selectFrom('job_definitions')
          .select('variables')
          .where('job_id', '=', id)
          .executeTakeFirstOrThrow();
        assert.deepEqual(JSON.parse(row.variables), [{ key: 'TARGET', value: 'moon', raw: false }]);
      });

      it('names the variable that lacks something, and leaves the job alone', async () => {
        const pipeline = await seed({ ask: { when: 'manual' } });
        const reply = await post(pipeline, 'ask', 'play', {
          body: { job_variables_attributes: [{ key: 'A', value: '1' }, { value: 'x' }] },
        });
        assert.deepEqual(
          [reply.status, reply.body],
          [400, { error: 'job_variables_attributes[1][key] is missing' }],
        );
        assert.equal((await pipeline.job('ask')).status, 'manual');
      });

      it('is refused for what begins by itself', async () => {
        const reply = await post(await seed({ build: {} }), 'build', 'play');
        assert.deepEqual([reply.status, reply.body], [400, { message: '400 Bad request - Unplayable Job' }]);
      });
    });

    describe('erasing', () => {
      const withArchive = async () => {
        const pipeline = await seed({ build: {} });
        await pipeline.run('build');
        await pipeline.finish('build', { status: 'failed' });
        const { id } = await pipeline.job('build');
        await service.core.db
          .insertInto('job_artifacts')
          .values({
            project_id: project.id,
            pipeline_id: pipeline.id,
            job_id: id,
            file_type: 'archive',
            file_format: 'zip',
            filename: 'artifacts.zip',
            size: 12,
            sha256: '00',
            state: 'stored',
            created_at: 1,
            expire_at: null,
          })
          .execute();
        return { pipeline, id };
      };

      it('takes artifacts away and keeps the state', async () => {
        const { pipeline, id } = await withArchive();
        assert.deepEqual((await call('GET', `/jobs/${id}`)).body.artifacts_file, {
          filename: 'artifacts.zip',
          size: 12,
        });
        const reply = await post(pipeline, 'build', 'erase', { token: dev.token });
        assert.deepEqual([reply.status, reply.body.status, reply.body.download_url], [201, 'failed', null]);
        assert.deepEqual(reply.body.artifacts, []);
        assert.match(reply.body.erased_at, /Z$/);
        const again = await post(pipeline, 'build', 'erase');
        assert.deepEqual(
          [again.status, again.body],
          [403, { message: '403 Forbidden - Job is not erasable!' }],
        );
      });

      it('of the jobs of others is for maintainers, and never while it runs', async () => {
        const { pipeline, id } = await withArchive();
        await service.core.db.updateTable('jobs').set({ user_id: 1 }).where('id', '=', id).execute();
        assert.equal((await post(pipeline, 'build', 'erase', { token: dev.token })).status, 403);
        const running = await seed({ build: {} });
        await running.run('build');
        assert.equal((await post(running, 'build', 'erase')).status, 403);
      });
    });
  });
}
