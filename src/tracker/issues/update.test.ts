import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { dialects } from '../../../test/support/databases.ts';
import { answered, IssueBench } from './testing.ts';

for (const kind of dialects) {
  describe(`changing issues on ${kind}`, () => {
    let bench: IssueBench;
    before(async () => {
      bench = await IssueBench.open(kind);
    });
    after(() => bench.close());

    describe('changing', () => {
      const put = async (project: { id: number }, body: Record<string, unknown>, token?: string) =>
        bench.service.api('PUT', `/projects/${project.id}/issues/1`, { body, ...(token && { token }) });

      it('changes what is given and nothing else', async () => {
        const project = await bench.project();
        const before = await bench.issue(project, { labels: 'a,b', assignee_id: bench.dev.user.id });
        const { id } = await bench.made(`/projects/${project.id}/milestones`, { title: 'v1' });
        const expected: [Record<string, unknown>, Record<string, unknown>][] = [
          [{ title: 'New' }, { title: 'New' }],
          [{ description: 'Text' }, { description: 'Text' }],
          [{ add_labels: 'c', remove_labels: 'a' }, { labels: ['b', 'c'] }],
          [{ labels: 'd' }, { labels: ['d'] }],
          [{ labels: '' }, { labels: [] }],
          [{ due_date: '2030-02-01' }, { due_date: '2030-02-01' }],
          [{ due_date: '' }, { due_date: null }],
          [{ discussion_locked: true }, { discussion_locked: true }],
          [{ confidential: true }, { confidential: true }],
          [{ issue_type: 'incident' }, { issue_type: 'incident', type: 'INCIDENT' }],
        ];
        let now = before;
        for (const [body, changed] of expected) {
          const reply = await put(project, body);
          assert.equal(reply.status, 200, reply.text);
          now = { ...now, ...changed, updated_at: reply.body.updated_at };
          assert.deepEqual(reply.body, now, JSON.stringify(body));
        }
        assert.equal((await put(project, { milestone_id: id })).body.milestone.title, 'v1');
        assert.equal((await put(project, { milestone_id: 0 })).body.milestone, null);
        const other = await put(project, { assignee_ids: [bench.reporter.user.id] });
        assert.equal(other.body.assignee.username, 'reporter');
        assert.equal(
          (await put(project, { assignee_id: bench.stranger.user.id })).body.assignee.username,
          'reporter',
        );
        assert.equal((await put(project, { assignee_ids: [0] })).body.assignee, null);
        assert.deepEqual(answered(await put(project, {})).at(0), 400);
        assert.deepEqual(answered(await put(project, { title: '' })), [400, { title: ["can't be blank"] }]);
        const old = await put(project, { updated_at: '2001-01-01T00:00:00Z', title: 'Old' });
        assert.equal(old.body.updated_at, '2001-01-01T00:00:00.000Z');
      });

      it('closes and reopens, and tells of it once', async () => {
        const project = await bench.project();
        await bench.issue(project);
        const closed = await put(project, { state_event: 'close' }, bench.reporter.token);
        assert.deepEqual([closed.body.state, closed.body.closed_by.username], ['closed', 'reporter']);
        assert.ok(closed.body.closed_at);
        await Promise.all([1, 2, 3].map(() => put(project, { state_event: 'close' })));
        const reopened = await put(project, { state_event: 'reopen' });
        assert.deepEqual(
          [reopened.body.state, reopened.body.closed_by, reopened.body.closed_at],
          ['opened', null, null],
        );
        const events = await bench.service.core.db
          .selectFrom('events')
          .select(['type', 'payload'])
          .where('stream', '=', `project:${project.id}`)
          .where('type', 'like', 'issue.%')
          .orderBy('id')
          .execute();
        assert.deepEqual(
          events.map(({ type }) => type),
          ['issue.opened', 'issue.closed', 'issue.reopened'],
        );
      });

      it('keeps what several add at once', async () => {
        const project = await bench.project();
        await bench.issue(project);
        const { id } = bench.dev.user;
        const names = ['a', 'b', 'c', 'd', 'e'];
        const all = await Promise.all(
          names.map((name) => put(project, { add_labels: `${name},same`, assignee_id: id })),
        );
        assert.deepEqual(new Set(all.map(({ status }) => status)), new Set([200]));
        const issue = await bench.list(`/projects/${project.id}/issues/1`);
        assert.deepEqual([issue.labels, issue.assignee.id], [[...names, 'same'], id]);
      });

      it('is for reporters and up; authors and assignees may change texts and state', async () => {
        const project = await bench.project();
        const { token, user } = bench.guest;
        await bench.issue(project, {}, { token });
        const reply = await put(project, { title: 'Mine', labels: 'x', state_event: 'close' }, token);
        assert.deepEqual([reply.body.title, reply.body.labels, reply.body.state], ['Mine', [], 'closed']);
        await bench.issue(project);
        const second = (body: Record<string, unknown>) =>
          bench.service.api('PUT', `/projects/${project.id}/issues/2`, { body, token });
        assert.deepEqual(answered(await second({ title: 'x' })), [403, '403 Forbidden']);
        await bench.service.api('PUT', `/projects/${project.id}/issues/2`, {
          body: { assignee_id: user.id },
        });
        assert.equal((await second({ title: 'x' })).status, 200);
        assert.equal((await put(project, { title: 'x' }, bench.stranger.token)).status, 404);
        assert.equal((await bench.service.api('GET', `/projects/${project.id}/issues/99`)).status, 404);
      });

      it('leaves archived projects and switched off trackers alone', async () => {
        const { api } = bench.service;
        const project = await bench.project();
        await bench.issue(project);
        await api('POST', `/projects/${project.id}/archive`);
        assert.equal((await put(project, { title: 'x' })).status, 403);
        assert.equal(
          (await api('POST', `/projects/${project.id}/issues`, { body: { title: 'x' } })).status,
          403,
        );
        assert.equal((await api('DELETE', `/projects/${project.id}/issues/1`)).status, 403);
        assert.equal((await api('GET', `/projects/${project.id}/issues/1`)).status, 200);
        const off = await bench.project('private', '{"issues_access_level":"disabled"}');
        assert.equal((await api('GET', `/projects/${off.id}/issues`)).status, 403);
      });

      it('deletes for owners, and never gives the number again', async () => {
        const { api } = bench.service;
        const project = await bench.project();
        await bench.issue(project, { labels: 'x', assignee_id: bench.dev.user.id });
        const at = `/projects/${project.id}/issues/1`;
        assert.equal((await api('DELETE', at, { token: bench.dev.token })).status, 403);
        assert.equal((await api('DELETE', at)).status, 204);
        assert.deepEqual(answered(await api('GET', at)), [404, '404 Not found']);
        assert.equal((await bench.issue(project)).iid, 2);
      });
    });

    it('shows who takes part, and the number of open ones in the project', async () => {
      const project = await bench.project();
      await bench.issue(project, { assignee_id: bench.dev.user.id }, { token: bench.guest.token });
      await bench.issue(project, { confidential: true });
      const people = await bench.list(`/projects/${project.id}/issues/1/participants`);
      assert.deepEqual(
        people.map(({ username }: { username: string }) => username),
        ['guest', 'dev'],
      );
      const count = async (token?: string) =>
        (await bench.list(`/projects/${project.id}`, {}, token)).open_issues_count;
      assert.deepEqual([await count(), await count(bench.guest.token)], [2, 1]);
    });
  });
}
