import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { dialects } from '../../../../test/support/databases.ts';
import type { ProjectWithNamespace } from '../../../core/projects/find.ts';
import { mergeRequestByMergeCommit, mergeRequestsForCommit } from '../for-commit.ts';
import { MergeRequestBench } from '../testing.ts';

for (const kind of dialects) {
  describe(`lists of merge requests on ${kind}`, () => {
    let bench: MergeRequestBench;
    before(async () => {
      bench = await MergeRequestBench.open(kind);
    });
    after(() => bench.service.close());

    describe('the list', () => {
      let project: ProjectWithNamespace;
      const iids = async (query: Record<string, unknown>, path = bench.at(project), token?: string) => {
        const reply = await bench.service.api('GET', path, { query, ...(token && { token }) });
        assert.equal(reply.status, 200, reply.text);
        return reply.body.map(({ iid }: { iid: number }) => iid);
      };
      before(async () => {
        project = await bench.prepare();
        await bench.topic(project, 'b');
        await bench.topic(project, 'c');
        await bench.opened(project, { title: 'First 100%', labels: ['x'] });
        const second = { source_branch: 'b', title: 'Draft: second', assignee_ids: [bench.dev.user.id] };
        await bench.open(project, second, { token: bench.dev.token });
        await bench.opened(project, {
          source_branch: 'c',
          title: 'Third',
          description: 'FINDME',
          reviewer_ids: [bench.dev.user.id],
        });
        await bench.put(project, '/3', { state_event: 'close' });
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
          [{ author_id: bench.dev.user.id }, [2]],
          [{ author_username: 'nobody' }, []],
          [{ assignee_id: bench.dev.user.id }, [2]],
          [{ assignee_id: 'None' }, [3, 1]],
          [{ assignee_id: 'any' }, [2]],
          [{ assignee_username: ['dev'] }, [2]],
          [{ reviewer_id: bench.dev.user.id }, [3]],
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
        const { body } = await bench.get(project, '', { query: { view: 'simple', per_page: 1 } });
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
        assert.deepEqual(await mine(bench.dev.token, {}), [2]);
        assert.deepEqual(await mine(bench.reporter.token, {}), []);
        assert.deepEqual(await mine(bench.reporter.token, { scope: 'all' }), [2]);
        assert.deepEqual(await mine(bench.guest.token, { scope: 'all' }), []);
        await bench.service.core.db
          .updateTable('projects')
          .set({ visibility: 'public' })
          .where('id', '=', project.id)
          .execute();
        assert.deepEqual(await mine(bench.guest.token, { scope: 'all' }), [2]);
        await bench.service.core.db
          .updateTable('projects')
          .set({ settings: JSON.stringify({ merge_requests_access_level: 'disabled' }) })
          .where('id', '=', project.id)
          .execute();
        assert.deepEqual(await mine(bench.dev.token, { scope: 'all' }), []);
        assert.equal((await bench.get(project, '')).status, 403);
      });
    });

    it('are found by their commits and by what merged them', async () => {
      const project = await bench.prepare();
      const { sha } = await bench.opened(project);
      const { body } = await bench.put(project, '/1/merge', {});
      const { core } = bench.service;
      const find = async (oid: string, state?: 'merged' | 'opened') => {
        const query = { projectId: project.id, sha: oid, state };
        const found = await mergeRequestsForCommit(core.db, query, {
          limit: 20,
          offset: 0,
          baseUrl: 'http://x',
          today: '2026-01-01',
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
