import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { dialects } from '../../../test/support/databases.ts';
import type { CallOptions } from '../../../test/support/service.ts';
import { IssueBench } from '../issues/testing.ts';

for (const kind of dialects) {
  describe(`talk about an issue on ${kind}`, () => {
    let bench: IssueBench;
    let path: string;
    before(async () => {
      bench = await IssueBench.open(kind);
      const project = await bench.project('public');
      path = `/projects/${project.id}/issues`;
      await bench.made(path, { title: 'Open' });
      await bench.made(path, { title: 'Secret', confidential: true });
    });
    after(() => bench.close());

    const call = (method: string, rest: string, options: CallOptions = {}) =>
      bench.service.api(method, path + rest, options);
    const as = (person: { token: string }, body?: Record<string, unknown>) => ({
      token: person.token,
      ...(body && { body }),
    });

    it('takes notes from everybody who may read it', async () => {
      const { status, body } = await call('POST', '/1/notes', as(bench.stranger, { body: 'Me too' }));
      assert.equal(status, 201);
      assert.deepEqual([body.noteable_type, body.noteable_iid, body.resolvable], ['Issue', 1, false]);
      const issue = (await call('GET', '/1')).body;
      assert.equal(issue.user_notes_count, 1);
      assert.equal(body.noteable_id, issue.id);
      assert.equal((await call('PUT', `/1/notes/${body.id}`, as(bench.stranger, { body: 'x' }))).status, 200);
      assert.equal((await call('DELETE', `/1/notes/${body.id}`, as(bench.dev))).status, 403);
      assert.equal((await call('DELETE', `/1/notes/${body.id}`)).status, 204);
    });

    it('has threads, which nobody resolves', async () => {
      const { status, body: thread } = await call(
        'POST',
        '/1/discussions',
        as(bench.guest, { body: 'Why?' }),
      );
      assert.equal(status, 201);
      const [note] = thread.notes;
      assert.deepEqual([note.type, note.resolvable, 'resolved' in note], ['DiscussionNote', false, false]);
      const notes = `/1/discussions/${thread.id}/notes`;
      const answer = await call('POST', notes, as(bench.stranger, { body: 'Because' }));
      assert.equal(answer.status, 201);
      const changed = await call('PUT', `${notes}/${note.id}`, as(bench.guest, { body: 'Why then?' }));
      assert.deepEqual([changed.status, changed.body.body], [200, 'Why then?']);
      assert.equal((await call('PUT', `${notes}/${note.id}`, as(bench.dev, { body: 'x' }))).status, 403);
      assert.equal((await call('PUT', `/1/discussions/${thread.id}?resolved=true`)).status, 404);
      const { body: all } = await call('GET', '/1/discussions', as(bench.stranger));
      assert.equal(all.find(({ id }: { id: string }) => id === thread.id).notes.length, 2);
      assert.equal((await call('DELETE', `${notes}/${answer.body.id}`, as(bench.stranger))).status, 204);
    });

    it('about a confidential one is for those who may know of it', async () => {
      const told = await call('POST', '/2/notes', as(bench.reporter, { body: 'sh' }));
      assert.equal(told.status, 201);
      const { body: thread } = await call('POST', '/2/discussions', { body: { body: 'sh!' } });
      const tries: [method: string, rest: string][] = [
        ['GET', '/2/notes'],
        ['GET', `/2/notes/${told.body.id}`],
        ['POST', '/2/notes'],
        ['PUT', `/2/notes/${told.body.id}`],
        ['DELETE', `/2/notes/${told.body.id}`],
        ['GET', '/2/discussions'],
        ['GET', `/2/discussions/${thread.id}`],
        ['POST', '/2/discussions'],
        ['POST', `/2/discussions/${thread.id}/notes`],
        ['GET', '/2/award_emoji'],
        ['POST', '/2/award_emoji'],
        ['GET', `/2/notes/${told.body.id}/award_emoji`],
        ['GET', '/2/time_stats'],
        // a note of another issue is not found below this one
        ['GET', `/1/notes/${told.body.id}`],
        ['GET', `/1/discussions/${thread.id}`],
      ];
      for (const [method, rest] of tries) {
        for (const person of [bench.stranger, bench.guest]) {
          const options = as(person, method === 'GET' ? undefined : { body: 'x', name: 'tada' });
          assert.equal((await call(method, rest, options)).status, 404, `${method} ${rest}`);
        }
      }
      const { body } = await call('GET', '/2/notes', as(bench.reporter));
      assert.equal(body.length, 2);
    });

    it('keeps internal threads within the team', async () => {
      const secret = await call('POST', '/1/notes', as(bench.reporter, { body: 'psst', internal: true }));
      assert.equal(secret.body.internal, true);
      const { discussion_id: id } = await bench.service.core.db
        .selectFrom('notes')
        .select('discussion_id')
        .where('id', '=', secret.body.id)
        .executeTakeFirstOrThrow();
      const notes = `/1/discussions/${id}/notes`;
      assert.equal((await call('POST', notes, as(bench.guest, { body: 'What?' }))).status, 404);
      const answer = await call('POST', notes, as(bench.dev, { body: 'psst!' }));
      assert.equal(answer.body.internal, true);
      assert.equal((await call('GET', `/1/discussions/${id}`, as(bench.guest))).status, 404);
      assert.equal((await call('GET', `/1/discussions/${id}`, as(bench.dev))).body.notes.length, 2);
    });

    it('has reactions and time, shown with the issue', async () => {
      await call('POST', '/1/award_emoji', as(bench.stranger, { name: 'thumbsup' }));
      await call('POST', '/1/award_emoji', as(bench.guest, { name: '-1' }));
      assert.equal((await call('POST', '/1/time_estimate', { body: { duration: '1d' } })).status, 200);
      assert.equal((await call('POST', '/1/add_spent_time', { body: { duration: '2h' } })).status, 201);
      const denied = await call('POST', '/1/add_spent_time', as(bench.guest, { duration: '2h' }));
      assert.equal(denied.status, 403);
      const { body } = await call('GET', '/1');
      assert.deepEqual([body.upvotes, body.downvotes], [1, 1]);
      assert.deepEqual(body.time_stats, {
        time_estimate: 28_800,
        total_time_spent: 7200,
        human_time_estimate: '1d',
        human_total_time_spent: '2h',
      });
      assert.deepEqual((await call('GET', '/1/time_stats')).body, body.time_stats);
    });

    it('is gone with the issue, and cannot begin again', async () => {
      const { id } = await bench.made(path, { title: 'Short-lived' });
      await call('POST', '/3/notes', { body: { body: 'x' } });
      await call('POST', '/3/award_emoji', { body: { name: 'tada' } });
      await call('POST', '/3/add_spent_time', { body: { duration: '1h' } });
      assert.equal((await call('DELETE', '/3')).status, 204);
      const { db } = bench.service.core;
      const notes = await db.selectFrom('notes').select('id').where('noteable_id', '=', id).execute();
      const awards = await db
        .selectFrom('award_emoji')
        .select('id')
        .where('awardable_id', '=', id)
        .where('awardable_type', '=', 'Issue')
        .execute();
      const logs = await db.selectFrom('timelogs').select('id').where('target_id', '=', id).execute();
      assert.deepEqual([notes.length, awards.length, logs.length], [0, 0, 0]);
      assert.equal((await call('POST', '/3/notes', { body: { body: 'x' } })).status, 404);
    });
  });
}
