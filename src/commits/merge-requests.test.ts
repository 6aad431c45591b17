import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { dialects } from '../../test/support/databases.ts';
import { insertMergeRequest } from '../tracker/merge-requests/store.ts';
import { replaceCommits } from '../tracker/merge-requests/versions/commits-store.ts';
import { type Forge, openForge, type TestProject } from './testing.ts';

for (const kind of dialects) {
  describe(`GET commits/:sha/merge_requests on ${kind}`, () => {
    let forge: Forge;
    let target: TestProject;
    let ids: { offered: string; merge: string; other: string };

    before(async () => {
      forge = await openForge(kind);
      const work = await forge.workTree();
      await work.save({ a: 'a\n' }, 'First');
      await work.git('checkout', '--quiet', '-b', 'topic');
      const offered = await work.save({ b: 'b\n' }, 'Offer');
      await work.git('checkout', '--quiet', 'main');
      await work.git('merge', '--quiet', '--no-ff', '-m', "Merge branch 'topic' into 'main'", 'topic');
      const merge = await work.git('rev-parse', 'HEAD');
      const other = await work.save({ c: 'c\n' }, 'Other');
      ids = { offered, merge, other };
      target = await forge.project({ work });
      await offer({ iid: 1, state: 'merged', merge_commit_sha: merge }, [offered]);
      await offer({ iid: 2, state: 'opened', merge_commit_sha: null }, [offered]);
    });
    after(() => forge[Symbol.asyncDispose]());

    async function offer(
      row: { iid: number; state: 'merged' | 'opened'; merge_commit_sha: string | null },
      shas: string[],
    ) {
      const { id } = target.project;
      const common = { project_id: id, source_project_id: id, source_branch: 'topic', target_branch: 'main' };
      const nothing = {
        description: null,
        base_sha: null,
        start_sha: null,
        merge_status_of: null,
        merge_error: null,
      };
      const nobody = { merged_by_id: null, merged_at: null, closed_by_id: null, closed_at: null };
      const unset = { squash_commit_sha: null, should_remove_source_branch: null, discussion_locked: null };
      await forge.service.core.database.transaction(async (tx) => {
        const made = await insertMergeRequest(tx, {
          ...{ ...common, ...nothing, ...nobody, ...unset, ...row },
          ...{
            title: `Request ${row.iid}`,
            author_id: 1,
            sha: shas[0] ?? null,
            created_at: 1,
            updated_at: 1,
          },
        });
        await replaceCommits(tx, made.id, shas);
      });
    }

    const list = async (sha: string, query: Record<string, unknown> = {}) => {
      const reply = await target.commits('GET', `/${sha}/merge_requests`, { query });
      assert.equal(reply.status, 200, reply.text);
      return reply.body.map(({ iid }: { iid: number }) => iid);
    };

    it('lists those that have the commit or were merged by it, newest first', async () => {
      assert.deepEqual(await list(ids.offered), [2, 1]);
      assert.deepEqual(await list('topic'), [2, 1]);
      assert.deepEqual(await list(ids.merge), [1]);
      assert.deepEqual(await list(ids.other), []);
    });

    it('takes a state and pages', async () => {
      assert.deepEqual(await list(ids.offered, { state: 'merged' }), [1]);
      const { body, headers } = await target.commits('GET', '/topic/merge_requests', {
        query: { per_page: 1 },
      });
      assert.deepEqual([body.length, headers['x-total'], headers['x-next-page']], [1, '2', '2']);
    });

    it('answers for what is not there and who may not ask', async () => {
      const get = (sha: string, query: Record<string, unknown>, token?: string) =>
        target.commits('GET', `/${sha}/merge_requests`, { query, ...(token && { token }) });
      assert.deepEqual((await get('nowhere', {})).body, { message: '404 Commit Not Found' });
      assert.deepEqual((await get('main', { state: 'lost' })).body, {
        error: 'state does not have a valid value',
      });
      const closed = await forge.project({ settings: { merge_requests_access_level: 'disabled' } });
      assert.equal((await closed.commits('GET', '/main/merge_requests')).status, 403);
    });

    it('names the request in what a pick or a revert of its merge says', async () => {
      const post = (path: string) =>
        target.commits('POST', `/${ids.merge}/${path}`, { body: { branch: 'main' } });
      const picked = await post('cherry_pick');
      assert.match(picked.body.message, /^Merge request cherry-pick failed: Can't perform/);
      const reverted = await post('revert');
      assert.equal(
        reverted.body.message,
        `Revert "Merge branch 'topic' into 'main'"\n\nThis reverts merge request !1`,
      );
      const again = await post('cherry_pick');
      assert.equal(
        again.body.message,
        `Merge branch 'topic' into 'main'\n\n\n(cherry picked from commit ${ids.merge})\n\n${ids.offered.slice(0, 8)} Offer`,
      );
    });
  });
}
