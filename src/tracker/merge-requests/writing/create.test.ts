import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { dialects } from '../../../../test/support/databases.ts';
import { seedCommit, seedProject, seedUser } from '../../../../test/support/seed.ts';
import { answered, MergeRequestBench } from '../testing.ts';

for (const kind of dialects) {
  describe(`opening merge requests on ${kind}`, () => {
    let bench: MergeRequestBench;
    before(async () => {
      bench = await MergeRequestBench.open(kind);
    });
    after(() => bench.service.close());

    describe('opening', () => {
      it('answers with everything that clients read', async () => {
        const project = await bench.prepare();
        const head = await bench.tip(project, 'refs/heads/topic');
        const base = await bench.tip(project, 'refs/heads/main');
        const body = await bench.opened(project, {
          title: 'Draft: Topic',
          description: '- [x] a\n- [ ] b',
          assignee_id: bench.dev.user.id,
          reviewer_ids: [bench.reporter.user.id, bench.guest.user.id, 999_999],
          labels: 'two,one',
          remove_source_branch: true,
        });
        assert.equal(body.iid, 1);
        assert.equal(body.state, 'opened');
        assert.equal(body.author.username, 'root');
        assert.deepEqual([body.source_branch, body.target_branch], ['topic', 'main']);
        assert.equal(body.sha, head);
        assert.deepEqual(body.diff_refs, { base_sha: base, head_sha: head, start_sha: base });
        assert.equal(body.merge_status, 'can_be_merged');
        assert.equal(body.detailed_merge_status, 'draft_status');
        assert.deepEqual([body.draft, body.work_in_progress, body.has_conflicts], [true, true, false]);
        assert.equal(body.changes_count, '1');
        assert.deepEqual(body.references, {
          short: '!1',
          relative: '!1',
          full: `${project.full_path}!1`,
        });
        assert.equal(body.web_url, `${bench.service.baseUrl}/${project.full_path}/-/merge_requests/1`);
        assert.deepEqual(body.task_completion_status, { count: 2, completed_count: 1 });
        assert.deepEqual(body.labels, ['one', 'two']);
        assert.equal(body.assignee.username, 'dev');
        assert.deepEqual(
          body.reviewers.map(({ username }: { username: string }) => username),
          ['reporter'],
          'only those who may read it',
        );
        assert.equal(body.force_remove_source_branch, true);
        assert.deepEqual(body.user, { can_merge: true });
        assert.deepEqual([body.subscribed, body.first_contribution], [true, true]);
        assert.deepEqual([body.pipeline, body.head_pipeline, body.milestone], [null, null, null]);
      });

      it('keeps a ref of its own at the commit offered', async () => {
        const project = await bench.prepare();
        await bench.opened(project);
        assert.equal(
          await bench.tip(project, 'refs/merge-requests/1/head'),
          await bench.tip(project, 'refs/heads/topic'),
        );
      });

      it('refuses what cannot be merged', async () => {
        const project = await bench.prepare();
        const missing = ['does not exist'];
        assert.deepEqual(answered(await bench.open(project, { source_branch: 'nope' })), [
          400,
          { source_branch: missing },
        ]);
        assert.deepEqual(answered(await bench.open(project, { target_branch: 'nope' })), [
          400,
          { target_branch: missing },
        ]);
        assert.deepEqual(answered(await bench.open(project, { source_branch: 'main' })), [
          422,
          ["You can't use same project/branch for source and target"],
        ]);
        assert.deepEqual(answered(await bench.open(project, { title: ' ' })), [
          400,
          { title: ["can't be blank"] },
        ]);
        assert.deepEqual(answered(await bench.open(project, { title: 'x'.repeat(256) })), [
          400,
          { title: ['is too long (maximum is 255 characters)'] },
        ]);
        for (const name of ['--help', '../x', 'a b', 'refs/heads/main'])
          assert.equal((await bench.open(project, { source_branch: name })).status, 400, name);
        const empty = await bench.service.api('POST', bench.at(project), { body: {} });
        assert.deepEqual(empty.body, {
          error: 'source_branch is missing, target_branch is missing, title is missing',
        });
      });

      it('takes one open request for two branches, also when many ask at once', async () => {
        const project = await bench.prepare();
        const replies = await Promise.all(Array.from({ length: 5 }, () => bench.open(project)));
        assert.deepEqual(replies.map(({ status }) => status).sort(), [201, 409, 409, 409, 409]);
        const iid = replies.find(({ status }) => status === 201)!.body.iid;
        assert.deepEqual(answered(await bench.open(project)), [
          409,
          [`Another open merge request already exists for this source branch: !${iid}`],
        ]);
        await bench.put(project, `/${iid}`, { state_event: 'close' });
        assert.equal((await bench.open(project)).status, 201);
      });

      it('is for developers, and reading for reporters where the project is private', async () => {
        const project = await bench.prepare();
        assert.equal((await bench.open(project, {}, { token: bench.reporter.token })).status, 403);
        assert.equal((await bench.open(project, {}, { token: bench.dev.token })).status, 201);
        assert.equal((await bench.get(project, '/1', { token: bench.reporter.token })).status, 200);
        assert.equal((await bench.get(project, '/1', { token: bench.guest.token })).status, 403);
        const stranger = await seedUser(bench.service.core, `stranger${bench.count}`);
        assert.deepEqual(answered(await bench.get(project, '/1', { token: stranger.token })), [
          404,
          '404 Project Not Found',
        ]);
        assert.equal((await bench.get(project, '/1', { token: null })).status, 401);
        assert.deepEqual(answered(await bench.get(project, '/9')), [404, '404 Not found']);
        assert.deepEqual(answered(await bench.get(project, '/x')), [400, 'merge_request_iid is invalid']);
      });
    });

    describe('a fork', () => {
      it('offers its commits to the project it came from, and to nobody else', async () => {
        const project = await bench.prepare();
        const { core } = bench.service;
        const fork = await seedProject(core, 'fork', {
          ownerId: bench.dev.user.id,
          forkedFromId: project.id,
        });
        const repo = core.repositoryOf(fork);
        await repo.importFrom(core.repositoryOf(project).path);
        const head = await seedCommit(core, fork, { branch: 'idea', from: 'main', files: { idea: 'x' } });
        const body = { source_branch: 'idea', target_project_id: project.id };
        const reply = await bench.open(fork, body, { token: bench.dev.token });
        assert.equal(reply.status, 201, reply.text);
        assert.deepEqual([reply.body.source_project_id, reply.body.target_project_id], [fork.id, project.id]);
        assert.deepEqual([reply.body.sha, reply.body.merge_status], [head, 'can_be_merged']);
        assert.equal(await bench.tip(project, 'refs/merge-requests/1/head'), head);

        const foreign = await bench.prepare();
        assert.deepEqual(
          answered(
            await bench.open(fork, { ...body, target_project_id: foreign.id }, { token: bench.dev.token }),
          ),
          [422, ['Source project is not a fork of the target project']],
        );
        assert.equal(
          (await bench.open(fork, { ...body, target_project_id: 999_999 }, { token: bench.dev.token }))
            .status,
          404,
        );

        const pushed = await seedCommit(core, fork, { branch: 'idea', files: { more: 'y' } });
        await core.events.idle();
        assert.equal((await bench.get(project, '/1')).body.sha, pushed);
        assert.equal(await bench.tip(project, 'refs/merge-requests/1/head'), pushed);
        const merged = await bench.put(project, '/1/merge', {});
        assert.equal(merged.body.state, 'merged', merged.text);
      });
    });
  });
}
