import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { dialects } from '../../../test/support/databases.ts';
import { type Person, seedCommit, seedMember, seedProject, seedUser } from '../../../test/support/seed.ts';
import {
  type CallOptions,
  type Reply,
  startService,
  type TestService,
} from '../../../test/support/service.ts';
import { Level } from '../../core/access/levels.ts';
import type { ProjectWithNamespace } from '../../core/projects/find.ts';
import { readCommit } from '../../git/objects.ts';
import { resolveRef } from '../../git/refs.ts';
import { createPipeline } from '../../jobs/pipelines.ts';
import { createNote, updateNote } from '../notes/notes.ts';
import { mergeRequestByMergeCommit, mergeRequestsForCommit } from './for-commit.ts';

for (const kind of dialects) {
  describe(`merge requests on ${kind}`, () => {
    let service: TestService;
    let dev: Person;
    let reporter: Person;
    let guest: Person;
    let count = 0;
    before(async () => {
      service = await startService({ kind });
      dev = await seedUser(service.core, 'dev');
      reporter = await seedUser(service.core, 'reporter');
      guest = await seedUser(service.core, 'guest');
    });
    after(() => service.close());

    /** A project with a commit on main and one more on `topic`. */
    async function prepare(settings: Record<string, unknown> = {}): Promise<ProjectWithNamespace> {
      const { core } = service;
      const project = await seedProject(core, `p${++count}`, { settings: JSON.stringify(settings) });
      await seedMember(core, project, dev.user, Level.developer);
      await seedMember(core, project, reporter.user, Level.reporter);
      await seedMember(core, project, guest.user, Level.guest);
      await seedCommit(core, project, { branch: 'main', files: { 'README.md': 'hello\n' } });
      await topic(project, 'topic');
      return project;
    }
    const topic = (project: ProjectWithNamespace, branch: string, files?: Record<string, string>) =>
      seedCommit(service.core, project, {
        branch,
        from: 'main',
        files: files ?? { [`${branch}.txt`]: 'one\ntwo\n' },
        message: `Add ${branch}\n\nBecause.\n`,
      });
    const at = (project: { id: number }, rest = '') => `/projects/${project.id}/merge_requests${rest}`;
    const open = (project: { id: number }, body: Record<string, unknown> = {}, options: CallOptions = {}) =>
      service.api('POST', at(project), {
        body: { source_branch: 'topic', target_branch: 'main', title: 'Topic', ...body },
        ...options,
      });
    async function opened(project: { id: number }, body: Record<string, unknown> = {}) {
      const reply = await open(project, body);
      assert.equal(reply.status, 201, reply.text);
      return reply.body;
    }
    const get = (project: { id: number }, rest: string, options?: CallOptions) =>
      service.api('GET', at(project, rest), options);
    const put = (project: { id: number }, rest: string, body: Record<string, unknown>, options = {}) =>
      service.api('PUT', at(project, rest), { body, ...options });
    const tip = (project: ProjectWithNamespace, ref: string) =>
      resolveRef(service.core.repositoryOf(project), ref);
    const answered = ({ status, body }: Reply) => [status, body.message ?? body.error];

    describe('opening', () => {
      it('answers with everything that clients read', async () => {
        const project = await prepare();
        const head = await tip(project, 'refs/heads/topic');
        const base = await tip(project, 'refs/heads/main');
        const body = await opened(project, {
          title: 'Draft: Topic',
          description: '- [x] a\n- [ ] b',
          assignee_id: dev.user.id,
          reviewer_ids: [reporter.user.id, guest.user.id, 999_999],
          labels: 'two,one',
          remove_source_branch: true,
        });
        assert.equal(body.iid, 1);
        assert.equal(body.state, 'opened');
        assert.equal(body.author.username, 'root');
        assert.deepEqual([body.source_branch, body.target_branch], ['topic', 'main']);
        assert.equal(body.sha, head);
        assert.deepEqual(body.diff_refs, { base_sha: base, head_sha: head, start_sha: base });
        assert.equal(body.merge_status, 'can_be_merged');
        assert.equal(body.detailed_merge_status, 'draft_status');
        assert.deepEqual([body.draft, body.work_in_progress, body.has_conflicts], [true, true, false]);
        assert.equal(body.changes_count, '1');
        assert.deepEqual(body.references, {
          short: '!1',
          relative: '!1',
          full: `${project.full_path}!1`,
        });
        assert.equal(body.web_url, `${service.baseUrl}/${project.full_path}/-/merge_requests/1`);
        assert.deepEqual(body.task_completion_status, { count: 2, completed_count: 1 });
        assert.deepEqual(body.labels, ['one', 'two']);
        assert.equal(body.assignee.username, 'dev');
        assert.deepEqual(
          body.reviewers.map(({ username }: { username: string }) => username),
          ['reporter'],
          'only those who may read it',
        );
        assert.equal(body.force_remove_source_branch, true);
        assert.deepEqual(body.user, { can_merge: true });
        assert.deepEqual([body.subscribed, body.first_contribution], [true, true]);
        assert.deepEqual([body.pipeline, body.head_pipeline, body.milestone], [null, null, null]);
      });

      it('keeps a ref of its own at the commit offered', async () => {
        const project = await prepare();
        await opened(project);
        assert.equal(
          await tip(project, 'refs/merge-requests/1/head'),
          await tip(project, 'refs/heads/topic'),
        );
      });

      it('refuses what cannot be merged', async () => {
        const project = await prepare();
        const missing = ['does not exist'];
        assert.deepEqual(answered(await open(project, { source_branch: 'nope' })), [
          400,
          { source_branch: missing },
        ]);
        assert.deepEqual(answered(await open(project, { target_branch: 'nope' })), [
          400,
          { target_branch: missing },
        ]);
        assert.deepEqual(answered(await open(project, { source_branch: 'main' })), [
          422,
          ["You can't use same project/branch for source and target"],
        ]);
        assert.deepEqual(answered(await open(project, { title: ' ' })), [400, { title: ["can't be blank"] }]);
        assert.deepEqual(answered(await open(project, { title: 'x'.repeat(256) })), [
          400,
          { title: ['is too long (maximum is 255 characters)'] },
        ]);
        for (const name of ['--help', '../x', 'a b', 'refs/heads/main'])
          assert.equal((await open(project, { source_branch: name })).status, 400, name);
        const empty = await service.api('POST', at(project), { body: {} });
        assert.deepEqual(empty.body, {
          error: 'source_branch is missing, target_branch is missing, title is missing',
        });
      });

      it('takes one open request for two branches, also when many ask at once', async () => {
        const project = await prepare();
        const replies = await Promise.all(Array.from({ length: 5 }, () => open(project)));
        assert.deepEqual(replies.map(({ status }) => status).sort(), [201, 409, 409, 409, 409]);
        const iid = replies.find(({ status }) => status === 201)!.body.iid;
        assert.deepEqual(answered(await open(project)), [
          409,
          [`Another open merge request already exists for this source branch: !${iid}`],
        ]);
        await put(project, `/${iid}`, { state_event: 'close' });
        assert.equal((await open(project)).status, 201);
      });

      it('is for developers, and reading for reporters where the project is private', async () => {
        const project = await prepare();
        assert.equal((await open(project, {}, { token: reporter.token })).status, 403);
        assert.equal((await open(project, {}, { token: dev.token })).status, 201);
        assert.equal((await get(project, '/1', { token: reporter.token })).status, 200);
        assert.equal((await get(project, '/1', { token: guest.token })).status, 403);
        const stranger = await seedUser(service.core, `stranger${count}`);
        assert.deepEqual(answered(await get(project, '/1', { token: stranger.token })), [
          404,
          '404 Project Not Found',
        ]);
        assert.equal((await get(project, '/1', { token: null })).status, 401);
        assert.deepEqual(answered(await get(project, '/9')), [404, '404 Not found']);
        assert.deepEqual(answered(await get(project, '/x')), [400, 'merge_request_iid is invalid']);
      });
    });

    describe('a fork', () => {
      it('offers its commits to the project it came from, and to nobody else', async () => {
        const project = await prepare();
        const { core } = service;
        const fork = await seedProject(core, 'fork', { ownerId: dev.user.id, forkedFromId: project.id });
        const repo = core.repositoryOf(fork);
        await repo.importFrom(core.repositoryOf(project).path);
        const head = await seedCommit(core, fork, { branch: 'idea', from: 'main', files: { idea: 'x' } });
        const body = { source_branch: 'idea', target_project_id: project.id };
        const reply = await open(fork, body, { token: dev.token });
        assert.equal(reply.status, 201, reply.text);
        assert.deepEqual([reply.body.source_project_id, reply.body.target_project_id], [fork.id, project.id]);
        assert.deepEqual([reply.body.sha, reply.body.merge_status], [head, 'can_be_merged']);
        assert.equal(await tip(project, 'refs/merge-requests/1/head'), head);

        const foreign = await prepare();
        assert.deepEqual(
          answered(await open(fork, { ...body, target_project_id: foreign.id }, { token: dev.token })),
          [422, ['Source project is not a fork of the target project']],
        );
        assert.equal(
          (await open(fork, { ...body, target_project_id: 999_999 }, { token: dev.token })).status,
          404,
        );

        const pushed = await seedCommit(core, fork, { branch: 'idea', files: { more: 'y' } });
        await core.events.idle();
        assert.equal((await get(project, '/1')).body.sha, pushed);
        assert.equal(await tip(project, 'refs/merge-requests/1/head'), pushed);
        const merged = await put(project, '/1/merge', {});
        assert.equal(merged.body.state, 'merged', merged.text);
      });
    });

    describe('the list', () => {
      let project: ProjectWithNamespace;
      const iids = async (query: Record<string, unknown>, path = at(project), token?: string) => {
        const reply = await service.api('GET', path, { query, ...(token && { token }) });
        assert.equal(reply.status, 200, reply.text);
        return reply.body.map(({ iid }: { iid: number }) => iid);
      };
      before(async () => {
        project = await prepare();
        await topic(project, 'b');
        await topic(project, 'c');
        await opened(project, { title: 'First 100%', labels: ['x'] });
        const second = { source_branch: 'b', title: 'Draft: second', assignee_ids: [dev.user.id] };
        await open(project, second, { token: dev.token });
        await opened(project, {
          source_branch: 'c',
          title: 'Third',
          description: 'FINDME',
          reviewer_ids: [dev.user.id],
        });
        await put(project, '/3', { state_event: 'close' });
      });

      it('shows the newest first and narrows by each filter', async () => {
        const expected: [Record<string, unknown>, number[]][] = [
          [{}, [3, 2, 1]],
          [{ state: 'opened' }, [2, 1]],
          [{ state: 'closed' }, [3]],
          [{ state: 'merged' }, []],
          [{ source_branch: 'b' }, [2]],
          [{ target_branch: 'main' }, [3, 2, 1]],
          [{ author_username: 'DEV' }, [2]],
          [{ author_id: dev.user.id }, [2]],
          [{ author_username: 'nobody' }, []],
          [{ assignee_id: dev.user.id }, [2]],
          [{ assignee_id: 'None' }, [3, 1]],
          [{ assignee_id: 'any' }, [2]],
          [{ assignee_username: ['dev'] }, [2]],
          [{ reviewer_id: dev.user.id }, [3]],
          [{ reviewer_username: 'dev' }, [3]],
          [{ scope: 'created_by_me' }, [3, 1]],
          [{ scope: 'assigned_to_me' }, []],
          [{ labels: 'x' }, [1]],
          [{ labels: 'None' }, [3, 2]],
          [{ labels: 'x,y' }, []],
          [{ search: 'findme' }, [3]],
          [{ search: 'findme', in: 'title' }, []],
          [{ search: '100%' }, [1]],
          [{ search: '_' }, []],
          [{ iids: [1, 3] }, [3, 1]],
          [{ wip: 'yes' }, [2]],
          [{ wip: 'no' }, [3, 1]],
          [{ created_after: '2100-01-01' }, []],
          [{ updated_before: '2000-01-01' }, []],
          [{ sort: 'asc' }, [1, 2, 3]],
          [{ order_by: 'title', sort: 'asc' }, [2, 1, 3]],
          [{ per_page: 2, page: 2 }, [1]],
        ];
        for (const [query, found] of expected)
          assert.deepEqual(await iids(query), found, JSON.stringify(query));
      });

      it('shows the short view', async () => {
        const { body } = await get(project, '', { query: { view: 'simple', per_page: 1 } });
        assert.deepEqual(Object.keys(body[0]).sort(), [
          ...[
            'created_at',
            'description',
            'id',
            'iid',
            'project_id',
            'state',
            'title',
            'updated_at',
            'web_url',
          ],
        ]);
      });

      it('goes over all projects that the caller may read', async () => {
        const mine = (token: string, query: Record<string, unknown>) =>
          iids({ ...query, search: 'second' }, '/merge_requests', token);
        assert.deepEqual(await mine(dev.token, {}), [2]);
        assert.deepEqual(await mine(reporter.token, {}), []);
        assert.deepEqual(await mine(reporter.token, { scope: 'all' }), [2]);
        assert.deepEqual(await mine(guest.token, { scope: 'all' }), []);
        await service.core.db
          .updateTable('projects')
          .set({ visibility: 'public' })
          .where('id', '=', project.id)
          .execute();
        assert.deepEqual(await mine(guest.token, { scope: 'all' }), [2]);
        await service.core.db
          .updateTable('projects')
          .set({ settings: JSON.stringify({ merge_requests_access_level: 'disabled' }) })
          .where('id', '=', project.id)
          .execute();
        assert.deepEqual(await mine(dev.token, { scope: 'all' }), []);
        assert.equal((await get(project, '')).status, 403);
      });
    });

    describe('changing', () => {
      it('changes what is given and nothing else', async () => {
        const project = await prepare();
        await opened(project, { description: 'd', labels: 'a,b', assignee_ids: [dev.user.id] });
        const { body } = await put(project, '/1', {
          title: 'New',
          add_labels: 'c',
          remove_labels: 'a',
          squash: true,
          discussion_locked: true,
        });
        assert.deepEqual([body.title, body.description, body.labels], ['New', 'd', ['b', 'c']]);
        assert.deepEqual([body.squash, body.discussion_locked, body.assignee.username], [true, true, 'dev']);
        assert.equal((await put(project, '/1', { assignee_id: 0 })).body.assignee, null);
        assert.match(
          (await put(project, '/1', {})).body.error,
          /are missing, at least one parameter must be provided$/,
        );
      });

      it('closes and reopens', async () => {
        const project = await prepare();
        await opened(project);
        const closed = (await put(project, '/1', { state_event: 'close' })).body;
        assert.deepEqual([closed.state, closed.closed_by.username], ['closed', 'root']);
        assert.equal(closed.detailed_merge_status, 'not_open');
        await opened(project);
        assert.deepEqual(answered(await put(project, '/1', { state_event: 'reopen' })), [
          409,
          ['Another open merge request already exists for this source branch: !2'],
        ]);
        await put(project, '/2', { state_event: 'close' });
        const reopened = (await put(project, '/1', { state_event: 'reopen' })).body;
        assert.deepEqual([reopened.state, reopened.closed_by, reopened.closed_at], ['opened', null, null]);
      });

      it('looks at the diff again when the target is another branch', async () => {
        const project = await prepare();
        const next = await topic(project, 'next', { 'next.txt': 'x' });
        await seedCommit(service.core, project, {
          branch: 'topic',
          files: { 'second.txt': 'x' },
          merges: [next],
        });
        await opened(project);
        assert.equal((await get(project, '/1/commits')).body.length, 3);
        const { body } = await put(project, '/1', { target_branch: 'next' });
        assert.deepEqual([body.target_branch, body.diff_refs.base_sha], ['next', next]);
        assert.equal((await get(project, '/1/commits')).body.length, 2);
        assert.deepEqual(answered(await put(project, '/1', { target_branch: 'nope' })), [
          400,
          { target_branch: ['does not exist'] },
        ]);
      });

      it('is for its author and for developers; deleting for owners', async () => {
        const project = await prepare();
        await opened(project);
        assert.equal((await put(project, '/1', { title: 'x' }, { token: reporter.token })).status, 403);
        assert.equal((await put(project, '/1', { title: 'x' }, { token: dev.token })).status, 200);
        assert.equal((await service.api('DELETE', at(project, '/1'), { token: dev.token })).status, 403);
        assert.equal((await service.api('DELETE', at(project, '/1'))).status, 204);
        assert.equal((await get(project, '/1')).status, 404);
        assert.equal(await tip(project, 'refs/merge-requests/1/head'), null);
        assert.equal((await opened(project)).iid, 2, 'a number is not given again');
      });
    });

    describe('commits and diffs', () => {
      it('are those between the branches', async () => {
        const project = await prepare();
        const second = await seedCommit(service.core, project, { branch: 'topic', files: { b: '1\n' } });
        await seedCommit(service.core, project, { branch: 'main', files: { other: '1\n' } });
        await opened(project);
        const commits = (await get(project, '/1/commits')).body;
        assert.deepEqual(
          commits.map(({ title }: { title: string }) => title),
          ['Change', 'Add topic'],
        );
        assert.equal(commits[0].id, second);
        const { body } = await get(project, '/1/changes');
        assert.deepEqual(
          body.changes.map((file: { new_path: string }) => file.new_path),
          ['b', 'topic.txt'],
        );
        assert.equal(body.overflow, false);
        assert.equal(body.changes_count, '2');
        const page = await get(project, '/1/diffs', { query: { per_page: 1, page: 2, unidiff: true } });
        assert.equal(page.headers['x-total'], '2');
        assert.match(page.body[0].diff, /^--- \/dev\/null\n\+\+\+ b\/topic.txt\n@@ /);
        const [version] = (await get(project, '/1/versions')).body;
        assert.equal(version.head_commit_sha, second);
        const full = (await get(project, `/1/versions/${version.id}`)).body;
        assert.deepEqual([full.commits.length, full.diffs.length, full.real_size], [2, 2, '2']);
        assert.equal((await get(project, '/1/versions/1')).status, 404);
      });
    });

    describe('a push', () => {
      it('to the source branch is taken up', async () => {
        const project = await prepare();
        await opened(project);
        const pushed = await seedCommit(service.core, project, { branch: 'topic', files: { more: 'x' } });
        await service.core.events.idle();
        const { body } = await get(project, '/1');
        assert.deepEqual([body.sha, body.changes_count], [pushed, '2']);
        assert.equal(await tip(project, 'refs/merge-requests/1/head'), pushed);
        const updated = await service.core.db
          .selectFrom('events')
          .select('payload')
          .where('type', '=', 'merge_request.updated')
          .where('stream', '=', `project:${project.id}`)
          .executeTakeFirstOrThrow();
        assert.deepEqual(JSON.parse(updated.payload).changes, ['sha']);
      });

      it('to the target branch that conflicts is found when one looks', async () => {
        const project = await prepare();
        await opened(project);
        await seedCommit(service.core, project, { branch: 'main', files: { 'topic.txt': 'other\n' } });
        await service.core.events.idle();
        assert.equal((await get(project, '')).body[0].merge_status, 'unchecked');
        const { body } = await get(project, '/1');
        assert.deepEqual(
          [body.merge_status, body.detailed_merge_status, body.has_conflicts],
          ['cannot_be_merged', 'conflict', true],
        );
        assert.equal((await get(project, '')).body[0].has_conflicts, true, 'and kept');
        assert.deepEqual(answered(await put(project, '/1/merge', {})), [422, 'Branch cannot be merged']);
      });

      it('to the target branch that merges it marks it as merged, by who pushed', async () => {
        const project = await prepare();
        const { sha } = await opened(project);
        const merge = await seedCommit(service.core, project, { branch: 'main', files: {}, merges: [sha] });
        await seedCommit(service.core, project, { branch: 'main', files: { later: 'x' } });
        await service.core.events.idle();
        const { body } = await get(project, '/1');
        assert.deepEqual([body.state, body.merge_commit_sha], ['merged', merge]);
        assert.equal(body.merged_by.username, 'root');
      });

      it('that moves the target branch forward to it marks it as merged too', async () => {
        const project = await prepare();
        const { sha } = await opened(project);
        const old = await tip(project, 'refs/heads/main');
        const update = { ref: 'refs/heads/main', old, new: sha };
        await service.core.refUpdates.update(project, [update], { userId: dev.user.id, via: 'push' });
        await service.core.events.idle();
        const { body } = await get(project, '/1');
        assert.deepEqual(
          [body.state, body.merge_commit_sha, body.merged_by.username],
          ['merged', sha, 'dev'],
        );
      });

      it('that deletes the source branch leaves the request open with what it had', async () => {
        const project = await prepare();
        const { sha } = await opened(project);
        const update = { ref: 'refs/heads/topic', old: sha, new: null };
        await service.core.refUpdates.update(project, [update], { userId: 1, via: 'push' });
        await service.core.events.idle();
        const { body } = await get(project, '/1');
        assert.deepEqual(
          [body.state, body.sha, body.detailed_merge_status],
          ['opened', sha, 'commits_status'],
        );
        assert.equal((await get(project, '/1/changes')).body.changes.length, 1);
        assert.equal((await put(project, '/1/merge', {})).status, 405);
      });
    });

    describe('merging', () => {
      const commitAt = async (project: ProjectWithNamespace, oid: string) =>
        (await readCommit(service.core.repositoryOf(project), oid))!;

      it('makes a merge commit in the words of GitLab', async () => {
        const project = await prepare();
        const { sha } = await opened(project);
        const before = await tip(project, 'refs/heads/main');
        await service.core.events.idle();
        const { status, body } = await put(project, '/1/merge', {});
        assert.equal(status, 200);
        assert.deepEqual([body.state, body.merged_by.username, body.merge_user.id], ['merged', 'root', 1]);
        const commit = await commitAt(project, body.merge_commit_sha);
        assert.equal(await tip(project, 'refs/heads/main'), commit.id);
        assert.deepEqual(commit.parents, [before, sha]);
        assert.equal(
          commit.message,
          `Merge branch 'topic' into 'main'\n\nTopic\n\nSee merge request ${project.full_path}!1`,
        );
        assert.deepEqual(
          [commit.author.name, commit.committer.email],
          ['Administrator', 'admin@example.com'],
        );
        assert.equal(await tip(project, 'refs/heads/topic'), sha, 'the source branch stays');
        await service.core.events.idle();
        const told = await service.core.db
          .selectFrom('events')
          .select('payload')
          .where('type', '=', 'merge_request.merged')
          .where('stream', '=', `project:${project.id}`)
          .execute();
        assert.equal(told.length, 1, 'told once, although the branch moved too');
        assert.deepEqual(answered(await put(project, '/1/merge', {})), [405, '405 Method Not Allowed']);
      });

      it('removes the source branch where that was asked for', async () => {
        const project = await prepare();
        await opened(project);
        const { body } = await put(project, '/1/merge', { should_remove_source_branch: true });
        assert.equal(body.should_remove_source_branch, true);
        assert.equal(await tip(project, 'refs/heads/topic'), null);
      });

      it('squashes', async () => {
        const project = await prepare();
        await seedCommit(service.core, project, { branch: 'topic', files: { more: 'x' } });
        const { sha, diff_refs } = await opened(project, { squash: true });
        const { body } = await put(project, '/1/merge', { merge_commit_message: 'mine' });
        const squashed = await commitAt(project, body.squash_commit_sha);
        assert.equal(squashed.message, 'Topic');
        assert.deepEqual(squashed.parents, [diff_refs.base_sha]);
        assert.equal(squashed.tree, (await commitAt(project, sha)).tree);
        const merge = await commitAt(project, body.merge_commit_sha);
        assert.deepEqual([merge.message, merge.parents[1]], ['mine', squashed.id]);
      });

      it('moves forward without a merge commit where the project wants that', async () => {
        const project = await prepare({ merge_method: 'ff' });
        const { sha } = await opened(project);
        const { body } = await put(project, '/1/merge', {});
        assert.deepEqual([body.state, body.merge_commit_sha], ['merged', null]);
        assert.equal(await tip(project, 'refs/heads/main'), sha);

        await topic(project, 'behind');
        await seedCommit(service.core, project, { branch: 'main', files: { ahead: 'x' } });
        const late = await opened(project, { source_branch: 'behind' });
        assert.equal(late.detailed_merge_status, 'need_rebase');
        assert.deepEqual(answered(await put(project, `/${late.iid}/merge`, {})), [
          422,
          'Branch cannot be merged',
        ]);
      });

      it('uses the texts of the project', async () => {
        const merge_commit_template = '%{title} (%{local_reference})\n\n%{issues}\n\n%{all_commits}';
        const project = await prepare({ merge_commit_template });
        await opened(project);
        const { body } = await put(project, '/1/merge', {});
        const { message } = await commitAt(project, body.merge_commit_sha);
        assert.equal(message, 'Topic (!1)\n\n* Add topic\n\nBecause.');
      });

      it('is refused while something is in the way', async () => {
        const project = await prepare();
        await opened(project, { title: 'Draft: Topic' });
        assert.deepEqual(answered(await put(project, '/1/merge', {})), [405, '405 Method Not Allowed']);
        await put(project, '/1', { title: 'Topic' });
        const { body } = await get(project, '/1');
        const stale = await put(project, '/1/merge', { sha: '1'.repeat(40) });
        assert.deepEqual(answered(stale), [409, `SHA does not match HEAD of source branch: ${body.sha}`]);
        assert.deepEqual(answered(await put(project, '/1/merge', {}, { token: reporter.token })), [
          401,
          '401 Unauthorized',
        ]);
        assert.equal((await put(project, '/1/merge', { sha: body.sha })).status, 200);
      });

      it('waits for a pipeline where the project wants one', async () => {
        const project = await prepare({ only_allow_merge_if_pipeline_succeeds: true });
        const { sha, detailed_merge_status } = await opened(project);
        assert.equal(detailed_merge_status, 'ci_must_pass');
        const { core } = service;
        const input = { projectId: project.id, sha, ref: 'topic', source: 'push', userId: 1 } as const;
        const pipeline = await core.database.transaction((tx) => createPipeline(tx, core, input));
        const running = (await get(project, '/1')).body;
        assert.equal(running.detailed_merge_status, 'ci_still_running');
        assert.deepEqual([running.head_pipeline.id, running.pipeline.id], [pipeline.id, pipeline.id]);
        assert.equal((await put(project, '/1/merge', {})).status, 405);
        await core.db
          .updateTable('pipelines')
          .set({ status: 'success' })
          .where('id', '=', pipeline.id)
          .execute();
        assert.equal((await put(project, '/1/merge', {})).status, 200);
      });

      it('waits for threads where the project wants them resolved', async () => {
        const project = await prepare({ only_allow_merge_if_all_discussions_are_resolved: true });
        const { id } = await opened(project);
        const noteable = { projectId: project.id, type: 'MergeRequest', id, iid: 1 } as const;
        const note = await createNote(service.core, { noteable, authorId: 1, body: 'why?', kind: 'thread' });
        const { body } = await get(project, '/1');
        assert.deepEqual(
          [body.detailed_merge_status, body.blocking_discussions_resolved, body.user_notes_count],
          ['discussions_not_resolved', false, 1],
        );
        assert.equal((await put(project, '/1/merge', {})).status, 405);
        await service.core.db
          .updateTable('notes')
          .set({ resolved_at: 1 })
          .where('id', '=', note.id)
          .execute();
        assert.equal((await put(project, '/1/merge', {})).status, 200);
        await updateNote(service.core, note, { body: 'because', userId: 1 });
      });

      it('takes what was pushed a moment ago', async () => {
        const project = await prepare();
        await opened(project);
        const pushed = await seedCommit(service.core, project, { branch: 'topic', files: { more: 'x' } });
        const { body } = await put(project, '/1/merge', {});
        assert.deepEqual([body.state, body.sha], ['merged', pushed]);
      });

      it('of many into one branch at once ends with all of them in it', async () => {
        const project = await prepare();
        const branches = ['m1', 'm2', 'm3', 'm4'];
        for (const branch of branches) await topic(project, branch);
        for (const branch of branches) await opened(project, { source_branch: branch });
        const replies = await Promise.all([
          ...branches.map((_, index) => put(project, `/${index + 1}/merge`, {})),
          put(project, '/1/merge', {}),
        ]);
        const statuses = replies.map(({ status }) => status).sort();
        assert.deepEqual(statuses, [200, 200, 200, 200, 405]);
        const merged = await get(project, '', { query: { state: 'merged' } });
        assert.equal(merged.body.length, 4);
        const head = await commitAt(project, (await tip(project, 'refs/heads/main'))!);
        const tree = await service.core.repositoryOf(project).run(['ls-tree', '--name-only', head.tree]);
        for (const branch of branches) assert.match(tree.toString(), new RegExp(`^${branch}\\.txt$`, 'm'));
      });
    });

    it('are found by their commits and by what merged them', async () => {
      const project = await prepare();
      const { sha } = await opened(project);
      const { body } = await put(project, '/1/merge', {});
      const { core } = service;
      const find = async (oid: string, state?: 'merged' | 'opened') => {
        const query = { projectId: project.id, sha: oid, state };
        const found = await mergeRequestsForCommit(core.db, query, {
          limit: 20,
          offset: 0,
          baseUrl: 'http://x',
        });
        assert.equal(found.total, found.items.length);
        return found.items.map(({ iid }) => iid);
      };
      assert.deepEqual(await find(sha), [1]);
      assert.deepEqual(await find(body.merge_commit_sha), [1]);
      assert.deepEqual(await find(sha, 'merged'), [1]);
      assert.deepEqual(await find(sha, 'opened'), []);
      assert.deepEqual(await find('0'.repeat(40)), []);
      assert.equal((await mergeRequestByMergeCommit(core.db, project.id, body.merge_commit_sha))?.iid, 1);
      assert.equal(await mergeRequestByMergeCommit(core.db, project.id, sha), undefined);
    });
  });
}
