import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { dialects } from '../../../../test/support/databases.ts';
import { seedCommit } from '../../../../test/support/seed.ts';
import { readCommit } from '../../../git/objects.ts';
import { writeCommit } from '../../../git/write.ts';
import { answered, MergeRequestBench } from '../testing.ts';

for (const kind of dialects) {
  describe(`merge requests that follow their branches on ${kind}`, () => {
    let bench: MergeRequestBench;
    before(async () => {
      bench = await MergeRequestBench.open(kind);
    });
    after(() => bench.service.close());

    describe('a push', () => {
      it('to the source branch is taken up', async () => {
        const project = await bench.prepare();
        await bench.opened(project);
        const pushed = await seedCommit(bench.service.core, project, {
          branch: 'topic',
          files: { more: 'x' },
        });
        await bench.service.core.events.idle();
        const { body } = await bench.get(project, '/1');
        assert.deepEqual([body.sha, body.changes_count], [pushed, '2']);
        assert.equal(await bench.tip(project, 'refs/merge-requests/1/head'), pushed);
        const updated = await bench.service.core.db
          .selectFrom('events')
          .select('payload')
          .where('type', '=', 'merge_request.updated')
          .where('stream', '=', `project:${project.id}`)
          .executeTakeFirstOrThrow();
        assert.deepEqual(JSON.parse(updated.payload).changes, ['sha']);
      });

      it('to the target branch that conflicts is found when one looks', async () => {
        const project = await bench.prepare();
        await bench.opened(project);
        await seedCommit(bench.service.core, project, { branch: 'main', files: { 'topic.txt': 'other\n' } });
        await bench.service.core.events.idle();
        assert.equal((await bench.get(project, '')).body[0].merge_status, 'unchecked');
        const { body } = await bench.get(project, '/1');
        assert.deepEqual(
          [body.merge_status, body.detailed_merge_status, body.has_conflicts],
          ['cannot_be_merged', 'conflict', true],
        );
        assert.equal((await bench.get(project, '')).body[0].has_conflicts, true, 'and kept');
        assert.deepEqual(answered(await bench.put(project, '/1/merge', {})), [
          422,
          'Branch cannot be merged',
        ]);
      });

      it('to the target branch that merges it marks it as merged, by who pushed', async () => {
        const project = await bench.prepare();
        const { sha } = await bench.opened(project);
        const merge = await seedCommit(bench.service.core, project, {
          branch: 'main',
          files: {},
          merges: [sha],
        });
        await seedCommit(bench.service.core, project, { branch: 'main', files: { later: 'x' } });
        await bench.service.core.events.idle();
        const { body } = await bench.get(project, '/1');
        assert.deepEqual([body.state, body.merge_commit_sha], ['merged', merge]);
        assert.equal(body.merged_by.username, 'root');
      });

      it('that moves the target branch forward to it marks it as merged too', async () => {
        const project = await bench.prepare();
        const { sha } = await bench.opened(project);
        const old = await bench.tip(project, 'refs/heads/main');
        const update = { ref: 'refs/heads/main', old, new: sha };
        await bench.service.core.refUpdates.update(project, [update], {
          userId: bench.dev.user.id,
          via: 'push',
        });
        await bench.service.core.events.idle();
        const { body } = await bench.get(project, '/1');
        assert.deepEqual(
          [body.state, body.merge_commit_sha, body.merged_by.username],
          ['merged', sha, 'dev'],
        );
      });

      it('that deletes the source branch leaves the request open with what it had', async () => {
        const project = await bench.prepare();
        const { sha } = await bench.opened(project);
        const update = { ref: 'refs/heads/topic', old: sha, new: null };
        await bench.service.core.refUpdates.update(project, [update], { userId: 1, via: 'push' });
        await bench.service.core.events.idle();
        const { body } = await bench.get(project, '/1');
        assert.deepEqual(
          [body.state, body.sha, body.detailed_merge_status],
          ['opened', sha, 'commits_status'],
        );
        assert.equal((await bench.get(project, '/1/changes')).body.changes.length, 1);
        assert.equal((await bench.put(project, '/1/merge', {})).status, 405);
      });

      it('that was the last a killed merge did finishes that merge', async () => {
        const { core } = bench.service;
        const project = await bench.prepare();
        const { id, sha } = await bench.opened(project);
        const repo = core.repositoryOf(project);
        const old = (await bench.tip(project, 'refs/heads/main'))!;
        const who = { name: 'Dev', email: 'dev@example.com', date: 0, offset: '+00:00' };
        const { tree } = (await readCommit(repo, sha))!;
        const common = { tree, author: who, committer: who };
        // Squashed: nothing in the branch itself tells that it is this request.
        const squashed = await writeCommit(repo, { ...common, parents: [old], message: 'Topic' });
        const merge = await writeCommit(repo, { ...common, parents: [old, squashed], message: 'Merge' });
        const progress = { in_progress_merge_commit_sha: merge, squash_commit_sha: squashed };
        await core.db.updateTable('merge_requests').set(progress).where('id', '=', id).execute();
        const update = { ref: 'refs/heads/main', old, new: merge };
        await core.refUpdates.update(project, [update], { userId: bench.dev.user.id, via: 'api' });
        await core.events.idle();
        const { body } = await bench.get(project, '/1');
        assert.deepEqual(
          [body.state, body.merge_commit_sha, body.squash_commit_sha, body.merged_by.username],
          ['merged', merge, squashed, 'dev'],
        );
      });
    });
  });
}
