import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { dialects } from '../../test/support/databases.ts';
import { type Forge, openForge, type TestProject } from './testing.ts';

const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

for (const kind of dialects) {
  describe(`commit comments and discussions on ${kind}`, () => {
    let forge: Forge;
    let target: TestProject;
    let first: string;
    let change: string;

    before(async () => {
      forge = await openForge(kind);
      const work = await forge.workTree();
      const lines = Array.from({ length: 30 }, (_, i) => `line ${i + 1}`);
      first = await work.save({ 'a.txt': lines.join('\n'), 'b.txt': 'b\n' }, 'First');
      await work.git('mv', 'a.txt', 'new name.txt');
      const edited = ['line 1', 'LINE 2', ...lines.slice(2, 19), ...lines.slice(20), '++ 31'];
      change = await work.save({ 'new name.txt': edited.join('\n') }, 'Change');
      await work.git('branch', 'topic');
      target = await forge.project({ work });
    });
    after(() => forge[Symbol.asyncDispose]());

    const post = (sha: string, body: Record<string, unknown>) =>
      target.commits('POST', `/${sha}/comments`, { body });
    const place = ({ path, line, line_type }: Record<string, unknown>) => [path, line, line_type];

    it('has a comment on the commit as a whole', async () => {
      const { status, body } = await post(first, { note: 'Fine' });
      assert.equal(status, 201);
      assert.deepEqual(Object.keys(body), ['note', 'path', 'line', 'line_type', 'author', 'created_at']);
      assert.deepEqual([body.note, ...place(body)], ['Fine', null, null, null]);
      assert.deepEqual([body.author.username, body.author.email], ['root', 'admin@example.com']);
      assert.match(body.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      const list = await target.commits('GET', `/${first}/comments`);
      assert.deepEqual(list.body, [body]);
      assert.equal(list.headers['x-total'], '1');
      assert.match(list.body[0].author.created_at, /Z$/);
    });

    const path = 'new name.txt';
    const placed: [name: string, asked: Record<string, unknown>][] = [
      ['an added line', { path, line: 2, line_type: 'new' }],
      ['an added line, as text', { path, line: '2' }],
      ['a removed line', { path, line: 2, line_type: 'old' }],
      ['a removed line of its own old number', { path, line: 20, line_type: 'old' }],
      ['a line that begins with plus signs', { path, line: 30, line_type: 'new' }],
    ];
    for (const [name, asked] of placed) {
      it(`places a comment on ${name}`, async () => {
        const { status, body } = await post(change, { note: name, ...asked });
        assert.deepEqual(
          [status, ...place(body)],
          [201, path, Number(asked['line']), asked['line_type'] ?? 'new'],
        );
      });
    }

    const nowhere: [name: string, asked: Record<string, unknown>][] = [
      ['an unchanged line', { path, line: 1, line_type: 'new' }],
      ['an unchanged line of the old side', { path, line: 1, line_type: 'old' }],
      ['a line past the end', { path, line: 31_000, line_type: 'new' }],
      ['line nought', { path, line: 0, line_type: 'new' }],
      ['a negative line', { path, line: -2, line_type: 'new' }],
      ['the former name', { path: 'a.txt', line: 2, line_type: 'old' }],
      ['a file that did not change', { path: 'b.txt', line: 1, line_type: 'new' }],
      ['no such file', { path: '../../etc/passwd', line: 1, line_type: 'new' }],
      ['a line without a path', { line: 2, line_type: 'new' }],
    ];
    for (const [name, asked] of nowhere) {
      it(`puts a comment on ${name} under the commit`, async () => {
        const { status, body } = await post('topic', { note: name, ...asked });
        assert.deepEqual([status, ...place(body)], [201, null, null, null]);
      });
    }

    it('lists them oldest first, in pages, by any name of the commit', async () => {
      const { body, headers } = await target.commits('GET', '/topic/comments', { query: { per_page: 3 } });
      assert.deepEqual(
        body.map(({ note }: { note: string }) => note),
        placed.slice(0, 3).map(([name]) => name),
      );
      assert.equal(headers['x-total'], String(placed.length + nowhere.length));
      const all = await target.commits('GET', `/${change}/comments`);
      assert.equal(all.body.length, placed.length + nowhere.length);
    });

    it('keeps the comments of each project to itself', async () => {
      const work = await forge.workTree();
      await work.git('fetch', '--quiet', target.repo.path, 'main:copy');
      const other = await forge.project({ work });
      assert.deepEqual((await other.commits('GET', `/${change}/comments`)).body, []);
    });

    const refused: [body: Record<string, unknown>, answer: RegExp][] = [
      [{}, /^\{"error":"note is missing"\}$/],
      [{ note: '' }, /^\{"message":"400 Bad request - Note .*can't be blank/],
      [{ note: ' \n' }, /can't be blank/],
      [{ note: ['x'] }, /^\{"error":"note is invalid"\}$/],
      [{ note: 'x', path: 'a' }, /^\{"error":"line is missing"\}$/],
      [{ note: 'x', path: 'a', line: 'b' }, /^\{"error":"line is invalid"\}$/],
      [
        { note: 'x', path: 'a', line: 1, line_type: 'both' },
        /^\{"error":"line_type does not have a valid value"\}$/,
      ],
      [{ note: 'x'.repeat(1_000_001) }, /too long/],
    ];
    it('refuses what is no comment', async () => {
      for (const [body, answer] of refused) {
        const reply = await post(first, body);
        assert.equal(reply.status, 400);
        assert.match(reply.text, answer);
      }
      assert.equal((await post('nowhere', { note: 'x' })).text, '{"message":"404 Commit Not Found"}');
      assert.equal((await post(first, { note: 'a\0b' })).status, 400);
    });

    it('lets everybody comment who may read the code, nobody else', async () => {
      const guest = await forge.person('guest');
      const reporter = await forge.person('reporter');
      await target.admit(guest, 'guest');
      await target.admit(reporter, 'reporter');
      const stranger = await forge.person('stranger');
      const as = async (token: string) =>
        (await target.commits('POST', `/${first}/comments`, { token, body: { note: 'x' } })).status;
      assert.deepEqual(
        [await as(guest.token), await as(reporter.token), await as(stranger.token)],
        [403, 201, 404],
      );
    });

    it('tells the other rooms', async () => {
      const { events } = forge.service.core;
      await events.idle();
      const before = (await events.readSince(0, ['note.created'], 1000)).length;
      await post(first, { note: 'Told' });
      await events.idle();
      const told = (await events.readSince(0, ['note.created'], 1000)).slice(before);
      assert.deepEqual(
        told.map(({ payload }) => [payload.noteableType, payload.commitId]),
        [['Commit', first]],
      );
    });

    describe('discussions', () => {
      const call = (method: string, path: string, body?: Record<string, unknown>, token?: string) =>
        target.commits(method, `/main~1/discussions${path}`, {
          ...(body && { body }),
          ...(token && { token }),
        });

      it('shows comments as notes of their own, threads as threads', async () => {
        const { body, headers } = await target.commits('GET', `/${change}/discussions`);
        assert.equal(headers['x-total'], String(placed.length + nowhere.length));
        const [inline] = body;
        const plain = body.at(-1);
        assert.deepEqual([plain.individual_note, plain.notes[0].type], [true, null]);
        assert.deepEqual([plain.notes[0].noteable_type, plain.notes[0].noteable_id], ['Commit', null]);
        assert.deepEqual([inline.individual_note, inline.notes[0].type], [false, 'DiffNote']);
        assert.equal(inline.notes[0].commit_id, change);
        assert.equal(inline.notes[0].resolvable, false);
        assert.deepEqual(inline.notes[0].position, {
          base_sha: first,
          start_sha: first,
          head_sha: change,
          old_path: 'a.txt',
          new_path: 'new name.txt',
          position_type: 'text',
          old_line: null,
          new_line: 2,
          line_range: null,
        });
      });

      it('goes through the life of a thread', async () => {
        const begun = await call('POST', '', { body: 'Why?' });
        assert.equal(begun.status, 201, begun.text);
        const { id } = begun.body;
        assert.match(id, /^[0-9a-f]{40}$/);
        assert.deepEqual([begun.body.individual_note, begun.body.notes.length], [false, 1]);
        const answer = await call('POST', `/${id}/notes`, { body: 'Because.' });
        assert.deepEqual([answer.status, answer.body.body], [201, 'Because.']);
        const note = `/${id}/notes/${answer.body.id}`;
        assert.equal((await call('GET', note)).body.id, answer.body.id);
        const changed = await call('PUT', note, { body: 'Because!' });
        assert.deepEqual([changed.status, changed.body.body], [200, 'Because!']);
        const thread = (await call('GET', `/${id}`)).body;
        assert.deepEqual(
          thread.notes.map(({ body }: { body: string }) => body),
          ['Why?', 'Because!'],
        );
        assert.equal((await call('DELETE', note)).status, 204);
        assert.equal((await call('GET', note)).status, 404);
        assert.equal((await call('GET', `/${id}`)).body.notes.length, 1);
        assert.equal((await call('DELETE', `/${id}/notes/${begun.body.notes[0].id}`)).status, 204);
        assert.deepEqual((await call('GET', `/${id}`)).body, { message: '404 Discussion Not Found' });
      });

      const at = (position: Record<string, unknown>) =>
        target.commits('POST', `/${change}/discussions`, { body: { body: 'Here', position } });
      const ends = () => ({ base_sha: first, start_sha: first, head_sha: change, position_type: 'text' });
      const names = { old_path: 'a.txt', new_path: 'new name.txt' };

      it('begins threads on added, removed and unchanged lines', async () => {
        for (const lines of [{ new_line: 2 }, { old_line: 20 }, { old_line: 1, new_line: 1 }]) {
          const { status, body } = await at({ ...ends(), ...names, ...lines });
          assert.equal(status, 201, JSON.stringify(body));
          const { old_line, new_line } = body.notes[0].position;
          assert.deepEqual({ old_line, new_line }, { old_line: null, new_line: null, ...lines });
        }
      });

      it('takes the position as nested form fields', async () => {
        const position = { ...ends(), ...names, new_line: '2' };
        const form = new URLSearchParams({ body: 'Form' });
        for (const [key, value] of Object.entries(position)) form.set(`position[${key}]`, value);
        const { status, body } = await target.commits('POST', `/${change}/discussions`, {
          payload: form.toString(),
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
        });
        assert.deepEqual([status, body.notes[0].position.new_line], [201, 2]);
      });

      it('knows the lines of a commit without a parent', async () => {
        const position = {
          base_sha: EMPTY_TREE,
          start_sha: EMPTY_TREE,
          head_sha: first,
          new_path: 'b.txt',
          new_line: 1,
        };
        const { status } = await call('POST', '', { body: 'Root', position });
        assert.equal(status, 201);
      });

      it('refuses a position that is not in the diff', async () => {
        const cases: [Record<string, unknown>, RegExp][] = [
          [
            { ...names, new_line: 2 },
            /^\{"error":"position\[base_sha\] is missing, position\[start_sha\] is missing, position\[head_sha\] is missing"\}$/,
          ],
          [{ ...ends(), ...names }, /line_code/],
          [{ ...ends(), ...names, new_line: 1 }, /line_code/],
          [{ ...ends(), ...names, new_line: 9_999 }, /line_code/],
          [{ ...ends(), new_path: 'nowhere', new_line: 1 }, /position/],
          [{ ...ends(), new_line: 2 }, /position/],
          [{ ...ends(), ...names, new_line: 2, head_sha: first }, /position/],
          [
            { ...ends(), ...names, new_line: 2, position_type: 'sound' },
            /position\[position_type\] does not have a valid value/,
          ],
        ];
        for (const [position, text] of cases) {
          const reply = await at(position);
          assert.equal(reply.status, 400);
          assert.match(reply.text, text);
        }
      });

      it('leaves a note to its author and to maintainers', async () => {
        const [author, peer] = [await forge.person('author'), await forge.person('peer')];
        await target.admit(author, 'developer');
        await target.admit(peer, 'developer');
        const { body } = await call('POST', '', { body: 'Mine' }, author.token);
        const note = `/${body.id}/notes/${body.notes[0].id}`;
        assert.equal((await call('PUT', note, { body: 'His' }, peer.token)).status, 403);
        assert.equal((await call('DELETE', note, undefined, peer.token)).status, 403);
        assert.equal((await call('PUT', note, { body: 'Mine!' }, author.token)).status, 200);
        assert.equal((await call('DELETE', note)).status, 204);
      });

      it('answers 404 for what is not there, 400 for what is no text', async () => {
        const { body } = await call('POST', '', { body: 'A thread' });
        const id = body.id as string;
        const other = await target.commits('GET', `/${change}/discussions/${id}`);
        assert.deepEqual(other.body, { message: '404 Discussion Not Found' });
        assert.equal((await call('GET', `/${'0'.repeat(40)}`)).status, 404);
        assert.equal((await call('POST', `/${'0'.repeat(40)}/notes`, { body: 'x' })).status, 404);
        assert.deepEqual((await call('GET', `/${id}/notes/999999`)).body, { message: '404 Note Not Found' });
        assert.equal((await call('GET', `/${id}/notes/x`)).status, 400);
        assert.deepEqual((await call('POST', '', {})).body, { error: 'body is missing' });
        assert.equal((await call('POST', `/${id}/notes`, { body: ' ' })).status, 400);
      });
    });
  });
}
