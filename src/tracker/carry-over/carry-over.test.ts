import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { dialects } from '../../../test/support/databases.ts';
import { IssueBench } from '../issues/testing.ts';

for (const kind of dialects) {
  describe(`what a project takes along when it moves, on ${kind}`, () => {
    let bench: IssueBench;
    before(async () => {
      bench = await IssueBench.open(kind);
    });
    after(() => bench.close());

    /** A group with a label and a milestone, and an issue of its project that has both. */
    const furnished = async (path: string) => {
      const { group, project } = await bench.group(path);
      await bench.made(`/groups/${group.id}/labels`, { name: 'shared', color: '#123456' });
      const due = { title: 'v1', due_date: '2030-01-01' };
      const { id } = await bench.made(`/groups/${group.id}/milestones`, due);
      await bench.issue(project, { labels: 'shared', milestone_id: id });
      return { group, project };
    };
    /** Under a name that is free there. */
    const move = async (project: { id: number }, group: { id: number }) => {
      const at = `/projects/${project.id}`;
      await bench.service.api('PUT', at, { body: { name: 'guest', path: 'guest' } });
      const reply = await bench.service.api('PUT', `${at}/transfer`, { body: { namespace: group.id } });
      assert.equal(reply.status, 200, reply.text);
    };
    const show = async (project: { id: number }) => {
      await bench.service.core.events.idle();
      const [issue] = await bench.list(`/projects/${project.id}/issues`, { with_labels_details: true });
      const [label] = await bench.list(`/projects/${project.id}/labels`);
      return { issue, label };
    };

    it('makes labels and milestones of the group it leaves its own', async () => {
      const { project } = await furnished('left');
      const { group: next } = await bench.group('entered');
      await move(project, next);
      const { issue, label } = await show(project);
      assert.deepEqual([label.name, label.color, label.is_project_label], ['shared', '#123456', true]);
      assert.deepEqual(issue.labels[0].id, label.id);
      assert.deepEqual(
        [issue.milestone.title, issue.milestone.due_date, issue.milestone.project_id],
        ['v1', '2030-01-01', project.id],
      );
    });

    it('keeps those of groups that are still above it', async () => {
      const { group, project } = await furnished('kept');
      await bench.service.api('PUT', `/groups/${group.id}`, { body: { path: 'renamed' } });
      const { issue, label } = await show(project);
      assert.deepEqual([label.is_project_label, issue.milestone.group_id], [false, group.id]);
    });

    it('uses what the new group has of the same name', async () => {
      const { project } = await furnished('from');
      const { group: next } = await bench.group('onto');
      const label = await bench.made(`/groups/${next.id}/labels`, { name: 'shared', color: '#fff' });
      const milestone = await bench.made(`/groups/${next.id}/milestones`, { title: 'v1' });
      await move(project, next);
      const { issue } = await show(project);
      assert.deepEqual([issue.labels[0].id, issue.milestone.id], [label.id, milestone.id]);
    });
  });
}
