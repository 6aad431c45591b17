import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Gitlab } from '@gitbeaker/rest';
import type { ProjectWithNamespace } from '../src/core/projects/find.ts';
import { IssueBench } from '../src/tracker/issues/testing.ts';

/** A real client over a real port: issues, labels and milestones. */
describe('gitbeaker on issues', () => {
  let bench: IssueBench;
  let client: InstanceType<typeof Gitlab<false>>;
  let project: ProjectWithNamespace;

  before(async () => {
    bench = await IssueBench.open('sqlite');
    project = await bench.project();
    client = new Gitlab({ host: bench.service.baseUrl, token: bench.service.rootToken });
  });
  after(() => bench.close());

  it('opens, reads, changes, lists and deletes', async () => {
    const path = project.full_path;
    const opened = await client.Issues.create(path, 'From a client', {
      description: 'text',
      labels: 'bug,ui',
      assigneeIds: [bench.dev.user.id],
      dueDate: '2030-01-02',
    });
    assert.deepEqual(
      [opened.labels, opened.assignees?.map(({ username }) => username)],
      [['bug', 'ui'], ['dev']],
    );
    const shown = await client.Issues.show(opened.iid, { projectId: path });
    assert.deepEqual(shown, opened);
    assert.equal((await client.Issues.show(opened.id)).title, 'From a client');
    const closed = await client.Issues.edit(path, opened.iid, { stateEvent: 'close', addLabels: 'done' });
    assert.deepEqual([closed.state, closed.labels], ['closed', ['bug', 'done', 'ui']]);
    for (const title of ['second', 'third']) await client.Issues.create(project.id, title);
    const all = await client.Issues.all({ projectId: path, perPage: 2 });
    assert.deepEqual(
      all.map(({ title }) => title),
      ['third', 'second', 'From a client'],
    );
    const keyset = await client.Issues.all({ pagination: 'keyset', perPage: 1, scope: 'all' });
    assert.equal(keyset.length, 3);
    const narrowed = await client.Issues.all({
      projectId: path,
      labels: 'bug',
      state: 'closed',
      withLabelsDetails: true,
    });
    assert.equal(narrowed.length, 1);
    const notBug = await client.Issues.all({ projectId: path, not: { labels: 'bug' } });
    assert.equal(notBug.length, 2);
    const { statistics } = await client.IssuesStatistics.all({ projectId: path });
    assert.deepEqual(statistics.counts, { all: 3, closed: 1, opened: 2 });
    const people = await client.Issues.allParticipants(path, opened.iid);
    assert.deepEqual(
      people.map(({ username }) => username),
      ['root', 'dev'],
    );
    await client.Issues.remove(path, opened.iid);
    await assert.rejects(client.Issues.show(opened.iid, { projectId: path }));
  });

  it('moves, copies and links', async () => {
    const target = await bench.project();
    const one = await client.Issues.create(project.id, 'one');
    const two = await client.Issues.clone(project.id, one.iid, project.id);
    const link = await client.IssueLinks.create(project.id, one.iid, project.id, two.iid);
    assert.equal(link.target_issue.iid, two.iid);
    const [linked] = await client.IssueLinks.all(project.id, one.iid);
    assert.deepEqual([linked?.iid, linked?.link_type], [two.iid, 'relates_to']);
    await client.IssueLinks.remove(project.id, one.iid, linked!.issue_link_id);
    assert.deepEqual(await client.IssueLinks.all(project.id, one.iid), []);
    const moved = await client.Issues.move(project.id, one.iid, target.id);
    assert.deepEqual([moved.project_id, moved.title], [target.id, 'one']);
    assert.deepEqual(await client.Issues.allRelatedMergeRequests(target.id, moved.iid), []);
  });

  it('keeps labels and milestones of projects and groups', async () => {
    const { group, project: inGroup } = await bench.group('client');
    await client.GroupLabels.create(group.id, 'shared', '#ff0000');
    const label = await client.ProjectLabels.create(inGroup.id, 'own', 'blue', { description: 'mine' });
    assert.equal(label.color, '#0000ff');
    await client.ProjectLabels.edit(inGroup.id, 'own', { newName: 'renamed' });
    assert.deepEqual(
      (await client.ProjectLabels.all(inGroup.id, { withCounts: true })).map(({ name }) => name),
      ['renamed', 'shared'],
    );
    assert.equal((await client.ProjectLabels.promote(inGroup.id, 'renamed')).name, 'renamed');
    await client.GroupLabels.remove(group.id, 'renamed');

    const milestone = await client.ProjectMilestones.create(inGroup.id, 'v1', { dueDate: '2030-01-01' });
    await client.Issues.create(inGroup.id, 'planned', { milestoneId: milestone.id });
    const planned = await client.ProjectMilestones.allAssignedIssues(inGroup.id, milestone.id);
    assert.equal(planned.length, 1);
    await client.ProjectMilestones.promote(inGroup.id, milestone.id);
    const [promoted] = await client.GroupMilestones.all(group.id);
    const closed = await client.GroupMilestones.edit(group.id, promoted!.id, { stateEvent: 'close' });
    assert.equal(closed.state, 'closed');
    const found = await client.Issues.all({ groupId: group.id, milestone: 'v1' });
    assert.deepEqual([found.length, found[0]?.milestone?.id], [1, promoted!.id]);
  });
});
