import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { dialects } from '../../../test/support/databases.ts';
import { seedMember } from '../../../test/support/seed.ts';
import { answered, IssueBench } from './testing.ts';

for (const kind of dialects) {
  describe(`opening issues on ${kind}`, () => {
    let bench: IssueBench;
    before(async () => {
      bench = await IssueBench.open(kind);
    });
    after(() => bench.close());

    describe('opening', () => {
      it('answers with everything that clients read', async () => {
        const { baseUrl } = bench.service;
        const project = await bench.project();
        const milestone = await bench.made(`/projects/${project.id}/milestones`, { title: 'v1' });
        const issue = await bench.issue(project, {
          title: 'Broken',
          description: '- [x] a\n- [ ] b',
          labels: 'bug,ui',
          assignee_ids: [bench.dev.user.id, bench.reporter.user.id],
          milestone_id: milestone.id,
          due_date: '2030-01-02',
        });
        const author = (await bench.list('/user')).username;
        const { id, created_at, updated_at, assignees, assignee, ...rest } = issue;
        assert.ok(id > 0 && created_at === updated_at);
        assert.deepEqual(
          assignees.map(({ username }: { username: string }) => username),
          ['dev'],
        );
        assert.deepEqual(assignee, assignees[0]);
        const self = `${baseUrl}/api/v4/projects/${project.id}/issues/1`;
        assert.deepEqual(
          { ...rest, author: rest.author.username },
          {
            iid: 1,
            project_id: project.id,
            title: 'Broken',
            description: '- [x] a\n- [ ] b',
            state: 'opened',
            closed_at: null,
            closed_by: null,
            labels: ['bug', 'ui'],
            milestone,
            author,
            type: 'ISSUE',
            user_notes_count: 0,
            merge_requests_count: 0,
            upvotes: 0,
            downvotes: 0,
            due_date: '2030-01-02',
            confidential: false,
            discussion_locked: null,
            issue_type: 'issue',
            web_url: `${baseUrl}/${project.full_path}/-/issues/1`,
            time_stats: {
              time_estimate: 0,
              total_time_spent: 0,
              human_time_estimate: null,
              human_total_time_spent: null,
            },
            task_completion_status: { count: 2, completed_count: 1 },
            blocking_issues_count: 0,
            has_tasks: true,
            task_status: '1 of 2 checklist items completed',
            _links: {
              self,
              notes: `${self}/notes`,
              award_emoji: `${self}/award_emoji`,
              project: `${baseUrl}/api/v4/projects/${project.id}`,
              closed_as_duplicate_of: null,
            },
            references: { short: '#1', relative: '#1', full: `${project.full_path}#1` },
            severity: 'UNKNOWN',
            moved_to_id: null,
            imported: false,
            imported_from: 'none',
            service_desk_reply_to: null,
            subscribed: true,
          },
        );
        assert.deepEqual(await bench.list(`/projects/${project.id}/issues/1`), issue);
        assert.deepEqual(await bench.list(`/issues/${id}`), issue);
      });

      it('makes the labels that nobody knows, for those who may make labels', async () => {
        const { group, project } = await bench.group('naming');
        const { core } = bench.service;
        await seedMember(core, project, bench.guest.user, 10);
        await seedMember(core, project, bench.reporter.user, 20);
        await bench.made(`/groups/${group.id}/labels`, { name: 'shared', color: '#fff' });
        const labels = ['shared', ' new ', 'new', '', 'x'.repeat(300)];
        const { token } = bench.guest;
        assert.deepEqual((await bench.issue(project, { labels }, { token })).labels, ['shared']);
        const made = await bench.issue(project, { labels }, { token: bench.reporter.token });
        assert.deepEqual(made.labels, ['new', 'shared']);
        const names = (await bench.list(`/projects/${project.id}/labels`)).map(
          ({ name, color }: { name: string; color: string }) => `${name} ${color}`,
        );
        assert.deepEqual(names, ['new #6699cc', 'shared #fff']);
      });

      it('hears only the words of those who are no members', async () => {
        const project = await bench.project('public');
        const { id } = await bench.made(`/projects/${project.id}/milestones`, { title: 'v1' });
        const { token, user } = bench.stranger;
        const body = {
          ...{ description: 'words', labels: 'x', assignee_id: user.id, milestone_id: id },
          ...{ due_date: '2030-01-01', iid: 77, created_at: '2001-01-01', confidential: true },
        };
        const issue = await bench.issue(project, body, { token });
        assert.deepEqual(
          [issue.description, issue.labels, issue.assignee, issue.milestone, issue.due_date, issue.iid],
          ['words', [], null, null, null, 1],
        );
        assert.deepEqual([issue.confidential, issue.created_at > '2020'], [true, true]);
      });

      it('lets owners choose number and time, and goes on above', async () => {
        const project = await bench.project();
        const issue = await bench.issue(project, { iid: 40, created_at: '2001-01-01T00:00:00Z' });
        assert.deepEqual([issue.iid, issue.created_at], [40, '2001-01-01T00:00:00.000Z']);
        assert.equal((await bench.issue(project, { iid: 7 })).iid, 7);
        assert.equal((await bench.issue(project)).iid, 41);
        const again = await bench.service.api('POST', `/projects/${project.id}/issues`, {
          body: { title: 'x', iid: 40 },
        });
        assert.deepEqual(answered(again), [409, 'Duplicated issue']);
      });

      it('refuses what will not do', async () => {
        const project = await bench.project();
        const post = async (body: Record<string, unknown>) =>
          answered(await bench.service.api('POST', `/projects/${project.id}/issues`, { body }));
        assert.deepEqual(await post({}), [400, 'title is missing']);
        assert.deepEqual(await post({ title: ' ' }), [400, { title: ["can't be blank"] }]);
        assert.deepEqual(await post({ title: 't'.repeat(256) }), [
          400,
          { title: ['is too long (maximum is 255 characters)'] },
        ]);
        assert.deepEqual(await post({ title: 'x', description: 'd'.repeat(1_048_577) }), [
          400,
          { description: ['is too long (maximum is 1048576 characters)'] },
        ]);
        for (const [name, value] of [
          ['due_date', 'soon'],
          ['assignee_ids', ['x']],
          ['milestone_id', {}],
          ['confidential', 'perhaps'],
        ] as const) {
          assert.deepEqual(await post({ title: 'x', [name]: value }), [400, `${name} is invalid`]);
        }
        assert.equal((await post({ title: 'x', issue_type: 'epic' }))[0], 400);
        assert.equal((await post({ title: 'x', iid: 2 ** 40 }))[0], 400);
        assert.equal((await post({ title: 'a\0b' }))[0], 400);
        assert.equal((await post({ title: 'x', merge_request_to_resolve_discussions_of: 1 }))[0], 400);
        const odd = { title: 'x', milestone_id: 2 ** 50, assignee_id: 2 ** 50, labels: null };
        assert.equal((await post(odd))[0], 201);
      });

      it('tells those who come too late that the project is gone', async () => {
        const { api } = bench.service;
        for (let round = 0; round < 3; round++) {
          const at = `/projects/${(await bench.project()).id}`;
          const late = ['issues', 'labels', 'milestones', 'issues', 'labels', 'milestones'].map((what, n) =>
            api('POST', `${at}/${what}`, {
              body: { title: `t${n}`, name: `n${n}`, color: '#fff', labels: 'x' },
            }),
          );
          const [gone, ...made] = await Promise.all([api('DELETE', at), ...late]);
          assert.equal(gone.status, 202);
          for (const { status, text } of made) assert.ok(status === 201 || status === 404, text);
        }
      });

      it('gives each its own number when many are opened at once', async () => {
        const project = await bench.project();
        const all = await Promise.all(
          Array.from({ length: 10 }, () => bench.issue(project, { labels: 'same,other' })),
        );
        const iids = all.map(({ iid }) => iid).sort((a, b) => a - b);
        assert.deepEqual(iids, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
        assert.equal((await bench.list(`/projects/${project.id}/labels`)).length, 2);
      });
    });
  });
}
