import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { dialects } from '../../../test/support/databases.ts';
import { seedUser } from '../../../test/support/seed.ts';
import type { CallOptions } from '../../../test/support/service.ts';
import type { ProjectWithNamespace } from '../../core/projects/find.ts';
import { MergeRequestBench } from '../merge-requests/testing.ts';
import { systemNote } from './system-note.ts';

const bodies = (notes: { body: string }[]) => notes.map(({ body }) => body);

for (const kind of dialects) {
  describe(`notes on a merge request on ${kind}`, () => {
    let bench: MergeRequestBench;
    let project: ProjectWithNamespace;
    let id: number;
    before(async () => {
      bench = await MergeRequestBench.open(kind);
      project = await bench.prepare();
      ({ id } = await bench.opened(project));
    });
    after(() => bench.service.close());

    const call = (method: string, rest = '', options: CallOptions = {}) =>
      bench.service.api(method, bench.at(project, `/1/notes${rest}`), options);
    const write = async (body: Record<string, unknown>, options: CallOptions = {}) => {
      const reply = await call('POST', '', { body, ...options });
      assert.equal(reply.status, 201, reply.text);
      return reply.body;
    };
    /** The merge request's notes as they are from here on, as if there had been none. */
    const fresh = () => bench.service.core.db.deleteFrom('notes').execute();

    it('are written, read, changed and deleted', async () => {
      const note = await write({ body: 'Hello' }, { token: bench.reporter.token });
      assert.deepEqual(
        [note.body, note.type, note.system, note.internal, note.noteable_type, note.noteable_id],
        ['Hello', null, false, false, 'MergeRequest', id],
      );
      assert.deepEqual([note.noteable_iid, note.project_id, note.resolvable], [1, project.id, false]);
      assert.equal(note.author.username, 'reporter');
      assert.deepEqual((await call('GET', `/${note.id}`)).body, note);
      const changed = await call('PUT', `/${note.id}`, { body: { body: 'Hi' } });
      assert.deepEqual([changed.status, changed.body.body], [200, 'Hi']);
      assert.equal((await call('PUT', `/${note.id}`, { body: {} })).body.body, 'Hi');
      assert.equal((await call('DELETE', `/${note.id}`)).status, 204);
      assert.deepEqual((await call('GET', `/${note.id}`)).body, { message: '404 Note Not Found' });
    });

    it('are listed newest first, or as asked', async () => {
      await fresh();
      for (const [day, body] of ['one', 'two', 'three'].entries()) {
        await write({ body, created_at: `2020-01-0${day + 1}T00:00:00Z` });
      }
      const list = async (query: Record<string, unknown>) => bodies((await call('GET', '', { query })).body);
      assert.deepEqual(await list({}), ['three', 'two', 'one']);
      assert.deepEqual(await list({ sort: 'asc' }), ['one', 'two', 'three']);
      const [, middle] = (await call('GET')).body;
      await call('PUT', `/${middle.id}`, { body: { body: 'TWO' } });
      assert.deepEqual(await list({ order_by: 'updated_at' }), ['TWO', 'three', 'one']);
      const page = await call('GET', '', { query: { per_page: 2, page: 2, sort: 'asc' } });
      assert.deepEqual(bodies(page.body), ['three']);
      assert.deepEqual([page.headers['x-total'], page.headers['x-total-pages']], ['3', '2']);
      assert.match(page.headers['link'] ?? '', /rel="prev"/);
    });

    it('are shown by what they are: comments, or activity', async () => {
      await fresh();
      const { core } = bench.service;
      await write({ body: 'comment' });
      const noteable = { projectId: project.id, type: 'MergeRequest', id, iid: 1 } as const;
      await core.database.transaction((tx) =>
        systemNote(tx, core, { noteable, authorId: 1, body: 'closed' }),
      );
      const list = async (activity_filter: string) =>
        bodies((await call('GET', '', { query: { activity_filter, sort: 'asc' } })).body);
      assert.deepEqual(await list('all_notes'), ['comment', 'closed']);
      assert.deepEqual(await list('only_comments'), ['comment']);
      assert.deepEqual(await list('only_activity'), ['closed']);
      assert.equal((await bench.get(project, '/1')).body.user_notes_count, 1);
      const [activity] = (await call('GET')).body;
      assert.equal(activity.system, true);
      assert.equal((await call('PUT', `/${activity.id}`, { body: { body: 'x' } })).status, 403);
      assert.equal((await call('DELETE', `/${activity.id}`)).status, 403);
    });

    it('change the merge request that they are on', async () => {
      const { db } = bench.service.core;
      const touched = async () => {
        const { updated_at } = await db
          .selectFrom('merge_requests')
          .select('updated_at')
          .where('id', '=', id)
          .executeTakeFirstOrThrow();
        await db.updateTable('merge_requests').set({ updated_at: 1 }).where('id', '=', id).execute();
        return updated_at !== 1;
      };
      await touched();
      const note = await write({ body: 'x', created_at: '2001-01-01T00:00:00Z' });
      assert.equal(await touched(), true);
      await call('PUT', `/${note.id}`, { body: { body: 'y' } });
      assert.equal(await touched(), true);
      await call('GET', `/${note.id}`);
      assert.equal(await touched(), false);
    });

    it('take the time they are said to be of from owners alone', async () => {
      const created_at = '2016-03-11T03:45:40Z';
      const own = await write({ body: 'x', created_at });
      assert.deepEqual(
        [own.created_at, own.updated_at],
        ['2016-03-11T03:45:40.000Z', '2016-03-11T03:45:40.000Z'],
      );
      const other = await write({ body: 'x', created_at }, { token: bench.dev.token });
      assert.notEqual(other.created_at, own.created_at);
      for (const wrong of ['yesterday', '1969-12-31T23:59:59Z']) {
        const bad = await call('POST', '', { body: { body: 'x', created_at: wrong } });
        assert.deepEqual([bad.status, bad.body], [400, { error: 'created_at is invalid' }]);
      }
    });

    it('belong to their authors and to maintainers', async () => {
      const { token } = bench.dev;
      const { id: note } = await write({ body: 'mine' }, { token: bench.reporter.token });
      assert.equal((await call('PUT', `/${note}`, { body: { body: 'x' }, token })).status, 403);
      assert.equal((await call('DELETE', `/${note}`, { token })).status, 403);
      const edit = { body: { body: 'still mine' }, token: bench.reporter.token };
      assert.equal((await call('PUT', `/${note}`, edit)).body.body, 'still mine');
      const headers = { 'if-unmodified-since': 'Mon, 01 Jan 2001 00:00:00 GMT' };
      assert.equal((await call('DELETE', `/${note}`, { headers })).status, 412);
      assert.equal((await call('DELETE', `/${note}`, { token: bench.reporter.token })).status, 204);
    });

    it('marked internal are for the team', async () => {
      await fresh();
      const open = await bench.prepare({});
      await bench.service.core.db
        .updateTable('projects')
        .set({ visibility: 'public' })
        .where('id', '=', open.id)
        .execute();
      await bench.opened(open);
      const { token } = await seedUser(bench.service.core, 'passer-by');
      const at = bench.at(open, '/1/notes');
      const api = bench.service.api;
      const secret = await api('POST', at, { body: { body: 'secret', internal: true } });
      assert.deepEqual([secret.status, secret.body.internal, secret.body.confidential], [201, true, true]);
      await api('POST', at, { body: { body: 'former name', confidential: true } });
      await api('POST', at, { body: { body: 'open', confidential: true, internal: false } });
      const seen = async (token: string) => bodies((await api('GET', `${at}?sort=asc`, { token })).body);
      assert.deepEqual(await seen(bench.reporter.token), ['secret', 'former name', 'open']);
      assert.deepEqual(await seen(token), ['open']);
      assert.deepEqual(await seen(bench.guest.token), ['open']);
      assert.equal((await api('GET', at, { token })).headers['x-total'], '1');
      assert.equal((await api('GET', `${at}/${secret.body.id}`, { token })).status, 404);
      const refused = await api('POST', at, { token, body: { body: 'x', internal: true } });
      assert.equal(refused.status, 403);
      const threads = await api('GET', bench.at(open, '/1/discussions'), { token });
      assert.deepEqual([threads.headers['x-total'], threads.body.length], ['1', 1]);
    });

    it('are for members alone where the discussion is locked', async () => {
      await bench.service.core.db
        .updateTable('projects')
        .set({ visibility: 'public' })
        .where('id', '=', project.id)
        .execute();
      const { token } = await seedUser(bench.service.core, 'visitor');
      const { id: own } = await write({ body: 'before' }, { token });
      await bench.put(project, '/1', { discussion_locked: true });
      assert.equal((await call('POST', '', { token, body: { body: 'x' } })).status, 403);
      assert.equal((await call('PUT', `/${own}`, { token, body: { body: 'x' } })).status, 403);
      assert.equal((await call('GET', `/${own}`, { token })).status, 200);
      await write({ body: 'member' }, { token: bench.guest.token });
      await bench.put(project, '/1', { discussion_locked: false });
      await write({ body: 'again' }, { token });
    });

    const refused: [string, Record<string, unknown>, RegExp][] = [
      ['no text', {}, /^\{"error":"body is missing"\}$/],
      ['a blank', { body: ' \n' }, /can't be blank/],
      ['a list', { body: ['x'] }, /^\{"error":"body is invalid"\}$/],
      ['a NUL byte', { body: 'a\0b' }, /Bad Request/],
      ['too much', { body: 'x'.repeat(1_000_001) }, /too long/],
      ['a vague secret', { body: 'x', internal: 'maybe' }, /^\{"error":"internal is invalid"\}$/],
    ];
    for (const [name, body, text] of refused) {
      it(`refuses ${name}`, async () => {
        const reply = await call('POST', '', { body });
        assert.equal(reply.status, 400);
        assert.match(reply.text, text);
      });
    }

    it('refuses what does not exist and orders that mean nothing', async () => {
      const at = (rest: string) => bench.service.api('GET', bench.at(project, rest));
      assert.deepEqual((await at('/99/notes')).body, { message: '404 Not found' });
      assert.deepEqual((await at('/x/notes')).body, { error: 'merge_request_iid is invalid' });
      assert.equal((await call('GET', '/99999999999999999999')).status, 400);
      assert.deepEqual((await call('GET', '/0')).body, { message: '404 Note Not Found' });
      for (const query of [
        { sort: 'up' },
        { order_by: 'id' },
        { activity_filter: 'some' },
        { per_page: 0 },
      ]) {
        assert.equal((await call('GET', '', { query })).status, 400);
      }
    });

    it('stay as they are in an archived project', async () => {
      const archived = await bench.prepare();
      await bench.opened(archived);
      const at = bench.at(archived, '/1/notes');
      const { body: note } = await bench.service.api('POST', at, { body: { body: 'x' } });
      await bench.service.api('POST', `/projects/${archived.id}/archive`);
      for (const [method, path] of [
        ['POST', at],
        ['PUT', `${at}/${note.id}`],
        ['DELETE', `${at}/${note.id}`],
      ] as const) {
        assert.equal((await bench.service.api(method, path, { body: { body: 'y' } })).status, 403, method);
      }
      assert.equal((await bench.service.api('GET', at)).body.length, 1);
    });

    it('are not for guests who may not read the merge request', async () => {
      const closed = await bench.prepare();
      await bench.opened(closed);
      const at = bench.at(closed, '/1/notes');
      const { token } = bench.guest;
      assert.equal((await bench.service.api('GET', at, { token })).status, 403);
      assert.equal((await bench.service.api('POST', at, { token, body: { body: 'x' } })).status, 403);
    });
  });
}
