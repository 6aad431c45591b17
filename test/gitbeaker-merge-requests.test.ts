import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Gitlab } from '@gitbeaker/rest';
import type { ProjectWithNamespace } from '../src/core/projects/find.ts';
import { MergeRequestBench } from '../src/tracker/merge-requests/testing.ts';
import { seedCommit } from './support/seed.ts';

/** A real client over a real port: a merge request from its opening to its end. */
describe('gitbeaker on merge requests', () => {
  let bench: MergeRequestBench;
  let client: InstanceType<typeof Gitlab<false>>;
  let project: ProjectWithNamespace;

  before(async () => {
    bench = await MergeRequestBench.open('sqlite');
    project = await bench.prepare();
    client = new Gitlab({ host: bench.service.baseUrl, token: bench.service.rootToken });
  });
  after(() => bench.service.close());

  it('opens, reads, changes and lists', async () => {
    const path = project.full_path;
    const milestone = await client.ProjectMilestones.create(path, 'v1');
    const opened = await client.MergeRequests.create(path, 'topic', 'main', 'From a client', {
      description: 'text',
      labels: 'bug,ui',
      assigneeId: bench.dev.user.id,
      reviewerIds: [bench.reporter.user.id],
      milestoneId: milestone.id,
    });
    assert.deepEqual([opened.labels, opened.milestone?.title], [['bug', 'ui'], 'v1']);
    assert.deepEqual(await client.MergeRequests.show(path, opened.iid), opened);
    const changed = await client.MergeRequests.edit(path, opened.iid, { title: 'Changed', addLabels: 'new' });
    assert.deepEqual([changed.title, changed.labels], ['Changed', ['bug', 'new', 'ui']]);
    const listed = await client.MergeRequests.all({ projectId: path, milestone: 'v1', state: 'opened' });
    assert.deepEqual(
      listed.map(({ iid }) => iid),
      [opened.iid],
    );
    assert.equal((await client.MergeRequests.all({ scope: 'all', search: 'Changed' })).length, 1);
    const people = await client.MergeRequests.allParticipants(path, opened.iid);
    assert.equal(people.length, 3);
    const [reviewer] = await client.MergeRequests.showReviewers(path, opened.iid);
    assert.equal(reviewer?.state, 'unreviewed');
  });

  it('reads its commits, diff and versions', async () => {
    await seedCommit(bench.service.core, project, { branch: 'topic', files: { more: 'x\n' } });
    await bench.service.core.events.idle();
    assert.equal((await client.MergeRequests.allCommits(project.id, 1)).length, 2);
    const diffs = await client.MergeRequests.allDiffs(project.id, 1);
    assert.deepEqual(
      diffs.map(({ new_path }) => new_path),
      ['more', 'topic.txt'],
    );
    const versions = await client.MergeRequests.allDiffVersions(project.id, 1);
    assert.equal(versions.length, 2);
    const version = await client.MergeRequests.showDiffVersion(project.id, 1, versions[1]!.id);
    assert.equal(version.diffs?.length, 1);
    assert.equal((await client.MergeRequests.showChanges(project.id, 1)).changes.length, 2);
    assert.deepEqual(await client.MergeRequests.allPipelines(project.id, 1), []);
    assert.deepEqual(await client.MergeRequests.allIssuesClosed(project.id, 1), []);
  });

  it('approves, rebases and merges', async () => {
    await client.MergeRequestApprovals.approve(project.id, 1);
    const approvals = await client.MergeRequestApprovals.showConfiguration(project.id, {
      mergerequestIId: 1,
    });
    assert.equal(approvals.approved_by?.length, 1);
    await client.MergeRequestApprovals.unapprove(project.id, 1);
    await seedCommit(bench.service.core, project, { branch: 'main', files: { ahead: 'x' } });
    assert.equal((await client.MergeRequests.rebase(project.id, 1)).rebase_in_progress, true);
    await bench.service.core.events.idle();
    const rebased = await client.MergeRequests.show(project.id, 1, { includeRebaseInProgress: true });
    assert.deepEqual([rebased.rebase_in_progress, rebased.merge_error], [false, null]);
    const merged = await client.MergeRequests.merge(project.id, 1, { sha: rebased.sha, squash: true });
    assert.deepEqual([merged.state, merged.merged_by?.['username']], ['merged', 'root']);
    await assert.rejects(client.MergeRequests.merge(project.id, 1), { message: '405 Method Not Allowed' });
    const states = await client.MergeRequestStateEvents.all(project.id, 1);
    assert.deepEqual(
      states.map(({ state }) => state),
      ['merged'],
    );
    assert.equal((await client.MergeRequestLabelEvents.all(project.id, 1)).length, 3);
    await client.MergeRequests.remove(project.id, 1);
    await assert.rejects(client.MergeRequests.show(project.id, 1));
  });
});
