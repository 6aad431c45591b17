import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { dialects } from '../../../../test/support/databases.ts';
import type { CallOptions } from '../../../../test/support/service.ts';
import type { ProjectWithNamespace } from '../../../core/projects/find.ts';
import { MergeRequestBench } from '../../merge-requests/testing.ts';

for (const kind of dialects) {
  describe(`resolving threads on ${kind}`, () => {
    let bench: MergeRequestBench;
    let project: ProjectWithNamespace;
    before(async () => {
      bench = await MergeRequestBench.open(kind);
      project = await bench.prepare({ only_allow_merge_if_all_discussions_are_resolved: true });
      await bench.opened(project);
    });
    after(() => bench.service.close());

    const call = (method: string, rest = '', options: CallOptions = {}) =>
      bench.service.api(method, bench.at(project, `/1/discussions${rest}`), options);
    const begin = async () => (await call('POST', '', { body: { body: 'Please change' } })).body;
    const resolve = (id: string, resolved: unknown, options: CallOptions = {}) =>
      call('PUT', `/${id}`, { query: { resolved }, ...options });
    const state = async () => {
      const { body } = await bench.get(project, '/1');
      return [body.blocking_discussions_resolved, body.detailed_merge_status];
    };

    it('unblocks the merge request, and opening one again blocks it', async () => {
      assert.deepEqual(await state(), [true, 'mergeable']);
      const thread = await begin();
      await call('POST', `/${thread.id}/notes`, { body: { body: 'Sure' } });
      assert.deepEqual(await state(), [false, 'discussions_not_resolved']);
      const { status, body } = await resolve(thread.id, true, { token: bench.dev.token });
      assert.equal(status, 200);
      for (const note of body.notes) {
        assert.deepEqual([note.resolved, note.resolved_by.username], [true, 'dev']);
        assert.match(note.resolved_at, /Z$/);
      }
      assert.deepEqual(await state(), [true, 'mergeable']);
      const again = await resolve(thread.id, true);
      assert.equal(again.body.notes[0].resolved_by.username, 'dev');
      const open = await resolve(thread.id, false);
      assert.deepEqual([open.body.notes[0].resolved, open.body.notes[0].resolved_by], [false, null]);
      assert.deepEqual(await state(), [false, 'discussions_not_resolved']);
      await resolve(thread.id, true);
    });

    it('is said once all are', async () => {
      const [one, two] = [await begin(), await begin()];
      const { db } = bench.service.core;
      await db.deleteFrom('notes').where('system', '=', 1).execute();
      const said = async () =>
        (await db.selectFrom('notes').select('body').where('system', '=', 1).execute()).map(
          ({ body }) => body,
        );
      await resolve(one.id, true);
      assert.deepEqual(await said(), []);
      await resolve(two.id, true);
      await resolve(two.id, true);
      assert.deepEqual(await said(), ['resolved all threads']);
    });

    it('works note by note', async () => {
      const thread = await begin();
      const { body: answer } = await call('POST', `/${thread.id}/notes`, { body: { body: 'Done' } });
      const at = (id: number) => `/${thread.id}/notes/${id}`;
      const done = await call('PUT', at(answer.id), { query: { resolved: true } });
      assert.deepEqual([done.status, done.body.resolved, done.body.body], [200, true, 'Done']);
      assert.equal((await state())[0], false);
      await call('PUT', at(thread.notes[0].id), { body: { resolved: true } });
      assert.equal((await state())[0], true);
      await call('POST', `/${thread.id}/notes`, { body: { body: 'One more thing' } });
      assert.equal((await state())[0], false);
      await resolve(thread.id, true);
      const both = await call('PUT', at(answer.id), { body: { body: 'x', resolved: true } });
      assert.deepEqual(both.body, { error: 'body, resolved are mutually exclusive' });
      const none = await call('PUT', at(answer.id), { body: {} });
      assert.match(none.text, /exactly one parameter must be provided/);
    });

    it('is for developers and for the author of the merge request', async () => {
      const thread = await begin();
      const note = `/${thread.id}/notes/${thread.notes[0].id}`;
      const { token } = bench.reporter;
      assert.equal((await resolve(thread.id, true, { token })).status, 403);
      assert.equal((await call('PUT', note, { body: { resolved: true }, token })).status, 403);
      await bench.service.core.db
        .updateTable('merge_requests')
        .set({ author_id: bench.reporter.user.id })
        .execute();
      assert.equal((await resolve(thread.id, true, { token })).status, 200);
    });

    it('is not for notes that stand alone, nor for what is not there', async () => {
      const notes = bench.at(project, '/1/notes');
      const { body: note } = await bench.service.api('POST', notes, { body: { body: 'alone' } });
      const row = await bench.service.core.db
        .selectFrom('notes')
        .select('discussion_id')
        .where('id', '=', note.id)
        .executeTakeFirstOrThrow();
      assert.equal((await resolve(row.discussion_id, true)).status, 403);
      const one = await call('PUT', `/${row.discussion_id}/notes/${note.id}`, { body: { resolved: true } });
      assert.deepEqual(
        [one.status, one.body],
        [400, { message: '400 Bad request - Note is not resolvable' }],
      );
      assert.equal((await resolve('0'.repeat(40), true)).status, 404);
      assert.equal((await resolve("' or 1=1 --", true)).status, 404);
      const { id } = await begin();
      assert.deepEqual((await resolve(id, 'maybe')).body, { error: 'resolved is invalid' });
      assert.deepEqual((await call('PUT', `/${id}`)).body, { error: 'resolved is missing' });
    });

    it('by many at once leaves one who did it', async () => {
      const thread = await begin();
      const tokens = Array.from({ length: 6 }, (_, i) => (i % 2 ? bench.dev.token : bench.service.rootToken));
      const replies = await Promise.all(tokens.map((token) => resolve(thread.id, true, { token })));
      assert.deepEqual(
        replies.map(({ status }) => status),
        tokens.map(() => 200),
      );
      const names = new Set(replies.map(({ body }) => body.notes[0].resolved_by.username));
      assert.equal(names.size, 1);
    });
  });
}
