import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { dialects } from '../../../../test/support/databases.ts';
import { type Person, seedMember, seedPerson, seedUser } from '../../../../test/support/seed.ts';
import { Level } from '../../../core/access/levels.ts';
import { findMergeRequestById } from '../../merge-requests/store.ts';
import { MergeRequestBench } from '../../merge-requests/testing.ts';
import { closeByCommit, closeMentioned } from './close.ts';

for (const kind of dialects) {
  describe(`issues in merge requests on ${kind}`, () => {
    let bench: MergeRequestBench;
    let merger: Person;
    before(async () => {
      bench = await MergeRequestBench.open(kind);
      merger = await seedUser(bench.service.core, 'merger');
    });
    after(() => bench.service.close());

    const prepare = async (settings?: Record<string, unknown>) => {
      const project = await bench.prepare(settings);
      await seedMember(bench.service.core, project, merger.user, Level.maintainer);
      return project;
    };
    const issueOf = async (project: { id: number }, body: Record<string, unknown> = {}) => {
      const at = `/projects/${project.id}/issues`;
      const reply = await bench.service.api('POST', at, { body: { title: 'Issue', ...body } });
      assert.equal(reply.status, 201, reply.text);
      return reply.body;
    };
    const iids = async (path: string, token?: string) => {
      await bench.service.core.events.idle();
      const reply = await bench.service.api('GET', path, { ...(token && { token }) });
      assert.equal(reply.status, 200, reply.text);
      return reply.body.map(({ iid }: { iid: number }) => iid);
    };
    const read = async (project: { id: number }, iid: number) => {
      await bench.service.core.events.idle();
      return (await bench.service.api('GET', `/projects/${project.id}/issues/${iid}`)).body;
    };

    it('are shown on both sides, and follow the texts', async () => {
      const project = await prepare();
      for (let count = 0; count < 3; count++) await issueOf(project);
      await bench.opened(project, { title: 'See #1', description: 'Closes #2' });
      const at = (rest: string) => `/projects/${project.id}/${rest}`;
      assert.deepEqual(await iids(at('issues/1/related_merge_requests')), [1]);
      assert.deepEqual(await iids(at('issues/1/closed_by')), []);
      assert.deepEqual(await iids(at('issues/2/closed_by')), [1]);
      assert.deepEqual(await iids(at('merge_requests/1/closes_issues')), [2]);
      assert.deepEqual(await iids(at('merge_requests/1/related_issues')), [1, 2]);
      assert.equal((await read(project, 2)).merge_requests_count, 1);
      await bench.put(project, '/1', { description: 'Closes #3' });
      assert.deepEqual(await iids(at('issues/2/related_merge_requests')), []);
      assert.deepEqual(await iids(at('merge_requests/1/closes_issues')), [3]);
    });

    it('are closed when it is merged into the default branch, once', async () => {
      const project = await prepare();
      const other = await prepare();
      await issueOf(project);
      await issueOf(project, { confidential: true });
      await issueOf(other);
      const description = `Fixes #1, #2 and ${other.full_path}#1`;
      const { id } = await bench.opened(project, { description });
      const merged = await bench.put(project, '/1/merge', {}, { token: merger.token });
      assert.equal(merged.status, 200, merged.text);
      const closed = await read(project, 1);
      assert.deepEqual([closed.state, closed.closed_by.username], ['closed', 'merger']);
      assert.equal((await read(project, 2)).state, 'closed');
      assert.equal((await read(other, 1)).state, 'closed');
      const at = `/projects/${project.id}/issues/1`;
      const { body: notes } = await bench.service.api('GET', `${at}/notes`);
      assert.deepEqual(
        notes.map(({ body }: { body: string }) => body),
        ['closed via merge request !1'],
      );

      await bench.service.api('PUT', at, { body: { state_event: 'reopen' } });
      const row = (await findMergeRequestById(bench.service.core.db, id))!;
      await closeMentioned(bench.service.core, row, merger.user.id);
      assert.equal((await read(project, 1)).state, 'opened');
    });

    it('stay open where the target is another branch, where the project says so, and where the merger may not', async () => {
      const quiet = await prepare({ autoclose_referenced_issues: false });
      await issueOf(quiet);
      await bench.opened(quiet, { description: 'Closes #1' });
      await bench.put(quiet, '/1/merge', {});
      assert.equal((await read(quiet, 1)).state, 'opened');

      const project = await prepare();
      const foreign = await prepare();
      await issueOf(project);
      await issueOf(foreign);
      await bench.topic(project, 'side');
      const description = `Closes #1 and ${foreign.full_path}#1`;
      await bench.opened(project, { target_branch: 'side', description });
      await bench.put(project, '/1/merge', {});
      assert.equal((await read(project, 1)).state, 'opened');

      const { core } = bench.service;
      await bench.topic(project, 'more');
      await core.db.deleteFrom('members').where('project_id', '=', foreign.id).execute();
      await bench.opened(project, { source_branch: 'more', description });
      await bench.put(project, '/2/merge', {}, { token: merger.token });
      assert.equal((await read(project, 1)).state, 'closed');
      assert.equal((await read(foreign, 1)).state, 'opened');
    });

    const push = async (project: { id: number }, message: string, branch = 'main', token?: string) => {
      const reply = await bench.service.api('POST', `/projects/${project.id}/repository/commits`, {
        ...(token && { token }),
        body: {
          branch,
          commit_message: message,
          ...(branch !== 'main' && { start_branch: 'main' }),
          actions: [{ action: 'create', file_path: `${Math.random()}`, content: 'x' }],
        },
      });
      assert.equal(reply.status, 201, reply.text);
      return reply.body;
    };
    const notesOf = async (project: { id: number }, iid: number) => {
      const { body } = await bench.service.api('GET', `/projects/${project.id}/issues/${iid}/notes`);
      return body.map((note: { body: string }) => note.body);
    };

    it('are closed by commits that reach the default branch, once, and by nobody who may not', async () => {
      const project = await prepare();
      const other = await prepare();
      for (let count = 0; count < 3; count++) await issueOf(project);
      await issueOf(other);
      await push(project, 'Closes #3', 'aside');
      assert.equal((await read(project, 3)).state, 'opened');

      const message = `Work on #2\n\nFixes #1 and ${other.full_path}#1`;
      const commit = await push(project, message, 'main', merger.token);
      const closed = await read(project, 1);
      assert.deepEqual([closed.state, closed.closed_by.username], ['closed', 'merger']);
      assert.deepEqual(await notesOf(project, 1), [`closed via commit ${commit.id}`]);
      assert.equal((await read(project, 2)).state, 'opened');
      assert.deepEqual(await notesOf(other, 1), [`closed via commit ${project.full_path}@${commit.id}`]);

      const { core } = bench.service;
      await bench.service.api('PUT', `/projects/${project.id}/issues/1`, { body: { state_event: 'reopen' } });
      const again = { id: commit.id, projectId: project.id, userId: merger.user.id };
      await closeByCommit(core, [closed.id], again);
      assert.equal((await read(project, 1)).state, 'opened');

      await core.db.deleteFrom('members').where('project_id', '=', other.id).execute();
      await bench.service.api('PUT', `/projects/${other.id}/issues/1`, { body: { state_event: 'reopen' } });
      await push(project, `Closes ${other.full_path}#1`, 'main', merger.token);
      assert.equal((await read(other, 1)).state, 'opened');
    });

    it('stay open after a commit where the project says so', async () => {
      const project = await prepare({ autoclose_referenced_issues: false });
      await issueOf(project);
      await push(project, 'Closes #1');
      assert.equal((await read(project, 1)).state, 'opened');
    });

    it('are shown to those only who may read them', async () => {
      const project = await prepare();
      await bench.service.core.db
        .updateTable('projects')
        .set({ visibility: 'public' })
        .where('id', '=', project.id)
        .execute();
      await issueOf(project, { confidential: true });
      await bench.opened(project, { title: 'Because of #1' });
      const { token } = await seedPerson(bench.service.core, `passer${project.id}`);
      const related = `/projects/${project.id}/merge_requests/1/related_issues`;
      assert.deepEqual([await iids(related), await iids(related, token)], [[1], []]);
    });
  });
}
