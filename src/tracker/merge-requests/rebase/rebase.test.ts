import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { dialects } from '../../../../test/support/databases.ts';
import { seedCommit } from '../../../../test/support/seed.ts';
import type { ProjectWithNamespace } from '../../../core/projects/find.ts';
import { isAncestor } from '../../../git/ancestry.ts';
import { listCommits } from '../../../git/log.ts';
import { answered, MergeRequestBench } from '../testing.ts';

for (const kind of dialects) {
  describe(`rebasing merge requests on ${kind}`, () => {
    let bench: MergeRequestBench;
    before(async () => {
      bench = await MergeRequestBench.open(kind);
    });
    after(() => bench.service.close());

    const push = (
      project: ProjectWithNamespace,
      branch: string,
      files: Record<string, string>,
      message = 'x\n',
    ) => seedCommit(bench.service.core, project, { branch, files, message });
    const rebased = async (project: ProjectWithNamespace, iid = 1) => {
      assert.deepEqual((await bench.put(project, `/${iid}/rebase`, {})).body, { rebase_in_progress: true });
      await bench.service.core.events.idle();
      const query = { include_rebase_in_progress: true };
      return (await bench.get(project, `/${iid}`, { query })).body;
    };

    it('makes every commit again on top of the target branch', async () => {
      const project = await bench.prepare();
      await push(project, 'topic', { second: '2\n' }, 'Second\n');
      const target = await push(project, 'main', { ahead: 'x' });
      await bench.opened(project);
      const body = await rebased(project);
      assert.deepEqual([body.rebase_in_progress, body.merge_error], [false, null]);
      const repo = bench.service.core.repositoryOf(project);
      const tip = (await bench.tip(project, 'refs/heads/topic'))!;
      assert.equal(body.sha, tip);
      assert.ok(await isAncestor(repo, target, tip));
      const commits = await listCommits(repo, { from: `${target}..${tip}`, limit: 10 });
      assert.deepEqual(
        commits.map(({ message }) => message),
        ['Second\n', 'Add topic\n\nBecause.\n'],
      );
      assert.deepEqual(
        [...new Set(commits.map(({ committer }) => committer.name))],
        ['Administrator'],
        'by whoever rebased',
      );
      assert.equal((await bench.get(project, '/1/versions')).body.length, 2);
    });

    it('leaves out what the target branch has already', async () => {
      const project = await bench.prepare();
      await push(project, 'main', { 'topic.txt': 'one\ntwo\n' });
      const kept = await push(project, 'topic', { more: 'x' }, 'More\n');
      await bench.opened(project);
      const { sha } = await rebased(project);
      assert.notEqual(sha, kept);
      const commits = (await bench.get(project, '/1/commits')).body;
      assert.deepEqual(
        commits.map(({ title }: { title: string }) => title),
        ['More'],
      );
    });

    it('leaves the branch where it is and says so when a commit conflicts', async () => {
      const project = await bench.prepare();
      await push(project, 'main', { 'topic.txt': 'other\n' });
      const { sha } = await bench.opened(project);
      const body = await rebased(project);
      assert.equal(
        body.merge_error,
        'Rebase failed: Rebase locally, resolve all conflicts, then push the branch.',
      );
      assert.deepEqual([body.sha, body.has_conflicts, body.rebase_in_progress], [sha, true, false]);
      assert.equal(await bench.tip(project, 'refs/heads/topic'), sha);
    });

    it('moves the branch of a fork', async () => {
      const project = await bench.prepare();
      const fork = await bench.fork(project);
      const target = await push(project, 'main', { ahead: 'x' });
      const opened = await bench.open(fork, { target_project_id: project.id }, { token: bench.dev.token });
      assert.equal(opened.status, 201, opened.text);
      const { status } = await bench.put(project, '/1/rebase', {}, { token: bench.dev.token });
      assert.equal(status, 202);
      await bench.service.core.events.idle();
      const tip = (await bench.tip(fork, 'refs/heads/topic'))!;
      assert.ok(await isAncestor(bench.service.core.repositoryOf(fork), target, tip));
      assert.equal(await bench.tip(project, 'refs/merge-requests/1/head'), tip);
    });

    it('is dropped when the request is merged first', async () => {
      const project = await bench.prepare();
      await push(project, 'main', { ahead: 'x' });
      await bench.opened(project);
      await Promise.all([bench.put(project, '/1/rebase', {}), bench.put(project, '/1/merge', {})]);
      await bench.service.core.events.idle();
      const { body } = await bench.get(project, '/1', { query: { include_rebase_in_progress: true } });
      assert.deepEqual([body.state, body.rebase_in_progress, body.merge_error], ['merged', false, null]);
      const repo = bench.service.core.repositoryOf(project);
      const main = (await bench.tip(project, 'refs/heads/main'))!;
      assert.ok(await isAncestor(repo, body.sha, main), 'what it says was merged is there');
    });

    it('is for those who may push to the source branch, once at a time, while it is open', async () => {
      const project = await bench.prepare();
      const { id } = await bench.opened(project);
      const reporter = await bench.put(project, '/1/rebase', {}, { token: bench.reporter.token });
      assert.deepEqual(answered(reporter), [403, '403 Forbidden - Cannot push to source branch']);
      const { db } = bench.service.core;
      await db.updateTable('merge_requests').set({ rebase_in_progress: 1 }).where('id', '=', id).execute();
      assert.equal((await bench.put(project, '/1/rebase', {})).status, 409);
      await db.updateTable('merge_requests').set({ rebase_in_progress: 0 }).where('id', '=', id).execute();
      await bench.put(project, '/1', { state_event: 'close' });
      assert.equal((await bench.put(project, '/1/rebase', {})).status, 409);
    });

    it('does not touch a protected branch, nor one that is gone', async () => {
      const project = await bench.prepare();
      await bench.opened(project);
      const protect = `/projects/${project.id}/protected_branches`;
      await bench.service.api('POST', protect, { body: { name: 'topic' } });
      assert.deepEqual(answered(await bench.put(project, '/1/rebase', {})), [
        403,
        '403 Forbidden - Source branch is protected from force push',
      ]);
      await bench.service.api('DELETE', `${protect}/topic`);
      await bench.service.api('DELETE', `/projects/${project.id}/repository/branches/topic`);
      assert.deepEqual(answered(await bench.put(project, '/1/rebase', {})), [
        403,
        '403 Forbidden - Source branch does not exist',
      ]);
    });

    it('ends what a killed process had begun, also when the branch had moved already', async () => {
      const project = await bench.prepare();
      await push(project, 'main', { ahead: 'x' });
      const { id } = await bench.opened(project);
      const { sha } = await rebased(project);
      const { core } = bench.service;
      await core.database.transaction(async (tx) => {
        await tx.updateTable('merge_requests').set({ rebase_in_progress: 1 }).where('id', '=', id).execute();
        const payload = { projectId: project.id, mergeRequestId: id, iid: 1, userId: 1, skipCi: false };
        const stream = `project:${project.id}`;
        await core.events.publish(tx, { type: 'merge_request.rebase_requested', stream, payload });
      });
      await core.events.idle();
      const { body } = await bench.get(project, '/1', { query: { include_rebase_in_progress: true } });
      assert.deepEqual([body.rebase_in_progress, body.merge_error, body.sha], [false, null, sha]);
    });
  });
}
