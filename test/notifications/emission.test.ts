import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { DueReminders } from '../../src/tracker/issues/due/reminders.ts';
import { dialects } from '../support/databases.ts';
import { Forge, type Who } from './forge.ts';

for (const kind of dialects) {
  describe(`mail of what happens, on ${kind}`, () => {
    let forge: Forge;
    let [ada, bob, watcher] = [] as unknown as [Who, Who, Who];
    let project: string;
    let now = Date.parse('2026-03-10T12:00:00Z');

    before(async () => {
      forge = await Forge.open(kind, { clock: { now: () => now } });
      ada = await forge.person('ada');
      bob = await forge.person('bob');
      watcher = await forge.person('watcher');
      const body = { name: 'code', visibility: 'private', initialize_with_readme: true };
      const { id } = (await forge.call('POST', '/projects', { body })).body;
      project = `/projects/${id}`;
      for (const { id: user_id } of [ada, bob, watcher]) {
        await forge.call('POST', `${project}/members`, { body: { user_id, access_level: 40 } });
      }
      await forge.as(watcher, 'PUT', `${project}/notification_settings`, { level: 'watch' });
    });
    after(() => forge?.close());

    it('goes out for each operation on an issue', async () => {
      const created = await forge.as(ada, 'POST', `${project}/issues`, {
        title: 'Broken',
        description: 'cc @bob',
        due_date: '2026-03-12',
      });
      assert.equal(created.status, 201);
      assert.deepEqual(await forge.letters(), {
        bob: ['new_issue (mentioned)'],
        watcher: ['new_issue (watching)'],
      });
      const issue = `${project}/issues/1`;
      await forge.as(bob, 'POST', `${issue}/notes`, { body: 'on it, @ada' });
      assert.deepEqual(await forge.letters(), {
        ada: ['new_note (mentioned)'],
        watcher: ['new_note (watching)'],
      });
      await forge.as(ada, 'PUT', issue, { assignee_ids: [bob.id] });
      assert.deepEqual(await forge.letters(), {
        bob: ['reassign_issue (assigned)'],
        watcher: ['reassign_issue (watching)'],
      });
      await forge.as(bob, 'PUT', issue, { state_event: 'close' });
      await forge.as(bob, 'PUT', issue, { state_event: 'reopen' });
      assert.deepEqual(await forge.letters(), {
        ada: ['close_issue (author)', 'reopen_issue (author)'],
        watcher: ['close_issue (watching)', 'reopen_issue (watching)'],
      });
      await forge.as(ada, 'PUT', issue, { description: 'cc @bob and @watcher' });
      assert.deepEqual(await forge.letters(), { watcher: ['mentioned_in_issue (mentioned)'] });
    });

    it('reminds of an issue the day before it is due, once, and not those who only watch', async () => {
      const { dueReminders } = forge.service.service;
      now = Date.parse('2026-03-11T00:49:59Z');
      await dueReminders.check();
      assert.deepEqual(await forge.letters(), {});
      now = Date.parse('2026-03-11T00:50:00Z');
      await dueReminders.check();
      await new DueReminders(forge.service.core).check();
      assert.deepEqual(await forge.letters(), {
        ada: ['issue_due (author)'],
        bob: ['issue_due (participated)'],
      });
    });

    it('goes out for each operation on a merge request', async () => {
      await forge.as(ada, 'POST', `${project}/repository/branches`, { branch: 'work', ref: 'main' });
      await push('first');
      await forge.letters();
      await forge.as(ada, 'POST', `${project}/merge_requests`, {
        source_branch: 'work',
        target_branch: 'main',
        title: 'Mend it',
        reviewer_ids: [bob.id],
      });
      assert.deepEqual(await forge.letters(), {
        bob: ['new_merge_request (participated)'],
        watcher: ['new_merge_request (watching)'],
      });
      const request = `${project}/merge_requests/1`;
      await push('second');
      assert.deepEqual(await forge.letters(), { bob: ['push_to_merge_request (participated)'] });
      await forge.as(bob, 'POST', `${request}/notes`, { body: 'fine' });
      await forge.as(bob, 'POST', `${request}/approve`);
      assert.deepEqual(await forge.letters(), {
        ada: ['new_note (author)', 'approve_merge_request (author)'],
        watcher: ['new_note (watching)', 'approve_merge_request (watching)'],
      });
      for (const note of ['this?', 'and that, @ada?']) {
        await forge.as(bob, 'POST', `${request}/draft_notes`, { note });
      }
      await forge.as(bob, 'POST', `${request}/draft_notes/bulk_publish`);
      assert.deepEqual(await forge.letters(), {
        ada: ['new_note (mentioned)'],
        watcher: ['new_note (watching)'],
      });
      const threads = `${request}/discussions`;
      const open = (await forge.as(bob, 'GET', threads)).body.filter(
        ({ notes }: { notes: { resolvable: boolean }[] }) => notes[0]?.resolvable,
      );
      assert.equal(open.length, 2);
      await forge.as(ada, 'PUT', `${threads}/${open[0].id}`, { resolved: true });
      assert.deepEqual(await forge.letters(), {});
      await forge.as(ada, 'PUT', `${threads}/${open[1].id}`, { resolved: true });
      assert.deepEqual(await forge.letters(), {
        bob: ['resolve_all_discussions (participated)'],
        watcher: ['resolve_all_discussions (watching)'],
      });
      await forge.as(ada, 'PUT', request, { assignee_id: watcher.id, reviewer_ids: [] });
      assert.deepEqual(await forge.letters(), {
        bob: ['reassign_merge_request (participated)', 'change_reviewer_merge_request (unassigned)'],
        watcher: ['reassign_merge_request (assigned)', 'change_reviewer_merge_request (participated)'],
      });
      await forge.as(bob, 'PUT', request, { state_event: 'close' });
      await forge.as(bob, 'PUT', request, { state_event: 'reopen' });
      await forge.as(bob, 'PUT', `${request}/merge`, {});
      const states = ['close_merge_request', 'reopen_merge_request', 'merge_merge_request'];
      assert.deepEqual(await forge.letters(), {
        ada: states.map((state) => `${state} (author)`),
        watcher: states.map((state) => `${state} (participated)`),
      });
    });

    async function push(message: string) {
      await forge.as(ada, 'POST', `${project}/repository/commits`, {
        branch: 'work',
        commit_message: message,
        actions: [{ action: 'create', file_path: `${message}.txt`, content: message }],
      });
    }

    it('goes out for an issue that is cloned or moved, in its thread', async () => {
      const body = { title: 'Elsewhere' };
      const { iid } = (await forge.as(ada, 'POST', `${project}/issues`, body)).body;
      const other = (await forge.call('POST', '/projects', { body: { name: 'Other' } })).body.id;
      for (const { id: user_id } of [ada, bob]) {
        await forge.call('POST', `/projects/${other}/members`, { body: { user_id, access_level: 40 } });
      }
      await forge.letters();
      const to = { to_project_id: other };
      await forge.as(bob, 'POST', `${project}/issues/${iid}/clone`, to);
      assert.deepEqual(await forge.letters(), {
        ada: ['clone_issue (author)'],
        watcher: ['clone_issue (watching)'],
      });
      await forge.as(bob, 'POST', `${project}/issues/${iid}/move`, to);
      const letters = await forge.letters();
      assert.ok(letters['ada']?.includes('move_issue (author)'));
      assert.deepEqual(letters['watcher'], ['move_issue (watching)']);
    });

    it('goes out for comments on commits and snippets', async () => {
      const commits: { id: string; author_email: string }[] = (
        await forge.as(ada, 'GET', `${project}/repository/commits`)
      ).body;
      const id = commits.find(({ author_email: email }) => email === 'ada@example.test')?.id;
      await forge.as(bob, 'POST', `${project}/repository/commits/${id}/comments`, { note: 'nice' });
      assert.deepEqual(await forge.letters(), {
        ada: ['new_note (author)'],
        watcher: ['new_note (watching)'],
      });
      const snippet = { title: 'How', file_name: 'how.md', content: 'so', visibility: 'private' };
      const made = (await forge.as(ada, 'POST', `${project}/snippets`, snippet)).body;
      await forge.as(bob, 'POST', `${project}/snippets/${made.id}/notes`, { body: 'thanks @ada' });
      assert.deepEqual(await forge.letters(), {
        ada: ['new_note (mentioned)'],
        watcher: ['new_note (watching)'],
      });
    });

    it('goes to who started a pipeline: that it failed, works again, or (if he asks for it) succeeded', async () => {
      const { body: branch } = await forge.as(ada, 'GET', `${project}/repository/branches/main`);
      const post = (who: Who, state: string) =>
        forge.as(who, 'POST', `${project}/statuses/${branch.commit.id}`, {
          state,
          name: 'test',
          ref: 'main',
        });
      await post(ada, 'failed');
      assert.deepEqual(await forge.letters(), { ada: ['failed_pipeline (started)'] });
      await post(ada, 'running');
      await post(ada, 'success');
      assert.deepEqual(await forge.letters(), { ada: ['fixed_pipeline (started)'] });
      await post(ada, 'running');
      await post(ada, 'success');
      assert.deepEqual(await forge.letters(), {});
    });

    it('names the branch of a merge request whose pipeline it tells of', async () => {
      const { core } = forge.service;
      const { body: offered } = await forge.as(ada, 'GET', `${project}/merge_requests/1`);
      const facts = {
        ref: 'refs/merge-requests/1/head',
        sha: offered.sha as string,
        status: 'failed' as const,
      };
      const projectId = offered.project_id as number;
      await core.database.transaction(async (tx) => {
        const { id } = await tx
          .insertInto('pipelines')
          .values({
            ...facts,
            iid: 1000,
            project_id: projectId,
            source: 'merge_request_event',
            merge_request_id: offered.id,
            user_id: ada.id,
            created_at: now,
            updated_at: now,
          })
          .returning('id')
          .executeTakeFirstOrThrow();
        await core.events.publish(tx, {
          type: 'pipeline.updated',
          stream: `project:${projectId}`,
          payload: { ...facts, projectId, pipelineId: id, mergeRequestId: offered.id, before: null },
        });
      });
      assert.deepEqual(await forge.letters(), { ada: ['failed_pipeline (started)'] });
      const [{ subject }] = (await forge.call('GET', '/admin/mails?kind=failed_pipeline')).body;
      assert.match(subject, / \| Failed pipeline for work \| [0-9a-f]{8}$/);
    });

    it('goes to who keeps a project when it has another address', async () => {
      await forge.call('PUT', project, { body: { path: 'elsewhere' } });
      assert.deepEqual(await forge.letters(), {
        ada: ['moved_project (maintains)'],
        bob: ['moved_project (maintains)'],
        root: ['moved_project (maintains)'],
        watcher: ['moved_project (maintains)'],
      });
    });

    it('goes to subscribers of a label that something gets', async () => {
      await forge.call('POST', `${project}/labels`, { body: { name: 'urgent', color: '#ff0000' } });
      await forge.as(bob, 'POST', `${project}/labels/urgent/subscribe`);
      await forge.as(ada, 'POST', `${project}/issues`, { title: 'Later' });
      await forge.letters();
      await forge.as(ada, 'PUT', `${project}/issues/2`, { add_labels: 'urgent' });
      assert.deepEqual(await forge.letters(), { bob: ['relabel_issue (subscribed)'] });
    });
  });
}
