import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { dialects } from '../../../../test/support/databases.ts';
import { seedCommit } from '../../../../test/support/seed.ts';
import type { CallOptions } from '../../../../test/support/service.ts';
import type { ProjectWithNamespace } from '../../../core/projects/find.ts';
import { MergeRequestBench } from '../../merge-requests/testing.ts';

const LINES = Array.from({ length: 30 }, (_, i) => `line ${i + 1}`);
/** Line 2 changed, line 20 gone, a last one added. */
const EDITED = ['line 1', 'LINE 2', ...LINES.slice(2, 19), ...LINES.slice(20), 'line 31'];
const text = (lines: string[]) => `${lines.join('\n')}\n`;

type Ends = { base_sha: string; start_sha: string; head_sha: string };

for (const kind of dialects) {
  describe(`threads on a merge request on ${kind}`, () => {
    let bench: MergeRequestBench;
    let project: ProjectWithNamespace;
    let ends: Ends;
    let commit: string;
    before(async () => {
      bench = await MergeRequestBench.open(kind);
      const { core } = bench.service;
      project = await bench.prepare();
      await seedCommit(core, project, {
        branch: 'main',
        files: { 'a.txt': text(LINES), 'logo.png': '\0png' },
      });
      await seedCommit(core, project, {
        branch: 'edit',
        from: 'main',
        files: { 'a.txt': null, 'logo.png': null },
      });
      const files = { 'b c.txt': text(EDITED), 'logo.png': '\0png2', 'new.txt': 'new\n' };
      commit = await seedCommit(core, project, { branch: 'edit', files });
      await bench.opened(project, { source_branch: 'edit' });
      const [version] = (await bench.get(project, '/1/versions')).body;
      ends = {
        base_sha: version.base_commit_sha,
        start_sha: version.start_commit_sha,
        head_sha: version.head_commit_sha,
      };
    });
    after(() => bench.service.close());

    const call = (method: string, rest = '', options: CallOptions = {}) =>
      bench.service.api(method, bench.at(project, `/1/discussions${rest}`), options);
    const begin = async (body: Record<string, unknown> = {}, options: CallOptions = {}) => {
      const reply = await call('POST', '', { body: { body: 'Hm', ...body }, ...options });
      assert.equal(reply.status, 201, reply.text);
      return reply.body;
    };
    const names = { old_path: 'a.txt', new_path: 'b c.txt' };

    it('go through their life', async () => {
      const thread = await begin({ body: 'Why?' });
      assert.match(thread.id, /^[0-9a-f]{40}$/);
      assert.equal(thread.individual_note, false);
      const [first] = thread.notes;
      assert.deepEqual([first.type, first.resolvable, first.resolved], ['DiscussionNote', true, false]);
      assert.deepEqual([first.resolved_by, first.resolved_at], [null, null]);
      const answer = await call('POST', `/${thread.id}/notes`, { body: { body: 'Because.' } });
      assert.deepEqual([answer.status, answer.body.type], [201, 'DiscussionNote']);
      const at = `/${thread.id}/notes/${answer.body.id}`;
      assert.deepEqual((await call('GET', at)).body, answer.body);
      assert.equal((await call('PUT', at, { body: { body: 'Because!' } })).body.body, 'Because!');
      const now = (await call('GET', `/${thread.id}`)).body;
      assert.deepEqual(
        now.notes.map(({ body }: { body: string }) => body),
        ['Why?', 'Because!'],
      );
      assert.equal((await call('DELETE', at)).status, 204);
      assert.equal((await call('GET', at)).status, 404);
      assert.equal((await call('DELETE', `/${thread.id}/notes/${first.id}`)).status, 204);
      assert.deepEqual((await call('GET', `/${thread.id}`)).body, { message: '404 Discussion Not Found' });
    });

    it('begin with a note that somebody answers', async () => {
      const notes = bench.at(project, '/1/notes');
      const { body: note } = await bench.service.api('POST', notes, { body: { body: 'alone' } });
      const threads = (await call('GET', '', { query: { per_page: 100 } })).body;
      const alone = threads.find((thread: { notes: [{ id: number }] }) => thread.notes[0].id === note.id);
      assert.deepEqual([alone.individual_note, alone.notes[0].resolvable], [true, false]);
      await call('POST', `/${alone.id}/notes`, { body: { body: 'not any more' } });
      const now = (await call('GET', `/${alone.id}`)).body;
      assert.deepEqual([now.individual_note, now.notes[0].resolvable], [false, true]);
    });

    const lines: [name: string, lines: Record<string, number>][] = [
      ['an added line', { new_line: 2 }],
      ['a removed line', { old_line: 20 }],
      ['an unchanged line', { old_line: 1, new_line: 1 }],
      ['an unchanged line that has moved', { old_line: 21, new_line: 20 }],
    ];
    for (const [name, asked] of lines) {
      it(`stand on ${name}`, async () => {
        const { notes } = await begin({ position: { ...ends, ...names, ...asked } });
        assert.equal(notes[0].type, 'DiffNote');
        const expected = { ...ends, ...names, position_type: 'text', line_range: null };
        assert.deepEqual(notes[0].position, { ...expected, old_line: null, new_line: null, ...asked });
        assert.equal(notes[0].commit_id, null);
        assert.equal(notes[0].resolvable, true);
      });
    }

    it('stand on several lines', async () => {
      const file = hash('sha1', 'b c.txt', 'hex');
      const line_range = {
        start: { line_code: `${file}_1_1`, type: 'old' },
        end: { line_code: `${file}_3_2`, type: 'new' },
      };
      const { notes } = await begin({ position: { ...ends, ...names, new_line: 2, line_range } });
      assert.deepEqual(notes[0].position.line_range, {
        start: { ...line_range.start, old_line: 1, new_line: 1 },
        end: { ...line_range.end, old_line: null, new_line: 2 },
      });
    });

    it('stand on an image and on a file as a whole', async () => {
      const image = { position_type: 'image', new_path: 'logo.png', old_path: 'logo.png' };
      const point = { width: 100, height: 50, x: 12.5, y: 50 };
      const { notes } = await begin({ position: { ...ends, ...image, ...point } });
      assert.deepEqual(notes[0].position, { ...ends, ...image, ...point });
      const file = { position_type: 'file', new_path: 'new.txt', old_path: 'new.txt' };
      const whole = await begin({ position: { ...ends, ...file } });
      assert.equal(whole.notes[0].position.position_type, 'file');
    });

    it('stand in one commit of the merge request', async () => {
      const [last] = (await bench.get(project, '/1/commits')).body;
      const place = { base_sha: last.parent_ids[0], start_sha: last.parent_ids[0], head_sha: commit };
      const position = { ...place, new_path: 'new.txt', old_path: 'new.txt', new_line: 1 };
      const { notes } = await begin({ position, commit_id: commit });
      assert.deepEqual([notes[0].commit_id, notes[0].position.head_sha], [commit, commit]);
      const foreign = await call('POST', '', { body: { body: 'x', commit_id: ends.base_sha } });
      assert.equal(foreign.status, 400);
    });

    it('keep their place, answers too, when more is pushed', async () => {
      const { core } = bench.service;
      const thread = await begin({ position: { ...ends, ...names, new_line: 2 } });
      await seedCommit(core, project, { branch: 'edit', files: { 'later.txt': 'later\n' } });
      await core.events.idle();
      const { body } = await call('POST', `/${thread.id}/notes`, { body: { body: 'Still' } });
      assert.deepEqual([body.type, body.position], ['DiffNote', thread.notes[0].position]);
      const older = await begin({ position: { ...ends, ...names, new_line: 2 } });
      assert.equal(older.notes[0].position.head_sha, ends.head_sha);
    });

    const nowhere: [name: string, position: () => Record<string, unknown>, answer: RegExp][] = [
      ['no ends', () => ({ ...names, new_line: 2 }), /position\[base_sha\] is missing/],
      ['no line', () => ({ ...ends, ...names }), /line_code/],
      ['a line on the wrong side', () => ({ ...ends, ...names, new_line: 1 }), /line_code/],
      ['a line past the end', () => ({ ...ends, ...names, new_line: 99_999 }), /line_code/],
      ['no file', () => ({ ...ends, new_line: 2 }), /position/],
      ['a file that is not there', () => ({ ...ends, new_path: '../x', new_line: 2 }), /position/],
      ['another head', () => ({ ...ends, ...names, head_sha: ends.base_sha, new_line: 2 }), /position/],
      ['an option', () => ({ ...ends, ...names, base_sha: '--output=x', new_line: 2 }), /position/],
      ['a branch', () => ({ ...ends, ...names, head_sha: 'edit', new_line: 2 }), /position/],
      ['a strange kind', () => ({ ...ends, ...names, position_type: 'x' }), /valid value/],
      [
        'a point outside the image',
        () => ({ ...ends, position_type: 'image', new_path: 'logo.png', width: 5, height: 5, x: 6, y: 1 }),
        /position/,
      ],
      [
        'a range of another file',
        () => ({
          ...ends,
          ...names,
          new_line: 2,
          line_range: { start: { line_code: `${'0'.repeat(40)}_1_1` } },
        }),
        /line_range/,
      ],
      [
        'a range without a line',
        () => ({ ...ends, ...names, new_line: 2, line_range: { start: { type: 'new' } } }),
        /line_code\] is missing/,
      ],
      ['a text', () => ({}), /missing/],
    ];
    for (const [name, position, answer] of nowhere) {
      it(`do not stand on ${name}`, async () => {
        const reply = await call('POST', '', { body: { body: 'x', position: position() } });
        assert.equal(reply.status, 400);
        assert.match(reply.text, answer);
      });
    }

    it('are listed in the order in which they began, in pages', async () => {
      const all = await call('GET', '', { query: { per_page: 100 } });
      const ids = all.body.map(({ id }: { id: string }) => id);
      assert.equal(all.headers['x-total'], String(ids.length));
      const second = await call('GET', '', { query: { per_page: 2, page: 2 } });
      assert.deepEqual(
        second.body.map(({ id }: { id: string }) => id),
        ids.slice(2, 4),
      );
    });
  });
}
