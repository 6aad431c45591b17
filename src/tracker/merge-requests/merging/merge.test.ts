import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { dialects } from '../../../../test/support/databases.ts';
import { seedCommit } from '../../../../test/support/seed.ts';
import type { ProjectWithNamespace } from '../../../core/projects/find.ts';
import { readCommit } from '../../../git/objects.ts';
import { createPipeline } from '../../../jobs/pipelines/pipelines.ts';
import { createNote } from '../../notes/notes.ts';
import { answered, MergeRequestBench } from '../testing.ts';

for (const kind of dialects) {
  describe(`merging merge requests on ${kind}`, () => {
    let bench: MergeRequestBench;
    before(async () => {
      bench = await MergeRequestBench.open(kind);
    });
    after(() => bench.service.close());

    describe('merging', () => {
      const commitAt = async (project: ProjectWithNamespace, oid: string) =>
        (await readCommit(bench.service.core.repositoryOf(project), oid))!;

      it('makes a merge commit in the words of GitLab', async () => {
        const project = await bench.prepare();
        const { sha } = await bench.opened(project);
        const before = await bench.tip(project, 'refs/heads/main');
        await bench.service.core.events.idle();
        const { status, body } = await bench.put(project, '/1/merge', {});
        assert.equal(status, 200);
        assert.deepEqual([body.state, body.merged_by.username, body.merge_user.id], ['merged', 'root', 1]);
        const commit = await commitAt(project, body.merge_commit_sha);
        assert.equal(await bench.tip(project, 'refs/heads/main'), commit.id);
        assert.deepEqual(commit.parents, [before, sha]);
        assert.equal(
          commit.message,
          `Merge branch 'topic' into 'main'\n\nTopic\n\nSee merge request ${project.full_path}!1`,
        );
        assert.deepEqual(
          [commit.author.name, commit.committer.email],
          ['Administrator', 'admin@example.com'],
        );
        assert.equal(await bench.tip(project, 'refs/heads/topic'), sha, 'the source branch stays');
        await bench.service.core.events.idle();
        const told = await bench.service.core.db
          .selectFrom('events')
          .select('payload')
          .where('type', '=', 'merge_request.merged')
          .where('stream', '=', `project:${project.id}`)
          .execute();
        assert.equal(told.length, 1, 'told once, although the branch moved too');
        assert.deepEqual(answered(await bench.put(project, '/1/merge', {})), [405, '405 Method Not Allowed']);
      });

      it('removes the source branch where that was asked for', async () => {
        const project = await bench.prepare();
        await bench.opened(project);
        const { body } = await bench.put(project, '/1/merge', { should_remove_source_branch: true });
        assert.equal(body.should_remove_source_branch, true);
        assert.equal(await bench.tip(project, 'refs/heads/topic'), null);
      });

      it('squashes', async () => {
        const project = await bench.prepare();
        await seedCommit(bench.service.core, project, { branch: 'topic', files: { more: 'x' } });
        const { sha, diff_refs } = await bench.opened(project, { squash: true });
        const { body } = await bench.put(project, '/1/merge', { merge_commit_message: 'mine' });
        const squashed = await commitAt(project, body.squash_commit_sha);
        assert.equal(squashed.message, 'Topic');
        assert.deepEqual(squashed.parents, [diff_refs.base_sha]);
        assert.equal(squashed.tree, (await commitAt(project, sha)).tree);
        const merge = await commitAt(project, body.merge_commit_sha);
        assert.deepEqual([merge.message, merge.parents[1]], ['mine', squashed.id]);
      });

      it('moves forward without a merge commit where the project wants that', async () => {
        const project = await bench.prepare({ merge_method: 'ff' });
        const { sha } = await bench.opened(project);
        const { body } = await bench.put(project, '/1/merge', {});
        assert.deepEqual([body.state, body.merge_commit_sha], ['merged', null]);
        assert.equal(await bench.tip(project, 'refs/heads/main'), sha);

        await bench.topic(project, 'behind');
        await seedCommit(bench.service.core, project, { branch: 'main', files: { ahead: 'x' } });
        const late = await bench.opened(project, { source_branch: 'behind' });
        assert.equal(late.detailed_merge_status, 'need_rebase');
        assert.deepEqual(answered(await bench.put(project, `/${late.iid}/merge`, {})), [
          422,
          'Branch cannot be merged',
        ]);
      });

      it('uses the texts of the project', async () => {
        const merge_commit_template = '%{title} (%{local_reference})\n\n%{issues}\n\n%{all_commits}';
        const project = await bench.prepare({ merge_commit_template });
        await bench.opened(project);
        const { body } = await bench.put(project, '/1/merge', {});
        const { message } = await commitAt(project, body.merge_commit_sha);
        assert.equal(message, 'Topic (!1)\n\n* Add topic\n\nBecause.');
      });

      it('names the issues that it closes and those who approved', async () => {
        const merge_commit_template = '%{title}\n\n%{issues}\n\n%{approved_by}\n%{reviewed_by}';
        const project = await bench.prepare({ merge_commit_template });
        const issues = `/projects/${project.id}/issues`;
        for (const title of ['a', 'b']) await bench.service.api('POST', issues, { body: { title } });
        const description = 'Closes #1 and fixes #2, not #3';
        await bench.opened(project, { description, reviewer_ids: [bench.dev.user.id] });
        await bench.post(project, '/1/approve');
        const { body } = await bench.put(project, '/1/merge', {});
        const { message } = await commitAt(project, body.merge_commit_sha);
        assert.equal(
          message,
          [
            'Topic',
            'Closes #1 and #2',
            'Approved-by: Administrator <admin@example.com>\nReviewed-by: DEV <dev@example.com>',
          ].join('\n\n'),
        );
      });

      it('is refused while something is in the way', async () => {
        const project = await bench.prepare();
        await bench.opened(project, { title: 'Draft: Topic' });
        assert.deepEqual(answered(await bench.put(project, '/1/merge', {})), [405, '405 Method Not Allowed']);
        await bench.put(project, '/1', { title: 'Topic' });
        const { body } = await bench.get(project, '/1');
        const stale = await bench.put(project, '/1/merge', { sha: '1'.repeat(40) });
        assert.deepEqual(answered(stale), [409, `SHA does not match HEAD of source branch: ${body.sha}`]);
        assert.deepEqual(
          answered(await bench.put(project, '/1/merge', {}, { token: bench.reporter.token })),
          [401, '401 Unauthorized'],
        );
        assert.equal((await bench.put(project, '/1/merge', { sha: body.sha })).status, 200);
      });

      it('waits for a pipeline where the project wants one', async () => {
        const project = await bench.prepare({ only_allow_merge_if_pipeline_succeeds: true });
        const { sha, detailed_merge_status } = await bench.opened(project);
        assert.equal(detailed_merge_status, 'ci_must_pass');
        const { core } = bench.service;
        const input = { projectId: project.id, sha, ref: 'topic', source: 'push', userId: 1 } as const;
        const pipeline = await core.database.transaction((tx) => createPipeline(tx, core, input));
        const running = (await bench.get(project, '/1')).body;
        assert.equal(running.detailed_merge_status, 'ci_still_running');
        assert.deepEqual([running.head_pipeline.id, running.pipeline.id], [pipeline.id, pipeline.id]);
        assert.equal((await bench.put(project, '/1/merge', {})).status, 405);
        await core.db
          .updateTable('pipelines')
          .set({ status: 'success' })
          .where('id', '=', pipeline.id)
          .execute();
        assert.equal((await bench.put(project, '/1/merge', {})).status, 200);
      });

      it('waits for threads where the project wants them resolved', async () => {
        const project = await bench.prepare({ only_allow_merge_if_all_discussions_are_resolved: true });
        const { id } = await bench.opened(project);
        const noteable = { projectId: project.id, type: 'MergeRequest', id, iid: 1 } as const;
        const note = await createNote(bench.service.core, {
          noteable,
          authorId: 1,
          body: 'why?',
          kind: 'thread',
        });
        const { body } = await bench.get(project, '/1');
        assert.deepEqual(
          [body.detailed_merge_status, body.blocking_discussions_resolved, body.user_notes_count],
          ['discussions_not_resolved', false, 1],
        );
        assert.equal((await bench.put(project, '/1/merge', {})).status, 405);
        await bench.service.core.db
          .updateTable('notes')
          .set({ resolved_at: 1 })
          .where('id', '=', note.id)
          .execute();
        assert.equal((await bench.put(project, '/1/merge', {})).status, 200);
      });

      it('takes what was pushed a moment ago', async () => {
        const project = await bench.prepare();
        await bench.opened(project);
        const pushed = await seedCommit(bench.service.core, project, {
          branch: 'topic',
          files: { more: 'x' },
        });
        const { body } = await bench.put(project, '/1/merge', {});
        assert.deepEqual([body.state, body.sha], ['merged', pushed]);
      });

      it('of many into one branch at once ends with all of them in it', async () => {
        const project = await bench.prepare();
        const branches = ['m1', 'm2', 'm3', 'm4'];
        for (const branch of branches) await bench.topic(project, branch);
        for (const branch of branches) await bench.opened(project, { source_branch: branch });
        const replies = await Promise.all([
          ...branches.map((_, index) => bench.put(project, `/${index + 1}/merge`, {})),
          bench.put(project, '/1/merge', {}),
        ]);
        const statuses = replies.map(({ status }) => status).sort();
        assert.deepEqual(statuses, [200, 200, 200, 200, 405]);
        const merged = await bench.get(project, '', { query: { state: 'merged' } });
        assert.equal(merged.body.length, 4);
        const head = await commitAt(project, (await bench.tip(project, 'refs/heads/main'))!);
        const tree = await bench.service.core
          .repositoryOf(project)
          .run(['ls-tree', '--name-only', head.tree]);
        for (const branch of branches) assert.match(tree.toString(), new RegExp(`^${branch}\\.txt$`, 'm'));
      });
    });
  });
}
