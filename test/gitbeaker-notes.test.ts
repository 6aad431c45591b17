import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { Gitlab } from '@gitbeaker/rest';
import { IssueBench } from '../src/tracker/issues/testing.ts';
import { MergeRequestBench } from '../src/tracker/merge-requests/testing.ts';

/** A real client over a real port: notes, threads, reactions and time. */
describe('gitbeaker on notes', () => {
  let bench: MergeRequestBench;
  let issues: IssueBench;
  let client: InstanceType<typeof Gitlab<false>>;
  let path: string;
  before(async () => {
    bench = await MergeRequestBench.open('sqlite');
    const project = await bench.prepare();
    await bench.opened(project);
    path = project.full_path;
    client = new Gitlab({ host: bench.service.baseUrl, token: bench.service.rootToken });
  });
  after(async () => {
    await bench.service.close();
    await issues?.close();
  });

  it('writes, reads, changes and removes notes', async () => {
    const { MergeRequestNotes: notes } = client;
    const note = await notes.create(path, 1, 'Hello', { createdAt: '2020-01-01T00:00:00Z' });
    assert.equal(note.created_at, '2020-01-01T00:00:00.000Z');
    assert.equal((await notes.create(path, 1, 'Internal', { internal: true })).internal, true);
    const all = await notes.all(path, 1, { sort: 'asc', orderBy: 'created_at', perPage: 1 });
    assert.deepEqual(
      all.map(({ body }) => body),
      ['Hello', 'Internal'],
    );
    assert.equal((await notes.edit(path, 1, note.id, { body: 'Hi' })).body, 'Hi');
    assert.equal((await notes.show(path, 1, note.id)).noteable_type, 'MergeRequest');
    await notes.remove(path, 1, note.id);
    assert.equal((await notes.all(path, 1)).length, 1);
  });

  it('begins a thread on lines of the diff, answers and resolves it', async () => {
    const { MergeRequestDiscussions: threads } = client;
    const [version] = await client.MergeRequests.allDiffVersions(path, 1);
    assert.ok(version);
    const code = (line: number) => `${hash('sha1', 'topic.txt', 'hex')}_0_${line}`;
    const thread = await threads.create(path, 1, 'On these lines', {
      position: {
        baseSha: version.base_commit_sha,
        startSha: version.start_commit_sha,
        headSha: version.head_commit_sha,
        positionType: 'text',
        oldPath: 'topic.txt',
        newPath: 'topic.txt',
        newLine: '2',
        lineRange: {
          start: { lineCode: code(1), type: 'new' },
          end: { lineCode: code(2), type: 'new' },
        },
      },
    });
    const [note] = thread.notes ?? [];
    // its types know less of a place than it is sent
    const place = note?.position as
      | { new_line?: number; line_range?: { end: { line_code: string } } }
      | undefined;
    assert.deepEqual([note?.type, place?.new_line], ['DiffNote', 2]);
    assert.equal(place?.line_range?.end.line_code, code(2));
    const answer = await threads.addNote(path, 1, thread.id, 'Right');
    assert.equal((await threads.editNote(path, 1, thread.id, answer.id, { body: 'Right!' })).body, 'Right!');
    const resolved = await threads.resolve(path, 1, thread.id, true);
    assert.equal(
      resolved.notes?.every((each) => each.resolved),
      true,
    );
    const again = await threads.editNote(path, 1, thread.id, answer.id, { resolved: false });
    assert.equal(again.resolved, false);
    await threads.removeNote(path, 1, thread.id, answer.id);
    assert.equal((await threads.show(path, 1, thread.id)).notes?.length, 1);
    assert.ok((await threads.all(path, 1)).some(({ id }) => id === thread.id));
  });

  it('reacts to a merge request and to a note', async () => {
    const { MergeRequestAwardEmojis: awards, MergeRequestNoteAwardEmojis: noteAwards } = client;
    const award = await awards.award(path, 1, 'thumbsup');
    assert.deepEqual([award.name, award.awardable_type], ['thumbsup', 'MergeRequest']);
    assert.equal((await awards.show(path, 1, award.id)).id, award.id);
    assert.equal((await client.MergeRequests.show(path, 1)).upvotes, 1);
    await awards.remove(path, 1, award.id);
    assert.deepEqual(await awards.all(path, 1), []);
    const note = await client.MergeRequestNotes.create(path, 1, 'Nice');
    const onNote = await noteAwards.award(path, 1, note.id, 'tada');
    assert.deepEqual([onNote.awardable_type, onNote.awardable_id], ['Note', note.id]);
    assert.equal((await noteAwards.all(path, 1, note.id)).length, 1);
    await noteAwards.remove(path, 1, note.id, onNote.id);
  });

  it('tracks time', async () => {
    const { MergeRequests: requests } = client;
    await requests.setTimeEstimate(path, 1, '3h 30m');
    await requests.addSpentTime(path, 1, '1h');
    assert.deepEqual(await requests.showTimeStats(path, 1), {
      time_estimate: 12_600,
      total_time_spent: 3600,
      human_time_estimate: '3h 30m',
      human_total_time_spent: '1h',
    });
    await requests.resetSpentTime(path, 1);
    assert.equal((await requests.resetTimeEstimate(path, 1)).time_estimate, 0);
  });

  it('does the same on issues', async () => {
    issues = await IssueBench.open('sqlite');
    const project = await issues.project();
    await issues.issue(project);
    const host = issues.service.baseUrl;
    const own = new Gitlab({ host, token: issues.service.rootToken });
    const note = await own.IssueNotes.create(project.id, 1, 'Hello');
    assert.equal((await own.IssueNotes.all(project.id, 1)).length, 1);
    const thread = await own.IssueDiscussions.create(project.id, 1, 'Why?');
    await own.IssueDiscussions.addNote(project.id, 1, thread.id, 'Because');
    assert.equal((await own.IssueDiscussions.show(project.id, 1, thread.id)).notes?.length, 2);
    await own.IssueAwardEmojis.award(project.id, 1, 'rocket');
    await own.IssueNoteAwardEmojis.award(project.id, 1, note.id, 'eyes');
    assert.equal((await own.IssueNoteAwardEmojis.all(project.id, 1, note.id))[0]?.name, 'eyes');
    await own.Issues.addSpentTime(project.id, 1, '30m');
    assert.equal((await own.Issues.showTimeStats(project.id, 1)).human_total_time_spent, '30m');
  });
});
