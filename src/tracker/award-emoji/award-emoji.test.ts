import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { dialects } from '../../../test/support/databases.ts';
import { seedUser } from '../../../test/support/seed.ts';
import type { CallOptions } from '../../../test/support/service.ts';
import type { ProjectWithNamespace } from '../../core/projects/find.ts';
import { MergeRequestBench } from '../merge-requests/testing.ts';
import { systemNote } from '../notes/system-note.ts';
import { EmojiNames } from './names.ts';
import { reactionCounts } from './store.ts';

describe('names of emoji', () => {
  const names = new EmojiNames();
  const known: [name: string, canonical: string | null][] = [
    ['thumbsup', 'thumbsup'],
    ['+1', 'thumbsup'],
    ['-1', 'thumbsdown'],
    ['tada', 'tada'],
    ['1234', '1234'],
    ['thumbsup_tone3', 'thumbsup_tone3'],
    ['slightly_smiling_face', 'slight_smile'],
    [':thumbsup:', null],
    ['THUMBSUP', null],
    ['👍', null],
    ['nothing_of_the_kind', null],
    ['__proto__', null],
    ['constructor', null],
    ['', null],
  ];
  for (const [name, canonical] of known) {
    it(`${JSON.stringify(name)} is ${canonical ?? 'none'}`, async () => {
      assert.equal(await names.canonical(name), canonical);
    });
  }
});

for (const kind of dialects) {
  describe(`reactions on ${kind}`, () => {
    let bench: MergeRequestBench;
    let project: ProjectWithNamespace;
    let mergeRequestId: number;
    let noteId: number;
    before(async () => {
      bench = await MergeRequestBench.open(kind);
      project = await bench.prepare();
      ({ id: mergeRequestId } = await bench.opened(project));
      const at = bench.at(project, '/1/notes');
      ({ id: noteId } = (await bench.service.api('POST', at, { body: { body: 'Hello' } })).body);
    });
    after(() => bench.service.close());

    const call = (method: string, rest: string, options: CallOptions = {}) =>
      bench.service.api(method, bench.at(project, `/1${rest}`), options);
    const places = () =>
      [
        ['a merge request', '/award_emoji', mergeRequestId, 'MergeRequest'],
        ['a note', `/notes/${noteId}/award_emoji`, noteId, 'Note'],
      ] as const;

    it('are given, listed, read and taken back', async () => {
      for (const [name, at, id, type] of places()) {
        const { status, body } = await call('POST', at, { body: { name: 'rocket' } });
        assert.equal(status, 201, name);
        assert.deepEqual([body.name, body.awardable_id, body.awardable_type], ['rocket', id, type]);
        assert.deepEqual([body.user.username, body.url], ['root', null]);
        await call('POST', at, { body: { name: 'tada' }, token: bench.reporter.token });
        const list = await call('GET', at);
        assert.deepEqual(
          list.body.map(({ name, user }: { name: string; user: { username: string } }) => [
            name,
            user.username,
          ]),
          [
            ['rocket', 'root'],
            ['tada', 'reporter'],
          ],
        );
        assert.equal(list.headers['x-total'], '2');
        assert.deepEqual((await call('GET', `${at}/${body.id}`)).body, body);
        assert.equal((await call('DELETE', `${at}/${body.id}`)).status, 204);
        assert.deepEqual((await call('GET', `${at}/${body.id}`)).body, { message: '404 Not found' });
        assert.equal((await call('GET', at, { query: { per_page: 1 } })).body.length, 1);
      }
    });

    it('are given once by each, whatever they are called', async () => {
      for (const [, at] of places()) {
        const { body } = await call('POST', at, { query: { name: '+1' } });
        assert.equal(body.name, 'thumbsup');
        const again = await call('POST', at, { body: { name: 'thumbsup' } });
        assert.equal(again.status, 404);
        assert.match(again.body.message, /Award Emoji.*has already been taken/);
        const { status } = await call('POST', at, { body: { name: '+1' }, token: bench.dev.token });
        assert.equal(status, 201);
      }
    });

    it('are given once also when asked for many times at once', async () => {
      const replies = await Promise.all(
        Array.from({ length: 5 }, () => call('POST', '/award_emoji', { body: { name: 'eyes' } })),
      );
      assert.deepEqual(replies.map(({ status }) => status).sort(), [201, 404, 404, 404, 404]);
    });

    it('are counted, thumbs up and down apart', async () => {
      await call('POST', '/award_emoji', { body: { name: '-1' }, token: bench.reporter.token });
      const counts = await reactionCounts(bench.service.core.db, 'MergeRequest', [
        mergeRequestId,
        mergeRequestId + 1,
      ]);
      assert.deepEqual([...counts], [[mergeRequestId, { upvotes: 2, downvotes: 1 }]]);
      const ofNote = await reactionCounts(bench.service.core.db, 'Note', [noteId]);
      assert.deepEqual(ofNote.get(noteId), { upvotes: 2, downvotes: 0 });
      const { upvotes, downvotes } = (await call('GET', '')).body;
      assert.deepEqual({ upvotes, downvotes }, { upvotes: 2, downvotes: 1 });
      const [listed] = (await bench.get(project, '')).body;
      assert.deepEqual([listed.upvotes, listed.downvotes], [2, 1]);
    });

    it('are taken back by who gave them, and by administrators', async () => {
      const given = { body: { name: 'fire' }, token: bench.reporter.token };
      const { id } = (await call('POST', '/award_emoji', given)).body;
      const at = `/award_emoji/${id}`;
      assert.equal((await call('DELETE', at, { token: bench.dev.token })).status, 401);
      const headers = { 'if-unmodified-since': 'Mon, 01 Jan 2001 00:00:00 GMT' };
      assert.equal((await call('DELETE', at, { headers })).status, 412);
      assert.equal((await call('DELETE', at)).status, 204);
    });

    it('refuse what is no emoji', async () => {
      const missing = await call('POST', '/award_emoji', { body: {} });
      assert.deepEqual([missing.status, missing.body], [400, { error: 'name is missing' }]);
      for (const name of ['nonsense', '', ' ', '../x', 'x'.repeat(100_000)]) {
        const { status, body } = await call('POST', '/award_emoji', { body: { name } });
        assert.deepEqual([status, body.message.slice(0, 15)], [404, '404 Award Emoji']);
      }
      assert.equal((await call('POST', '/award_emoji', { body: { name: 'a\0' } })).status, 400);
      assert.equal((await call('POST', '/award_emoji', { body: { name: ['tada'] } })).status, 400);
      assert.equal((await call('GET', '/award_emoji/x')).status, 400);
      assert.equal((await call('GET', '/notes/0/award_emoji')).status, 404);
    });

    it('are not for the notes of the service, nor for strangers where talk is locked', async () => {
      const { core } = bench.service;
      const noteable = { projectId: project.id, type: 'MergeRequest', id: mergeRequestId, iid: 1 } as const;
      const note = await core.database.transaction((tx) =>
        systemNote(tx, core, { noteable, authorId: 1, body: 'closed' }),
      );
      const onActivity = await call('POST', `/notes/${note.id}/award_emoji`, { body: { name: 'tada' } });
      assert.deepEqual([onActivity.status, onActivity.body], [404, { message: '404 Award Emoji Not Found' }]);
      await core.db
        .updateTable('projects')
        .set({ visibility: 'public' })
        .where('id', '=', project.id)
        .execute();
      const { token } = await seedUser(core, 'visitor');
      const react = async () =>
        (await call('POST', '/award_emoji', { body: { name: 'heart' }, token })).status;
      await bench.put(project, '/1', { discussion_locked: true });
      assert.equal(await react(), 404);
      await bench.put(project, '/1', { discussion_locked: false });
      assert.equal(await react(), 201);
    });

    it('go with the note and with the merge request', async () => {
      const { db } = bench.service.core;
      const left = async (type: 'Note' | 'MergeRequest') =>
        (await db.selectFrom('award_emoji').select('id').where('awardable_type', '=', type).execute()).length;
      const other = await call('POST', '/notes', { body: { body: 'second' } });
      await call('POST', `/notes/${other.body.id}/award_emoji`, { body: { name: 'tada' } });
      await call('DELETE', `/notes/${noteId}`);
      assert.equal(await left('Note'), 1);
      await call('POST', '/add_spent_time', { body: { duration: '1h' } });
      assert.equal((await bench.service.api('DELETE', bench.at(project, '/1'))).status, 204);
      assert.deepEqual([await left('Note'), await left('MergeRequest')], [0, 0]);
      assert.deepEqual(await db.selectFrom('timelogs').selectAll().execute(), []);
    });
  });
}
