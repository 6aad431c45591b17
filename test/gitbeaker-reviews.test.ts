import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Gitlab } from '@gitbeaker/rest';
import { MergeRequestBench } from '../src/tracker/merge-requests/testing.ts';

/** A real client over a real port: drafts, reactions, time and history of a merge request. */
describe('gitbeaker on reviews', () => {
  let bench: MergeRequestBench;
  let client: InstanceType<typeof Gitlab<false>>;
  let path: string;
  let iid: number;

  before(async () => {
    bench = await MergeRequestBench.open('sqlite');
    const project = await bench.prepare();
    client = new Gitlab({ host: bench.service.baseUrl, token: bench.service.rootToken });
    path = project.full_path;
    const { id } = await client.ProjectMilestones.create(path, 'v1');
    const options = { labels: 'bug', milestoneId: id };
    ({ iid } = await client.MergeRequests.create(path, 'topic', 'main', 'Reviewed', options));
  });
  after(() => bench.service.close());

  it('keeps a draft to its author until it is published', async () => {
    const draft = await client.MergeRequestDraftNotes.create(path, iid, 'a thought');
    assert.deepEqual(await client.MergeRequestDraftNotes.show(path, iid, draft.id), draft);
    assert.equal((await client.MergeRequestDraftNotes.all(path, iid)).length, 1);
    await client.MergeRequestDraftNotes.publish(path, iid, draft.id);
    const dropped = await client.MergeRequestDraftNotes.create(path, iid, 'better not');
    await client.MergeRequestDraftNotes.remove(path, iid, dropped.id);
    await client.MergeRequestDraftNotes.create(path, iid, 'another thought');
    await client.MergeRequestDraftNotes.publishBulk(path, iid);
    const notes = await client.MergeRequestNotes.all(path, iid, { sort: 'asc' });
    assert.deepEqual(
      notes.filter(({ system }) => !system).map(({ body }) => body),
      ['a thought', 'another thought'],
    );
    assert.deepEqual(await client.MergeRequestDraftNotes.all(path, iid), []);
  });

  it('gives reactions and takes them back', async () => {
    const note = await client.MergeRequestNotes.create(path, iid, 'well done');
    const onNote = await client.MergeRequestNoteAwardEmojis.award(path, iid, note.id, 'tada');
    assert.deepEqual(await client.MergeRequestNoteAwardEmojis.all(path, iid, note.id), [onNote]);
    await client.MergeRequestNoteAwardEmojis.remove(path, iid, note.id, onNote.id);
    assert.deepEqual(await client.MergeRequestNoteAwardEmojis.all(path, iid, note.id), []);
    const award = await client.MergeRequestAwardEmojis.award(path, iid, 'thumbsup');
    assert.deepEqual(await client.MergeRequestAwardEmojis.show(path, iid, award.id), award);
    assert.equal((await client.MergeRequests.show(path, iid)).upvotes, 1);
    await client.MergeRequestAwardEmojis.remove(path, iid, award.id);
    assert.equal((await client.MergeRequests.show(path, iid)).upvotes, 0);
  });

  it('counts time', async () => {
    await client.MergeRequests.setTimeEstimate(path, iid, '1d');
    await client.MergeRequests.addSpentTime(path, iid, '90m');
    const { human_time_estimate, total_time_spent } = await client.MergeRequests.showTimeStats(path, iid);
    assert.deepEqual([human_time_estimate, total_time_spent], ['1d', 5400]);
    await client.MergeRequests.resetSpentTime(path, iid);
    await client.MergeRequests.resetTimeEstimate(path, iid);
    const after = await client.MergeRequests.showTimeStats(path, iid);
    assert.deepEqual([after.time_estimate, after.total_time_spent], [0, 0]);
  });

  it('tells the history of labels, milestones and states', async () => {
    await client.MergeRequests.edit(path, iid, { stateEvent: 'close' });
    const labels = await client.MergeRequestLabelEvents.all(path, iid);
    assert.deepEqual(await client.MergeRequestLabelEvents.show(path, iid, labels[0]!.id), labels[0]);
    const milestones = await client.MergeRequestMilestoneEvents.all(path, iid);
    assert.deepEqual(
      await client.MergeRequestMilestoneEvents.show(path, iid, milestones[0]!.id),
      milestones[0],
    );
    const states = await client.MergeRequestStateEvents.all(path, iid);
    assert.deepEqual(await client.MergeRequestStateEvents.show(path, iid, states[0]!.id), states[0]);
    assert.equal(states[0]?.state, 'closed');
  });
});
