import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { after, before, beforeEach, describe, it } from 'node:test';
import { Gitlab } from '@gitbeaker/rest';
import { dialects } from '../../../../../test/support/databases.ts';
import type { CallOptions } from '../../../../../test/support/service.ts';
import type { ProjectWithNamespace } from '../../../../core/projects/find.ts';
import { MergeRequestBench } from '../../../merge-requests/testing.ts';

for (const kind of dialects) {
  describe(`drafts of notes on ${kind}`, () => {
    let bench: MergeRequestBench;
    let project: ProjectWithNamespace;
    before(async () => {
      bench = await MergeRequestBench.open(kind);
      project = await bench.prepare();
      await bench.opened(project);
    });
    after(() => bench.service.close());
    beforeEach(async () => {
      await bench.service.core.db.deleteFrom('notes').execute();
      await bench.service.core.db.deleteFrom('draft_notes').execute();
    });

    const call = (method: string, rest = '', options: CallOptions = {}) =>
      bench.service.api(method, bench.at(project, `/1/draft_notes${rest}`), options);
    const draft = async (body: Record<string, unknown>, options: CallOptions = {}) => {
      const reply = await call('POST', '', { body, ...options });
      assert.equal(reply.status, 201, reply.text);
      return reply.body;
    };
    const threads = async () => (await bench.get(project, '/1/discussions')).body;
    const texts = async () =>
      (await threads()).map(({ notes }: { notes: { body: string }[] }) => notes.map(({ body }) => body));
    const position = async () => {
      const [version] = (await bench.get(project, '/1/versions')).body;
      const ends = {
        base_sha: version.base_commit_sha,
        start_sha: version.start_commit_sha,
        head_sha: version.head_commit_sha,
      };
      return { ...ends, old_path: 'topic.txt', new_path: 'topic.txt', new_line: 2 };
    };

    it('are their authors’ alone', async () => {
      const made = await draft({ note: 'Hm' }, { token: bench.dev.token });
      assert.deepEqual([made.note, made.author_id, made.discussion_id], ['Hm', bench.dev.user.id, null]);
      assert.deepEqual([made.resolve_discussion, made.line_code, made.commit_id], [false, null, null]);
      assert.deepEqual([made.position.base_sha, made.position.position_type], [null, 'text']);
      const own = { token: bench.dev.token };
      assert.deepEqual((await call('GET', `/${made.id}`, own)).body, made);
      assert.deepEqual((await call('GET', '', own)).body, [made]);
      assert.deepEqual((await call('GET')).body, []);
      for (const [method, rest] of [
        ['GET', ''],
        ['PUT', ''],
        ['DELETE', ''],
        ['PUT', '/publish'],
      ] as const) {
        const reply = await call(
          method,
          `/${made.id}${rest}`,
          method === 'GET' ? {} : { body: { note: 'x' } },
        );
        assert.equal(reply.status, 404, method + rest);
      }
      assert.deepEqual(await threads(), []);
    });

    it('are changed, thrown away and published', async () => {
      const [one, two] = [await draft({ note: 'one' }), await draft({ note: 'two' })];
      const changed = await call('PUT', `/${one.id}`, { body: { note: 'ONE', position: await position() } });
      assert.deepEqual([changed.status, changed.body.note, changed.body.position.new_line], [200, 'ONE', 2]);
      assert.equal((await call('DELETE', `/${two.id}`)).status, 204);
      assert.equal((await call('PUT', `/${one.id}/publish`)).status, 204);
      assert.equal((await call('PUT', `/${one.id}/publish`)).status, 404);
      assert.deepEqual(await texts(), [['ONE']]);
      const [{ notes }] = await threads();
      assert.deepEqual([notes[0].type, notes[0].position.new_line], ['DiffNote', 2]);
    });

    it('stand on lines of the diff', async () => {
      const made = await draft({ note: 'Here', position: await position() });
      assert.equal(made.line_code, `${hash('sha1', 'topic.txt', 'hex')}_0_2`);
      const away = await call('POST', '', {
        body: { note: 'x', position: { ...(await position()), new_line: 9 } },
      });
      assert.equal(away.status, 400);
    });

    it('are published together, answers and resolutions too', async () => {
      const at = bench.at(project, '/1/discussions');
      const { body: thread } = await bench.service.api('POST', at, { body: { body: 'Why?' } });
      const { token } = bench.dev;
      const answer = { note: 'Done', in_reply_to_discussion_id: thread.id, resolve_discussion: true };
      const made = await draft(answer, { token });
      assert.deepEqual([made.discussion_id, made.resolve_discussion], [thread.id, true]);
      await draft({ note: 'And this' }, { token });
      await draft({ note: 'of root' });
      const published = await call('POST', '/bulk_publish', { token });
      assert.deepEqual([published.status, published.text], [204, '']);
      assert.deepEqual((await call('GET', '', { token })).body, []);
      assert.equal((await call('GET')).body.length, 1);
      const { notes } = (await bench.service.api('GET', `${at}/${thread.id}`)).body;
      assert.deepEqual(
        notes.map(({ body, resolved }: { body: string; resolved: boolean }) => [body, resolved]),
        [
          ['Why?', true],
          ['Done', true],
        ],
      );
      assert.deepEqual(await texts(), [['Why?', 'Done'], ['And this']]);
      assert.equal((await call('POST', '/bulk_publish', { token })).status, 204);
    });

    it('are published once by two who publish at once', async () => {
      await draft({ note: 'once' });
      await Promise.all([call('POST', '/bulk_publish'), call('POST', '/bulk_publish')]);
      assert.deepEqual(await texts(), [['once']]);
    });

    it('begin a thread of their own when the one that they answer is gone', async () => {
      const at = bench.at(project, '/1/discussions');
      const { body: thread } = await bench.service.api('POST', at, { body: { body: 'Why?' } });
      await draft({ note: 'Because', in_reply_to_discussion_id: thread.id });
      await bench.service.api('DELETE', `${at}/${thread.id}/notes/${thread.notes[0].id}`);
      await call('POST', '/bulk_publish');
      assert.deepEqual(await texts(), [['Because']]);
    });

    it('refuse what would not do as a note', async () => {
      const refused: [Record<string, unknown>, RegExp][] = [
        [{}, /note is missing/],
        [{ note: ' ' }, /can't be blank/],
        [{ note: 'x'.repeat(1_000_001) }, /too long/],
        [{ note: 'x', in_reply_to_discussion_id: '0'.repeat(40) }, /cannot be found/],
        [{ note: 'x', commit_id: 'main' }, /commit_id/],
        [{ note: 'x', commit_id: '--all' }, /commit_id/],
      ];
      for (const [body, text] of refused) {
        const reply = await call('POST', '', { body });
        assert.equal(reply.status, 400);
        assert.match(reply.text, text);
      }
      const resolving = { body: { note: 'x', resolve_discussion: true }, token: bench.reporter.token };
      assert.equal((await call('POST', '', resolving)).status, 403);
    });

    it('are driven by a real client', async () => {
      const client = new Gitlab({ host: bench.service.baseUrl, token: bench.service.rootToken });
      const { MergeRequestDraftNotes: drafts } = client;
      const made = await drafts.create(project.id, 1, 'From afar');
      assert.equal((await drafts.show(project.id, 1, made.id)).note, 'From afar');
      await drafts.publish(project.id, 1, made.id);
      await drafts.create(project.id, 1, 'Again');
      await drafts.publishBulk(project.id, 1);
      assert.deepEqual(await texts(), [['From afar'], ['Again']]);
      assert.deepEqual(await drafts.all(project.id, 1), []);
    });
  });
}
