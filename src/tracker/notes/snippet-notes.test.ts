import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { dialects } from '../../../test/support/databases.ts';
import type { CallOptions } from '../../../test/support/service.ts';
import { IssueBench } from '../issues/testing.ts';
import { deleteSnippetRow, insertSnippet } from '../snippets/store.ts';

for (const kind of dialects) {
  describe(`talk about a snippet on ${kind}`, () => {
    let bench: IssueBench;
    let path: string;
    let open: number;
    let secret: number;
    before(async () => {
      bench = await IssueBench.open(kind);
      const project = await bench.project('public');
      path = `/projects/${project.id}/snippets`;
      const snippet = (visibility: 'public' | 'private') =>
        bench.service.core.database.transaction((tx) =>
          insertSnippet(tx, {
            project_id: project.id,
            author_id: bench.dev.user.id,
            title: 'Snippet',
            file_name: 'a.txt',
            visibility,
            created_at: 1,
            updated_at: 1,
          }),
        );
      open = (await snippet('public')).id;
      secret = (await snippet('private')).id;
    });
    after(() => bench.close());

    const call = (method: string, rest: string, options: CallOptions = {}) =>
      bench.service.api(method, path + rest, options);

    it('takes notes, threads and reactions', async () => {
      const { token } = bench.stranger;
      const note = await call('POST', `/${open}/notes`, { token, body: { body: 'Nice' } });
      assert.equal(note.status, 201);
      const { noteable_type, noteable_id, noteable_iid } = note.body;
      assert.deepEqual([noteable_type, noteable_id, noteable_iid], ['Snippet', open, null]);
      const thread = await call('POST', `/${open}/discussions`, { token, body: { body: 'Why?' } });
      const notes = `/${open}/discussions/${thread.body.id}/notes`;
      assert.equal((await call('POST', notes, { body: { body: 'Because' } })).status, 201);
      const award = await call('POST', `/${open}/award_emoji`, { token, body: { name: 'heart' } });
      assert.deepEqual([award.status, award.body.awardable_type], [201, 'Snippet']);
      const onNote = `/${open}/notes/${note.body.id}/award_emoji`;
      assert.equal((await call('POST', onNote, { body: { name: 'eyes' } })).status, 201);
      assert.equal((await call('GET', `/${open}/notes`, { token })).body.length, 3);
      assert.equal((await call('GET', `/${open}/time_stats`)).status, 404);
    });

    it('has no secrets of its own', async () => {
      const refused = await call('POST', `/${open}/notes`, { body: { body: 'x', internal: true } });
      assert.equal(refused.status, 400);
      assert.match(refused.text, /can not be set for this type of note/);
    });

    it('is for those who may read the snippet', async () => {
      const { token } = bench.stranger;
      const { body: note } = await call('POST', `/${secret}/notes`, { body: { body: 'x' } });
      for (const rest of ['notes', `notes/${note.id}`, 'discussions', 'award_emoji']) {
        assert.equal((await call('GET', `/${secret}/${rest}`, { token })).status, 404, rest);
      }
      assert.equal((await call('POST', `/${secret}/notes`, { token, body: { body: 'x' } })).status, 404);
      assert.equal((await call('GET', `/${secret}/notes`, { token: bench.guest.token })).status, 200);
    });

    it('goes with the snippet', async () => {
      const { core } = bench.service;
      await core.database.transaction((tx) => deleteSnippetRow(tx, open));
      const left = await core.db.selectFrom('notes').select('id').where('noteable_id', '=', open).execute();
      const awards = await core.db.selectFrom('award_emoji').select('id').execute();
      assert.deepEqual([left.length, awards.length], [0, 0]);
    });
  });
}
