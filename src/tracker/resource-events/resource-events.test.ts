import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { dialects } from '../../../test/support/databases.ts';
import { MergeRequestBench } from '../merge-requests/testing.ts';

for (const kind of dialects) {
  describe(`the history of issues and merge requests on ${kind}`, () => {
    let bench: MergeRequestBench;
    before(async () => {
      bench = await MergeRequestBench.open(kind);
    });
    after(() => bench.service.close());

    const get = async (path: string, token?: string) =>
      bench.service.api('GET', path, token === undefined ? {} : { token });
    /** A project with a merge request and an issue, and the addresses of both. */
    const things = async () => {
      const project = await bench.prepare();
      await bench.opened(project);
      const at = `/projects/${project.id}`;
      await bench.service.api('POST', `${at}/issues`, { body: { title: 'Broken' } });
      return { project, at, paths: [`${at}/merge_requests/1`, `${at}/issues/1`] };
    };

    it('tells which labels came and went', async () => {
      const { paths } = await things();
      for (const path of paths) {
        await bench.service.api('PUT', path, { body: { labels: 'a,b' } });
        await bench.service.api('PUT', path, { body: { labels: 'b,c' }, token: bench.dev.token });
        const { body, headers } = await get(`${path}/resource_label_events`);
        const told = body.map(
          (event: { action: string; label: { name: string }; user: { username: string } }) =>
            [event.action, event.label.name, event.user.username].join(' '),
        );
        assert.deepEqual(told.slice(0, 2).sort(), ['add a root', 'add b root']);
        assert.deepEqual(told.slice(2), ['remove a dev', 'add c dev']);
        assert.equal(headers['x-total'], '4');
        const one = await get(`${path}/resource_label_events/${body[0].id}`);
        assert.deepEqual([one.status, one.body], [200, body[0]]);
      }
    });

    it('tells which milestones, and goes on when one is gone', async () => {
      const { at, paths } = await things();
      const made = await bench.service.api('POST', `${at}/milestones`, { body: { title: 'v1' } });
      for (const path of paths) {
        for (const milestone_id of [made.body.id, made.body.id, 0])
          await bench.service.api('PUT', path, { body: { milestone_id } });
        const { body } = await get(`${path}/resource_milestone_events`);
        assert.deepEqual(
          body.map((event: { action: string; milestone: { title: string } }) => [
            event.action,
            event.milestone.title,
          ]),
          [
            ['add', 'v1'],
            ['remove', 'v1'],
          ],
        );
      }
      await bench.service.api('DELETE', `${at}/milestones/${made.body.id}`);
      const { body } = await get(`${paths[0]}/resource_milestone_events`);
      assert.deepEqual([body.length, body[0].milestone], [2, null]);
    });

    it('tells of closing, reopening and merging, once each', async () => {
      const { project, paths } = await things();
      for (const path of paths)
        for (const state_event of ['close', 'close', 'reopen'])
          await bench.service.api('PUT', path, { body: { state_event } });
      await bench.put(project, '/1/merge', {});
      await bench.service.core.events.idle();
      const states = async (path: string) =>
        (await get(`${path}/resource_state_events`)).body.map(({ state }: { state: string }) => state);
      assert.deepEqual(await states(paths[0]!), ['closed', 'reopened', 'merged']);
      assert.deepEqual(await states(paths[1]!), ['closed', 'reopened']);
    });

    it('is of one thing and one kind, and for who may read it', async () => {
      const { at, paths } = await things();
      await bench.service.api('PUT', paths[0]!, { body: { labels: 'a' } });
      const [event] = (await get(`${paths[0]}/resource_label_events`)).body;
      for (const path of [`${paths[1]}/resource_label_events`, `${paths[0]}/resource_state_events`])
        assert.equal((await get(`${path}/${event.id}`)).status, 404);
      const { token } = bench.guest;
      assert.equal((await get(`${paths[0]}/resource_label_events`, token)).status, 403);
      assert.equal((await get(`${at}/merge_requests/9/resource_label_events`)).status, 404);
      await bench.service.api('DELETE', paths[0]!);
      const left = await bench.service.core.db
        .selectFrom('resource_events')
        .select('id')
        .where('id', '=', event.id)
        .execute();
      assert.deepEqual(left, []);
    });
  });
}
