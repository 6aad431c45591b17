import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Value } from 'typebox/value';
import { dialects } from '../../../test/support/databases.ts';
import { type Person, seedCommit, seedProject, seedUser } from '../../../test/support/seed.ts';
import { startService, type TestService } from '../../../test/support/service.ts';
import { findDiscussion, listDiscussions } from './discussions.ts';
import { Discussion, loadNotePeople, Note, presentDiscussion, presentNote } from './entities.ts';
import type { Noteable } from './noteable.ts';
import { createNote, deleteNote, type NewNote, replyToThread, updateNote } from './notes.ts';
import { type NotePosition, placementOf } from './positions/position.ts';
import { countNotes, findNote, listNotes } from './store.ts';

let shas = 0;

for (const kind of dialects) {
  describe(`notes on ${kind}`, () => {
    let service: TestService;
    let ann: Person;
    let projectId: number;
    before(async () => {
      service = await startService({ kind });
      ann = await seedUser(service.core, 'ann');
      projectId = (await seedProject(service.core, 'notes')).id;
    });
    after(() => service.close());

    const onCommit = (): Noteable => ({
      projectId,
      type: 'Commit',
      commitId: String(++shas).padStart(40, 'c'),
    });
    const write = (noteable: Noteable, input: Partial<NewNote> = {}) =>
      createNote(service.core, { noteable, authorId: ann.user.id, body: 'Hello', kind: 'note', ...input });
    const slice = { limit: 20, offset: 0 };
    const position: NotePosition = {
      base_sha: 'a'.repeat(40),
      start_sha: 'a'.repeat(40),
      head_sha: 'b'.repeat(40),
      old_path: 'old.txt',
      new_path: 'new.txt',
      position_type: 'text',
      old_line: null,
      new_line: 7,
      line_range: null,
    };
    const present = async (noteable: Noteable) => {
      const { discussions } = await listDiscussions(service.core.db, noteable, slice);
      const people = await loadNotePeople(
        service.core.db,
        discussions.flatMap(({ notes }) => notes),
      );
      const presented = { people, baseUrl: 'http://x' };
      return discussions.map((discussion) => presentDiscussion(discussion, presented));
    };

    it('are listed oldest first, those of the commit and the project only', async () => {
      const [here, there] = [onCommit(), onCommit()];
      const one = await write(here);
      await write(there);
      const two = await write(here);
      const notes = await listNotes(service.core.db, here, slice);
      assert.deepEqual(
        notes.map(({ id }) => id),
        [one.id, two.id],
      );
      assert.equal(await countNotes(service.core.db, here), 2);
      assert.equal((await listNotes(service.core.db, here, { limit: 1, offset: 1 }))[0]?.id, two.id);
      assert.equal(await countNotes(service.core.db, { ...here, projectId: projectId + 1 }), 0);
      assert.equal(await findNote(service.core.db, there, one.id), undefined);
    });

    it('show what clients read', async () => {
      const noteable = onCommit();
      const note = await write(noteable);
      const people = await loadNotePeople(service.core.db, [note]);
      const shown = presentNote(note, { people, baseUrl: 'http://x' });
      assert.deepEqual([...Value.Errors(Note, shown)], []);
      assert.equal(shown.author?.username, 'ann');
      assert.deepEqual([shown.noteable_type, shown.noteable_id, shown.noteable_iid], ['Commit', null, null]);
      assert.deepEqual(
        [shown.type, shown.attachment, shown.resolvable, shown.system],
        [null, null, false, false],
      );
      assert.ok('commit_id' in shown && !('position' in shown) && !('resolved' in shown));
    });

    it('stand alone until somebody answers', async () => {
      const noteable = onCommit();
      const first = await write(noteable);
      assert.deepEqual(
        (await present(noteable)).map(({ individual_note }) => individual_note),
        [true],
      );
      await replyToThread(service.core, first, { noteable, authorId: 1, body: 'Hi' });
      const [discussion, ...others] = await present(noteable);
      assert.equal(others.length, 0);
      assert.deepEqual([...Value.Errors(Discussion, discussion)], []);
      assert.equal(discussion!.individual_note, false);
      assert.deepEqual(
        discussion!.notes.map(({ type, body }) => `${type} ${body}`),
        ['DiscussionNote Hello', 'DiscussionNote Hi'],
      );
    });

    it('make threads, in the order in which they began, a page at a time', async () => {
      const noteable = onCommit();
      const one = await write(noteable, { kind: 'thread', body: 'one' });
      const two = await write(noteable, { kind: 'thread', body: 'two' });
      await replyToThread(service.core, one, { noteable, authorId: 1, body: 'answer' });
      const all = await listDiscussions(service.core.db, noteable, slice);
      assert.deepEqual(
        all.discussions.map(({ id, notes }) => [id, notes.map(({ body }) => body)]),
        [
          [one.discussion_id, ['one', 'answer']],
          [two.discussion_id, ['two']],
        ],
      );
      assert.equal(all.total, 2);
      const second = await listDiscussions(service.core.db, noteable, { limit: 1, offset: 1 });
      assert.deepEqual(
        second.discussions.map(({ id }) => id),
        [two.discussion_id],
      );
      assert.equal((await findDiscussion(service.core.db, noteable, one.discussion_id))?.notes.length, 2);
      assert.equal(await findDiscussion(service.core.db, onCommit(), one.discussion_id), null);
      assert.equal(await findDiscussion(service.core.db, noteable, 'nothing'), null);
    });

    it('keep their place in a diff, answers too', async () => {
      const noteable = onCommit();
      const note = await write(noteable, { position });
      await replyToThread(service.core, note, { noteable, authorId: 1, body: 'Hi' });
      const [discussion] = await present(noteable);
      for (const shown of discussion!.notes) {
        assert.deepEqual([shown.type, shown.position], ['DiffNote', position]);
      }
      assert.deepEqual(placementOf(position), { path: 'new.txt', line: 7, line_type: 'new' });
      const removed = { ...position, new_line: null, old_line: 3 };
      assert.deepEqual(placementOf(removed), { path: 'old.txt', line: 3, line_type: 'old' });
      assert.deepEqual(placementOf(null), { path: null, line: null, line_type: null });
    });

    it('on a merge request can be resolved when they are threads, and count as a change of it', async () => {
      const { core } = service;
      const project = await seedProject(core, 'with-mr');
      await seedCommit(core, project, { branch: 'main', files: { a: '1' } });
      await seedCommit(core, project, { branch: 'topic', from: 'main', files: { b: '1' } });
      const path = `/projects/${project.id}/merge_requests`;
      const body = { source_branch: 'topic', target_branch: 'main', title: 'T' };
      const { body: made } = await service.api('POST', path, { body });
      await core.db.updateTable('merge_requests').set({ updated_at: 1 }).where('id', '=', made.id).execute();
      const noteable: Noteable = { projectId: project.id, type: 'MergeRequest', id: made.id, iid: 1 };
      await write(noteable, { kind: 'thread' });
      await write(noteable);
      const [thread, alone] = await present(noteable);
      assert.deepEqual([thread!.notes[0]!.resolvable, thread!.notes[0]!.resolved], [true, false]);
      assert.equal(alone!.notes[0]!.resolvable, false);
      assert.deepEqual([alone!.notes[0]!.noteable_id, alone!.notes[0]!.noteable_iid], [made.id, 1]);
      const { body: now } = await service.api('GET', `${path}/1`);
      assert.equal(now.user_notes_count, 2);
      assert.notEqual(now.updated_at, '1970-01-01T00:00:00.001Z');
      await service.api('DELETE', `${path}/1`);
      assert.equal(await countNotes(core.db, noteable), 0, 'they go with it');
    });

    it('are changed and removed, and every step is told', async () => {
      const noteable = onCommit();
      const note = await write(noteable);
      const changed = await updateNote(service.core, note, { body: 'New', userId: ann.user.id });
      await updateNote(service.core, changed, { body: 'New', userId: ann.user.id });
      assert.equal((await findNote(service.core.db, noteable, note.id))?.body, 'New');
      await deleteNote(service.core, changed, 1);
      await deleteNote(service.core, changed, 1);
      assert.equal(await findNote(service.core.db, noteable, note.id), undefined);
      const events = await service.core.db
        .selectFrom('events')
        .select(['type', 'payload'])
        .orderBy('id')
        .execute();
      const told = events
        .map(({ type, payload }) => ({ type, ...JSON.parse(payload) }))
        .filter(({ noteId }) => noteId === note.id)
        .map(({ type, userId }) => [type, userId]);
      assert.deepEqual(told, [
        ['note.created', ann.user.id],
        ['note.updated', ann.user.id],
        ['note.deleted', 1],
      ]);
    });

    it('are never blank nor endless', async () => {
      const noteable = onCommit();
      for (const body of ['', ' \n\t', 'x'.repeat(1_000_001)]) {
        await assert.rejects(write(noteable, { body }), { status: 400 });
      }
      const note = await write(noteable);
      await assert.rejects(updateNote(service.core, note, { body: ' ', userId: 1 }), {
        body: { message: `400 Bad request - Note {note: ["can't be blank"]}` },
      });
    });
  });
}
