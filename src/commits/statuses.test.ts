import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { dialects } from '../../test/support/databases.ts';
import { insertProtectedBranch } from '../core/repository/protection-store.ts';
import { type Forge, openForge, type TestProject } from './testing.ts';

for (const kind of dialects) {
  describe(`commit statuses on ${kind}`, () => {
    let forge: Forge;
    let target: TestProject;
    let first: string;
    let last: string;

    before(async () => {
      forge = await openForge(kind);
      const work = await forge.workTree();
      first = await work.save({ a: 'a\n' }, 'First');
      last = await work.save({ b: 'b\n' }, 'Last');
      await work.git('branch', 'another', first);
      target = await forge.project({ work });
    });
    after(() => forge[Symbol.asyncDispose]());

    type Body = Record<string, unknown>;
    const post = (sha: string, body: Body, token?: string) =>
      target.call('POST', `/statuses/${sha}`, { body, ...(token && { token }) });
    const list = (sha: string, query: Body = {}) => target.commits('GET', `/${sha}/statuses`, { query });

    it('makes a status, moves it on, and makes a new one after its end', async () => {
      const made = await post(last, { state: 'pending', name: 'ci/build' });
      assert.equal(made.status, 201);
      assert.deepEqual(Object.keys(made.body), [
        ...['id', 'sha', 'ref', 'status', 'name', 'target_url', 'description', 'created_at', 'started_at'],
        ...['finished_at', 'allow_failure', 'coverage', 'pipeline_id', 'author'],
      ]);
      assert.deepEqual([made.body.sha, made.body.ref, made.body.status], [last, 'main', 'pending']);
      const done = await post(last, {
        state: 'success',
        context: 'ci/build',
        coverage: '98.5',
        description: 'Built',
        target_url: 'https://ci.example.com/1',
      });
      assert.equal(done.body.id, made.body.id);
      assert.deepEqual(
        [done.body.coverage, done.body.description, done.body.target_url],
        [98.5, 'Built', 'https://ci.example.com/1'],
      );
      const next = await post(last, { state: 'failed', name: 'ci/build' });
      assert.notEqual(next.body.id, made.body.id);
      const shown = async (query: Body) => (await list(last, query)).body.map(({ id }: { id: number }) => id);
      assert.deepEqual(await shown({ name: 'ci/build' }), [next.body.id]);
      assert.deepEqual(await shown({ name: 'ci/build', all: true }), [made.body.id, next.body.id]);
      assert.deepEqual(await shown({ name: 'ci/build', all: 1, sort: 'desc' }), [next.body.id, made.body.id]);
    });

    it('shows in the commit', async () => {
      const target = await forge.project({ work: await workWith('x') });
      const { id } = (await target.commits('GET', '/main')).body;
      await target.call('POST', `/statuses/${id}`, { body: { state: 'running' } });
      const { status, last_pipeline } = (await target.commits('GET', '/main')).body;
      assert.deepEqual(
        [status, last_pipeline.status, last_pipeline.source],
        ['running', 'running', 'external'],
      );
      assert.deepEqual(
        [last_pipeline.sha, last_pipeline.ref, last_pipeline.project_id],
        [id, 'main', target.project.id],
      );
      await target.call('POST', `/statuses/${id}`, { body: { state: 'failed' } });
      assert.equal((await target.commits('GET', '/main')).body.status, 'failed');
    });

    async function workWith(file: string) {
      const work = await forge.workTree();
      await work.save({ [file]: 'x\n' }, 'First');
      return work;
    }

    it('hides the pipeline from those who may not read it', async () => {
      const settings = { public_jobs: false } as const;
      const open = await forge.project({ work: await workWith('y'), visibility: 'public', settings });
      await open.call('POST', '/statuses/main', { body: { state: 'success' } });
      const { token } = await forge.person('visitor');
      const { status, last_pipeline } = (await open.commits('GET', '/main', { token })).body;
      assert.deepEqual([status, last_pipeline], [null, null]);
      assert.equal((await open.commits('GET', '/main')).body.status, 'success');
    });

    it('finds the ref: the given, the newest pipeline’s, the first branch with the commit', async () => {
      const target = await forge.project({ work: await workWith('z') });
      const { id } = (await target.commits('GET', '/main')).body;
      const ref = async (body: Body) => (await target.call('POST', `/statuses/${id}`, { body })).body.ref;
      assert.equal(await ref({ state: 'success' }), 'main');
      assert.equal(await ref({ state: 'success', ref: 'elsewhere' }), 'elsewhere');
      assert.equal(await ref({ state: 'success' }), 'elsewhere');
      const filtered = await target.commits('GET', `/${id}/statuses`, { query: { ref: 'main' } });
      assert.equal(filtered.body.length, 1);
    });

    it('takes a commit by any name, but lists by the full id only', async () => {
      assert.equal((await post('another', { state: 'success', name: 'by-branch' })).body.sha, first);
      assert.equal((await list(first)).body.length, 1);
      assert.deepEqual((await list('another')).body, []);
      assert.deepEqual((await list(first.slice(0, 8))).body, []);
      assert.equal((await list('nowhere')).status, 404);
    });

    it('lists without ref those of the default branch, and of every ref where it has none', async () => {
      const target = await forge.project({ work: await workWith('refs') });
      const { id } = (await target.commits('GET', '/main')).body;
      const names = async (query: Body = {}) => {
        const { body, headers } = await target.commits('GET', `/${id}/statuses`, { query });
        assert.equal(headers['x-total'], String(body.length));
        return body.map(({ name }: { name: string }) => name);
      };
      const set = (ref: string, name: string) =>
        target.call('POST', `/statuses/${id}`, { body: { state: 'success', ref, name } });
      const { pipeline_id } = (await set('topic', 'bot')).body;
      await set('other', 'lint');
      assert.deepEqual(await names(), ['bot', 'lint']);
      assert.deepEqual(await names({ name: 'bot' }), ['bot']);
      await set('main', 'build');
      assert.deepEqual(await names(), ['build']);
      assert.deepEqual(await names({ ref: '' }), ['build']);
      assert.deepEqual(await names({ name: 'bot' }), []);
      assert.deepEqual(await names({ ref: 'topic' }), ['bot']);
      assert.deepEqual(await names({ pipeline_id }), ['bot']);
    });

    it('names the ghost where the author was deleted', async () => {
      const target = await forge.project({ work: await workWith('ghost') });
      const leaver = await forge.person('leaver');
      await target.admit(leaver, 'maintainer');
      const { id } = (await target.commits('GET', '/main')).body;
      const { token } = leaver;
      await target.call('POST', `/statuses/${id}`, { token, body: { state: 'success' } });
      await target.commits('POST', `/${id}/comments`, { token, body: { note: 'Bye' } });
      const { core } = forge.service;
      await core.database.transaction((tx) =>
        tx.deleteFrom('users').where('id', '=', leaver.user.id).execute(),
      );
      const authors = await Promise.all(
        ['statuses', 'comments', 'discussions'].map(async (list) => {
          const [first] = (await target.commits('GET', `/${id}/${list}`)).body;
          return (first.notes?.[0] ?? first).author.username;
        }),
      );
      assert.deepEqual(authors, ['ghost', 'ghost', 'ghost']);
    });

    it('comes in pages with totals', async () => {
      for (const name of ['p1', 'p2', 'p3']) await post(first, { state: 'success', name });
      const { body, headers } = await list(first, { per_page: 2, stage: 'external' });
      assert.deepEqual([body.length, headers['x-total'], headers['x-next-page']], [2, '4', '2']);
    });

    it('reads forms, and parameters of the query alone', async () => {
      const form = await target.call('POST', `/statuses/${last}`, {
        form: { state: 'success', name: 'form' },
      });
      assert.equal(form.status, 201);
      const query = await target.call('POST', `/statuses/${last}?state=success&name=query&coverage=50.5`);
      assert.deepEqual([query.status, query.body.coverage], [201, 50.5]);
      assert.equal((await post(last, { state: 'success', name: 'null', coverage: null })).status, 201);
    });

    it('refuses in GitLab’s words', async () => {
      await post(last, { state: 'running', name: 'busy' });
      const cases: [string, Body, number, unknown][] = [
        [last, {}, 400, { error: 'state is missing, state does not have a valid value' }],
        [last, { state: 'done' }, 400, { error: 'state does not have a valid value' }],
        [last, { state: 'success', coverage: 'much' }, 400, { error: 'coverage is invalid' }],
        ['nowhere', { state: 'success' }, 404, { message: '404 Commit Not Found' }],
        [
          last,
          { state: 'success', pipeline_id: 99999 },
          404,
          { message: '404 Pipeline for pipeline_id, sha and ref Not Found' },
        ],
        [
          last,
          { state: 'success', target_url: 'javascript:alert(1)' },
          400,
          { message: { target_url: ['is blocked: Only allowed schemes are http, https'] } },
        ],
        [
          last,
          { state: 'success', description: 'x'.repeat(256) },
          400,
          { message: { description: ['is too long (maximum is 255 characters)'] } },
        ],
        [
          last,
          { state: 'pending', name: 'busy' },
          400,
          {
            message:
              'Cannot transition status via :enqueue from :running (Reason(s): Status cannot transition via "enqueue")',
          },
        ],
      ];
      for (const [sha, body, status, answer] of cases) {
        const reply = await post(sha, body);
        assert.deepEqual([reply.status, reply.body], [status, answer], JSON.stringify(body));
      }
      assert.deepEqual((await list(last, { order_by: 'name' })).body, {
        error: 'order_by does not have a valid value',
      });
      assert.deepEqual((await list(last, { sort: 'up' })).body, {
        error: 'sort does not have a valid value',
      });
    });

    it('looks at the caller, then the parameters, then the project, then the right', async () => {
      const path = (id: number | string) => `/projects/${id}/statuses/${last}`;
      const { api } = forge.service;
      const good = { state: 'success' };
      assert.equal((await api('POST', path(99999), { token: null, body: {} })).status, 401);
      assert.equal((await api('POST', path(99999), { body: {} })).status, 400);
      assert.deepEqual((await api('POST', path(99999), { body: good })).body, {
        message: '404 Project Not Found',
      });
      const reporter = await forge.person('reporter');
      await target.admit(reporter, 'reporter');
      const refused = await post('nowhere', good, reporter.token);
      assert.deepEqual([refused.status, refused.body], [403, { message: '403 Forbidden' }]);
      assert.equal((await list('main')).status, 200);
    });

    it('leaves protected branches to those who may push or merge there', async () => {
      const developer = await forge.person('developer');
      await target.admit(developer, 'developer');
      await insertProtectedBranch(forge.service.core.db, {
        project_id: target.project.id,
        name: 'main',
        created_at: 0,
      });
      const onMain = await post(last, { state: 'success', ref: 'main', name: 'd' }, developer.token);
      assert.deepEqual([onMain.status, onMain.body], [403, { message: '403 Forbidden' }]);
      const elsewhere = await post(last, { state: 'success', ref: 'topic', name: 'd' }, developer.token);
      assert.equal(elsewhere.status, 201);
    });

    it('makes one row and one pipeline of one name posted at once', async () => {
      const target = await forge.project({ work: await workWith('race') });
      const { id } = (await target.commits('GET', '/main')).body;
      const replies = await Promise.all(
        Array.from({ length: 6 }, () =>
          target.call('POST', `/statuses/${id}`, { body: { state: 'success', name: 'same' } }),
        ),
      );
      assert.deepEqual(
        replies.map(({ status }) => status),
        Array(6).fill(201),
      );
      assert.equal(new Set(replies.map(({ body }) => body.pipeline_id)).size, 1);
      const { body } = await target.commits('GET', `/${id}/statuses`);
      assert.equal(body.length, 1);
    });
  });
}
