import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { dialects } from '../../../../test/support/databases.ts';
import { seedCommit } from '../../../../test/support/seed.ts';
import { answered, MergeRequestBench } from '../testing.ts';

for (const kind of dialects) {
  describe(`changing and reading merge requests on ${kind}`, () => {
    let bench: MergeRequestBench;
    before(async () => {
      bench = await MergeRequestBench.open(kind);
    });
    after(() => bench.service.close());

    describe('changing', () => {
      it('changes what is given and nothing else', async () => {
        const project = await bench.prepare();
        await bench.opened(project, { description: 'd', labels: 'a,b', assignee_ids: [bench.dev.user.id] });
        const { body } = await bench.put(project, '/1', {
          title: 'New',
          add_labels: 'c',
          remove_labels: 'a',
          squash: true,
          discussion_locked: true,
        });
        assert.deepEqual([body.title, body.description, body.labels], ['New', 'd', ['b', 'c']]);
        assert.deepEqual([body.squash, body.discussion_locked, body.assignee.username], [true, true, 'dev']);
        assert.equal((await bench.put(project, '/1', { assignee_id: 0 })).body.assignee, null);
        assert.match(
          (await bench.put(project, '/1', {})).body.error,
          /are missing, at least one parameter must be provided$/,
        );
      });

      it('closes and reopens', async () => {
        const project = await bench.prepare();
        await bench.opened(project);
        const closed = (await bench.put(project, '/1', { state_event: 'close' })).body;
        assert.deepEqual([closed.state, closed.closed_by.username], ['closed', 'root']);
        assert.equal(closed.detailed_merge_status, 'not_open');
        await bench.opened(project);
        assert.deepEqual(answered(await bench.put(project, '/1', { state_event: 'reopen' })), [
          409,
          ['Another open merge request already exists for this source branch: !2'],
        ]);
        await bench.put(project, '/2', { state_event: 'close' });
        const reopened = (await bench.put(project, '/1', { state_event: 'reopen' })).body;
        assert.deepEqual([reopened.state, reopened.closed_by, reopened.closed_at], ['opened', null, null]);
      });

      it('looks at the diff again when the target is another branch', async () => {
        const project = await bench.prepare();
        const next = await bench.topic(project, 'next', { 'next.txt': 'x' });
        await seedCommit(bench.service.core, project, {
          branch: 'topic',
          files: { 'second.txt': 'x' },
          merges: [next],
        });
        await bench.opened(project);
        assert.equal((await bench.get(project, '/1/commits')).body.length, 3);
        const { body } = await bench.put(project, '/1', { target_branch: 'next' });
        assert.deepEqual([body.target_branch, body.diff_refs.base_sha], ['next', next]);
        assert.equal((await bench.get(project, '/1/commits')).body.length, 2);
        assert.deepEqual(answered(await bench.put(project, '/1', { target_branch: 'nope' })), [
          400,
          { target_branch: ['does not exist'] },
        ]);
      });

      it('is for its author and for developers; deleting for owners', async () => {
        const project = await bench.prepare();
        await bench.opened(project);
        assert.equal(
          (await bench.put(project, '/1', { title: 'x' }, { token: bench.reporter.token })).status,
          403,
        );
        assert.equal(
          (await bench.put(project, '/1', { title: 'x' }, { token: bench.dev.token })).status,
          200,
        );
        assert.equal(
          (await bench.service.api('DELETE', bench.at(project, '/1'), { token: bench.dev.token })).status,
          403,
        );
        assert.equal((await bench.service.api('DELETE', bench.at(project, '/1'))).status, 204);
        assert.equal((await bench.get(project, '/1')).status, 404);
        assert.equal(await bench.tip(project, 'refs/merge-requests/1/head'), null);
        assert.equal((await bench.opened(project)).iid, 2, 'a number is not given again');
      });
    });

    describe('commits and diffs', () => {
      it('are those between the branches', async () => {
        const project = await bench.prepare();
        const second = await seedCommit(bench.service.core, project, {
          branch: 'topic',
          files: { b: '1\n' },
        });
        await seedCommit(bench.service.core, project, { branch: 'main', files: { other: '1\n' } });
        await bench.opened(project);
        const commits = (await bench.get(project, '/1/commits')).body;
        assert.deepEqual(
          commits.map(({ title }: { title: string }) => title),
          ['Change', 'Add topic'],
        );
        assert.equal(commits[0].id, second);
        const { body } = await bench.get(project, '/1/changes');
        assert.deepEqual(
          body.changes.map((file: { new_path: string }) => file.new_path),
          ['b', 'topic.txt'],
        );
        assert.equal(body.overflow, false);
        assert.equal(body.changes_count, '2');
        const page = await bench.get(project, '/1/diffs', { query: { per_page: 1, page: 2, unidiff: true } });
        assert.equal(page.headers['x-total'], '2');
        assert.match(page.body[0].diff, /^--- \/dev\/null\n\+\+\+ b\/topic.txt\n@@ /);
        const [version] = (await bench.get(project, '/1/versions')).body;
        assert.equal(version.head_commit_sha, second);
        const full = (await bench.get(project, `/1/versions/${version.id}`)).body;
        assert.deepEqual([full.commits.length, full.diffs.length, full.real_size], [2, 2, '2']);
        assert.equal((await bench.get(project, '/1/versions/1')).status, 404);
      });
    });
  });
}
