import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { dialects } from '../../../../test/support/databases.ts';
import type { ProjectWithNamespace } from '../../../core/projects/find.ts';
import { MergeRequestBench } from '../testing.ts';

for (const kind of dialects) {
  describe(`filters of lists of merge requests on ${kind}`, () => {
    let bench: MergeRequestBench;
    let project: ProjectWithNamespace;
    before(async () => {
      bench = await MergeRequestBench.open(kind);
      project = await bench.prepare();
      const { dev, reporter, service } = bench;
      const at = `/projects/${project.id}/milestones`;
      const milestone = (await service.api('POST', at, { body: { title: 'v1' } })).body;
      for (const branch of ['b', 'c']) await bench.topic(project, branch);
      await bench.opened(project, { labels: 'x,y', milestone_id: milestone.id, assignee_ids: [dev.user.id] });
      await bench.open(project, { source_branch: 'b', title: 'Second', labels: 'x' }, { token: dev.token });
      await bench.opened(project, { source_branch: 'c', title: 'Third', reviewer_ids: [reporter.user.id] });
      await bench.post(project, '/1/approve', {}, { token: dev.token });
      await bench.post(project, '/1/approve');
      await bench.post(project, '/2/approve');
      await bench.post(project, '/2/award_emoji', { name: 'rocket' });
      await bench.post(project, '/3/award_emoji', { name: 'tada' }, { token: dev.token });
      await bench.put(project, '/3/merge', {});
    });
    after(() => bench.service.close());

    const iids = async (query: Record<string, unknown>, path = bench.at(project), token?: string) => {
      const reply = await bench.service.api('GET', path, { query, ...(token && { token }) });
      assert.equal(reply.status, 200, reply.text);
      assert.equal(reply.headers['x-total'], String(reply.body.length));
      return reply.body.map(({ iid }: { iid: number }) => iid);
    };

    it('narrow by each of them, and by its opposite', async () => {
      const dev = bench.dev.user.id;
      const expected: [Record<string, unknown>, number[]][] = [
        [{ milestone: 'v1' }, [1]],
        [{ milestone: 'v2' }, []],
        [{ milestone: 'None' }, [3, 2]],
        [{ milestone: 'any' }, [1]],
        [{ not: { milestone: 'v1' } }, [3, 2]],
        [{ labels: 'x,y' }, [1]],
        [{ labels: 'Any' }, [2, 1]],
        [{ labels: 'any,x' }, []],
        [{ not: { labels: 'y' } }, [3, 2]],
        [{ not: { labels: 'x,y' } }, [3]],
        [{ my_reaction_emoji: 'rocket' }, [2]],
        [{ my_reaction_emoji: 'tada' }, []],
        [{ my_reaction_emoji: 'None' }, [3, 1]],
        [{ my_reaction_emoji: 'Any' }, [2]],
        [{ not: { my_reaction_emoji: 'rocket' } }, [3, 1]],
        [{ not: { author_username: 'dev' } }, [3, 1]],
        [{ not: { author_id: 1 } }, [2]],
        [{ not: { assignee_id: dev } }, [3, 2]],
        [{ not: { reviewer_username: 'reporter' } }, [2, 1]],
        [{ not: { source_branch: 'b' } }, [3, 1]],
        [{ not: { author_username: 'nobody' } }, [3, 2, 1]],
        [{ author_username: 'nobody' }, []],
        [{ reviewer_username: 'None' }, [2, 1]],
        [{ approved_by_ids: [1] }, [2, 1]],
        [{ approved_by_ids: [1, dev] }, [1]],
        [{ approved_by_ids: 'None' }, [3]],
        [{ approved_by_ids: 'Any' }, [2, 1]],
        [{ approved_by_ids: ['x'] }, []],
        [{ approved_by_usernames: 'dev' }, [1]],
        [{ approved: 'no' }, [3]],
        [{ approved: 'yes' }, [2, 1]],
        [{ merge_user_id: 1 }, [3]],
        [{ merge_user_username: 'dev' }, []],
        [{ order_by: 'merged_at' }, [3, 2, 1]],
        [{ order_by: 'merged_at', sort: 'asc' }, [3, 1, 2]],
        [{ milestone: "v1' or 1=1 --" }, []],
        [{ search: '\\' }, []],
      ];
      for (const [query, found] of expected)
        assert.deepEqual(await iids(query), found, JSON.stringify(query));
    });

    it('refuse what no merge request can hold', async () => {
      for (const query of [{ search: 'a'.repeat(100_000) }, { search: '\0' }, { iids: ['x'] }, { not: 'x' }])
        assert.equal(
          (await bench.get(project, '', { query })).status,
          400,
          JSON.stringify(query).slice(0, 50),
        );
    });

    it('name a person one way only', async () => {
      const query = { author_id: 1, author_username: 'root' };
      const { status, body } = await bench.get(project, '', { query });
      assert.deepEqual([status, body.error], [400, 'author_id, author_username are mutually exclusive']);
    });

    it('hold in a group and what is below, for what the caller may see', async () => {
      const { service, dev } = bench;
      const group = (await service.api('POST', '/groups', { body: { name: 'g', path: 'g' } })).body;
      const below = { name: 's', path: 's', parent_id: group.id };
      const sub = (await service.api('POST', '/groups', { body: below })).body;
      const path = `/groups/${group.id}/merge_requests`;
      assert.deepEqual(await iids({}, path), []);
      const inGroup = await bench.prepare();
      await service.api('PUT', `/projects/${inGroup.id}/transfer`, { body: { namespace: sub.id } });
      await bench.opened(inGroup, { title: 'In the group' });
      assert.deepEqual(await iids({ state: 'opened' }, path), [1]);
      assert.deepEqual(await iids({ state: 'opened' }, path, dev.token), [1], 'by the project alone');
      assert.equal((await service.api('GET', path, { token: bench.guest.token })).body.length, 0);
      const [listed] = (await service.api('GET', path)).body;
      assert.equal(listed.references.relative, 'g/s/p2!1');
      await service.api('POST', `/projects/${inGroup.id}/archive`);
      assert.deepEqual(await iids({}, path), []);
      assert.deepEqual(await iids({ non_archived: false }, path), [1]);
      assert.equal((await service.api('GET', '/groups/none/merge_requests')).status, 404);
    });
  });
}
