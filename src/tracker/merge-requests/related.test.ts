import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { dialects } from '../../../test/support/databases.ts';
import { createNote } from '../notes/notes.ts';
import { answered, MergeRequestBench } from './testing.ts';

for (const kind of dialects) {
  describe(`what belongs to merge requests on ${kind}`, () => {
    let bench: MergeRequestBench;
    before(async () => {
      bench = await MergeRequestBench.open(kind);
    });
    after(() => bench.service.close());

    const names = (people: { username: string }[]) => people.map(({ username }) => username).sort();

    it('are those who take part, each once', async () => {
      const project = await bench.prepare();
      const { id } = await bench.opened(project, { assignee_ids: [bench.dev.user.id, 1] });
      const noteable = { projectId: project.id, type: 'MergeRequest', id, iid: 1 } as const;
      for (const body of ['one', 'two'])
        await createNote(bench.service.core, {
          noteable,
          authorId: bench.reporter.user.id,
          body,
          kind: 'note',
        });
      const reply = await bench.get(project, '/1/participants');
      assert.deepEqual(names(reply.body), ['dev', 'reporter', 'root']);
      assert.equal(reply.headers['x-total'], '3');
      assert.equal((await bench.get(project, '/1/participants', { token: bench.guest.token })).status, 403);
      assert.equal((await bench.get(project, '/2/participants')).status, 404);
    });

    it('are reviewers, with when they were asked', async () => {
      const project = await bench.prepare();
      await bench.opened(project);
      await bench.put(project, '/1', { reviewer_ids: [bench.reporter.user.id, bench.dev.user.id] });
      const { body } = await bench.get(project, '/1/reviewers');
      assert.deepEqual(names(body.map(({ user }: { user: { username: string } }) => user)), [
        'dev',
        'reporter',
      ]);
      assert.deepEqual([body[0].state, typeof body[0].created_at], ['unreviewed', 'string']);
    });

    it('are the pipelines of its branch for its commits', async () => {
      const project = await bench.prepare();
      const { sha, diff_refs } = await bench.opened(project);
      const post = (of: string, ref: string) =>
        bench.service.api('POST', `/projects/${project.id}/statuses/${of}`, {
          body: { state: 'success', ref, name: 'ci' },
        });
      await post(sha, 'topic');
      await post(sha, 'elsewhere');
      await post(diff_refs.base_sha, 'main');
      const { body } = await bench.get(project, '/1/pipelines');
      assert.deepEqual(
        body.map((pipeline: Record<string, string>) => [
          pipeline['sha'],
          pipeline['ref'],
          pipeline['status'],
        ]),
        [[sha, 'topic', 'success']],
      );
    });

    it('are labels in full where that is asked for, and a milestone', async () => {
      const project = await bench.prepare();
      const milestone = await bench.service.api('POST', `/projects/${project.id}/milestones`, {
        body: { title: 'v1', due_date: '2000-01-01' },
      });
      assert.equal(milestone.status, 201, milestone.text);
      const opened = await bench.opened(project, { labels: 'bug,a', milestone_id: milestone.body.id });
      assert.deepEqual([opened.labels, opened.milestone.title], [['a', 'bug'], 'v1']);
      assert.equal(opened.milestone.expired, true);
      const [listed] = (await bench.get(project, '', { query: { with_labels_details: true } })).body;
      assert.deepEqual(
        listed.labels.map(({ name, color }: { name: string; color: string }) => [name, color]),
        [
          ['a', '#6699cc'],
          ['bug', '#6699cc'],
        ],
      );
      const changed = await bench.put(project, '/1', { milestone_id: 0 });
      assert.deepEqual([changed.body.milestone, changed.body.labels], [null, ['a', 'bug']]);
      assert.equal((await bench.put(project, '/1', { milestone_id: 999_999 })).body.milestone, null);
      const told = await bench.told(project, 'merge_request.updated');
      assert.deepEqual(
        told.map(({ changes }) => changes),
        [['milestone_id']],
      );
    });

    it('is nothing for who may not see it, whatever is asked', async () => {
      const project = await bench.prepare();
      await bench.opened(project);
      for (const rest of ['participants', 'reviewers', 'pipelines', 'approvals', 'raw_diffs', 'merge_ref'])
        assert.equal(
          (await bench.get(project, `/1/${rest}`, { token: bench.guest.token })).status,
          403,
          rest,
        );
      assert.deepEqual(answered(await bench.get(project, '/x/participants')), [
        400,
        'merge_request_iid is invalid',
      ]);
    });
  });
}
