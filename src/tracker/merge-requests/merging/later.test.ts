import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { dialects } from '../../../../test/support/databases.ts';
import { seedCommit } from '../../../../test/support/seed.ts';
import { Level } from '../../../core/access/levels.ts';
import type { ProjectWithNamespace } from '../../../core/projects/find.ts';
import { readCommit } from '../../../git/objects.ts';
import { answered, MergeRequestBench } from '../testing.ts';

for (const kind of dialects) {
  describe(`merging later, and into a ref of its own, on ${kind}`, () => {
    let bench: MergeRequestBench;
    before(async () => {
      bench = await MergeRequestBench.open(kind);
    });
    after(() => bench.service.close());

    const post = async (project: ProjectWithNamespace, sha: string, state: string) => {
      const reply = await bench.service.api('POST', `/projects/${project.id}/statuses/${sha}`, {
        body: { state, ref: 'topic', name: 'ci' },
      });
      assert.equal(reply.status, 201, reply.text);
    };
    const LATER = { merge_when_pipeline_succeeds: true };
    /** A merge request whose pipeline runs. */
    const running = async () => {
      const project = await bench.prepare();
      const { sha } = await bench.opened(project);
      await post(project, sha, 'running');
      await bench.service.core.db
        .updateTable('members')
        .set({ access_level: Level.maintainer })
        .where('project_id', '=', project.id)
        .where('user_id', '=', bench.dev.user.id)
        .execute();
      return { project, sha };
    };

    it('happens when the pipeline has succeeded, as it was asked for', async () => {
      const { project, sha } = await running();
      const options = { auto_merge: true, merge_commit_message: 'Later', should_remove_source_branch: true };
      const { status, body } = await bench.put(project, '/1/merge', options, { token: bench.dev.token });
      assert.deepEqual([status, body.state, body.merge_when_pipeline_succeeds], [200, 'opened', true]);
      assert.equal(body.merge_user.username, 'dev');
      await bench.service.core.events.idle();
      assert.equal((await bench.get(project, '/1')).body.state, 'opened');
      await post(project, sha, 'success');
      await bench.service.core.events.idle();
      const merged = (await bench.get(project, '/1')).body;
      assert.deepEqual(
        [merged.state, merged.merged_by.username, merged.merge_when_pipeline_succeeds],
        ['merged', 'dev', false],
      );
      const repo = bench.service.core.repositoryOf(project);
      assert.equal((await readCommit(repo, merged.merge_commit_sha))!.message, 'Later');
      assert.equal(await bench.tip(project, 'refs/heads/topic'), null);
    });

    it('happens at once where no pipeline runs', async () => {
      const project = await bench.prepare();
      await bench.opened(project);
      assert.equal((await bench.put(project, '/1/merge', LATER)).body.state, 'merged');
    });

    it('is called off by whoever may merge, once', async () => {
      const { project, sha } = await running();
      await bench.put(project, '/1/merge', LATER);
      const cancel = '/1/cancel_merge_when_pipeline_succeeds';
      const { token } = bench.reporter;
      assert.equal((await bench.post(project, cancel, {}, { token })).status, 401);
      const reply = await bench.post(project, cancel);
      assert.deepEqual([reply.status, reply.body], [201, { status: 'success' }]);
      assert.deepEqual(answered(await bench.post(project, cancel)), [
        406,
        "Can't cancel the automatic merge",
      ]);
      await post(project, sha, 'success');
      await bench.service.core.events.idle();
      assert.equal((await bench.get(project, '/1')).body.state, 'opened');
      await bench.put(project, '/1/merge', {});
      assert.equal((await bench.post(project, cancel)).status, 405);
    });

    it('is called off by a push, and by closing', async () => {
      const { project } = await running();
      await bench.put(project, '/1/merge', LATER);
      await seedCommit(bench.service.core, project, { branch: 'topic', files: { more: 'x' } });
      await bench.service.core.events.idle();
      const later = async () => (await bench.get(project, '/1')).body.merge_when_pipeline_succeeds;
      assert.equal(await later(), false);
      const sha = (await bench.tip(project, 'refs/heads/topic'))!;
      await post(project, sha, 'running');
      await bench.put(project, '/1/merge', LATER);
      assert.equal(await later(), true);
      await bench.put(project, '/1', { state_event: 'close' });
      assert.equal(await later(), false);
    });

    it('says why it did not happen', async () => {
      const { project, sha } = await running();
      await bench.put(project, '/1/merge', LATER);
      await bench.put(project, '/1', { title: 'Draft: not yet' });
      await post(project, sha, 'success');
      await bench.service.core.events.idle();
      const { body } = await bench.get(project, '/1');
      assert.deepEqual(
        [body.state, body.merge_when_pipeline_succeeds, body.merge_error],
        ['opened', false, 'Automatic merge canceled: 405 Method Not Allowed'],
      );
    });

    it('is left to nobody who may not merge any more', async () => {
      const { project, sha } = await running();
      assert.equal((await bench.put(project, '/1/merge', LATER, { token: bench.dev.token })).status, 200);
      const { db } = bench.service.core;
      await db.deleteFrom('members').where('project_id', '=', project.id).execute();
      await post(project, sha, 'success');
      await bench.service.core.events.idle();
      const { body } = await bench.get(project, '/1');
      assert.deepEqual(
        [body.state, body.merge_error],
        ['opened', 'Automatic merge canceled: 401 Unauthorized'],
      );
    });

    it('is shown beforehand by a ref that git can fetch', async () => {
      const project = await bench.prepare();
      const main = await seedCommit(bench.service.core, project, { branch: 'main', files: { ahead: 'x' } });
      const { sha } = await bench.opened(project);
      const { commit_id } = (await bench.get(project, '/1/merge_ref')).body;
      assert.equal(await bench.tip(project, 'refs/merge-requests/1/merge'), commit_id);
      const repo = bench.service.core.repositoryOf(project);
      assert.deepEqual((await readCommit(repo, commit_id))!.parents, [main, sha]);
      assert.equal(await bench.tip(project, 'refs/heads/main'), main);
      const again = await Promise.all([1, 2].map(() => bench.get(project, '/1/merge_ref')));
      assert.deepEqual([...new Set(again.map(({ body }) => body.commit_id))], [commit_id]);
      await seedCommit(bench.service.core, project, { branch: 'main', files: { 'topic.txt': 'other' } });
      assert.deepEqual(answered(await bench.get(project, '/1/merge_ref')), [
        400,
        'Merge request is not mergeable',
      ]);
      assert.equal((await bench.service.api('DELETE', bench.at(project, '/1'))).status, 204);
      assert.equal(await bench.tip(project, 'refs/merge-requests/1/merge'), null);
    });
  });
}
