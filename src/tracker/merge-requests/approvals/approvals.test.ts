import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { dialects } from '../../../../test/support/databases.ts';
import { answered, MergeRequestBench } from '../testing.ts';

for (const kind of dialects) {
  describe(`approving merge requests on ${kind}`, () => {
    let bench: MergeRequestBench;
    before(async () => {
      bench = await MergeRequestBench.open(kind);
    });
    after(() => bench.service.close());

    it('is told by the approvals, the rule and the list of reviewers', async () => {
      const project = await bench.prepare();
      const { sha } = await bench.opened(project, { reviewer_ids: [bench.dev.user.id] });
      const { token } = bench.dev;
      const before = (await bench.get(project, '/1/approvals', { token })).body;
      assert.deepEqual(
        [before.approved, before.user_can_approve, before.user_has_approved, before.approvals_required],
        [false, true, false, 0],
      );
      const { status, body } = await bench.post(project, '/1/approve', { sha }, { token });
      assert.equal(status, 201);
      assert.deepEqual([body.approved, body.user_can_approve, body.user_has_approved], [true, false, true]);
      assert.deepEqual(
        body.approved_by.map((given: { user: { username: string } }) => given.user.username),
        ['dev'],
      );
      const [reviewer] = (await bench.get(project, '/1/reviewers')).body;
      assert.deepEqual([reviewer.user.username, reviewer.state], ['dev', 'approved']);
      const { rules } = (await bench.get(project, '/1/approval_state')).body;
      assert.deepEqual([rules[0].rule_type, rules[0].approved_by[0].username], ['any_approver', 'dev']);
      assert.deepEqual(
        (await bench.told(project, 'merge_request.approved')).map(({ userId }) => userId),
        [bench.dev.user.id],
      );
    });

    it('is done once, and can be taken back once', async () => {
      const project = await bench.prepare();
      await bench.opened(project);
      const both = await Promise.all([1, 2].map(() => bench.post(project, '/1/approve')));
      assert.deepEqual(both.map(({ status }) => status).sort(), [201, 401]);
      assert.equal((await bench.post(project, '/1/unapprove')).status, 201);
      assert.deepEqual(answered(await bench.post(project, '/1/unapprove')), [404, '404 Not Found']);
      assert.deepEqual((await bench.get(project, '/1/approvals')).body.approved_by, []);
      assert.equal((await bench.told(project, 'merge_request.unapproved')).length, 1);
    });

    it('is for what the caller has seen, and for who may change merge requests', async () => {
      const project = await bench.prepare();
      const { sha } = await bench.opened(project);
      assert.deepEqual(answered(await bench.post(project, '/1/approve', { sha: '1'.repeat(40) })), [
        409,
        `SHA does not match HEAD of source branch: ${sha}`,
      ]);
      for (const [person, status] of [
        [bench.reporter, 401],
        [bench.guest, 403],
        [bench.dev, 201],
      ] as const) {
        assert.equal((await bench.post(project, '/1/approve', {}, { token: person.token })).status, status);
      }
      await bench.put(project, '/1', { state_event: 'close' });
      assert.equal((await bench.post(project, '/1/approve')).status, 401);
    });

    it('is taken back for all by a bot only', async () => {
      const project = await bench.prepare();
      await bench.opened(project);
      await bench.post(project, '/1/approve');
      const { token, user } = bench.dev;
      const reset = () => bench.put(project, '/1/reset_approvals', {}, { token });
      assert.equal((await reset()).status, 401);
      const { db } = bench.service.core;
      await db.updateTable('users').set({ bot: 1 }).where('id', '=', user.id).execute();
      assert.equal((await reset()).status, 202);
      await db.updateTable('users').set({ bot: 0 }).where('id', '=', user.id).execute();
      assert.equal((await bench.get(project, '/1/approvals')).body.approved, false);
    });
  });
}
