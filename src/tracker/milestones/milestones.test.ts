import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { dialects } from '../../../test/support/databases.ts';
import { answered, IssueBench } from '../issues/testing.ts';

for (const kind of dialects) {
  describe(`milestones on ${kind}`, () => {
    let bench: IssueBench;
    before(async () => {
      bench = await IssueBench.open(kind);
    });
    after(() => bench.close());
    const titles = (milestones: { title: string }[]) => milestones.map(({ title }) => title);

    it('are made, shown, changed and deleted', async () => {
      const { api, baseUrl } = bench.service;
      const project = await bench.project();
      const at = `/projects/${project.id}/milestones`;
      const dates = { start_date: '2020-01-01', due_date: '2020-02-01' };
      const made = await bench.made(at, { title: ' v1 ', description: 'First', ...dates });
      assert.deepEqual(
        { ...made, id: 0, created_at: '', updated_at: '' },
        {
          id: 0,
          iid: 1,
          project_id: project.id,
          title: 'v1',
          description: 'First',
          state: 'active',
          created_at: '',
          updated_at: '',
          ...dates,
          expired: true,
          web_url: `${baseUrl}/${project.full_path}/-/milestones/1`,
        },
      );
      assert.deepEqual(await bench.list(`${at}/${made.id}`), made);
      const body = { state_event: 'close', due_date: '' };
      const closed = await api('PUT', `${at}/${made.id}`, { body });
      assert.deepEqual(
        [closed.body.state, closed.body.due_date, closed.body.expired],
        ['closed', null, false],
      );
      assert.equal((await api('DELETE', `${at}/${made.id}`)).status, 204);
      assert.deepEqual(answered(await api('GET', `${at}/${made.id}`)), [404, '404 Not found']);
      assert.equal((await bench.made(at, { title: 'v1' })).iid, 2);
    });

    it('are refused where they will not do', async () => {
      const { api } = bench.service;
      const at = `/projects/${(await bench.project()).id}/milestones`;
      await bench.made(at, { title: 'v1' });
      const post = async (body: Record<string, unknown>) => answered(await api('POST', at, { body }));
      assert.deepEqual(await post({}), [400, 'title is missing']);
      assert.deepEqual(await post({ title: ' ' }), [400, { title: ["can't be blank"] }]);
      assert.deepEqual(await post({ title: 'x', due_date: 'soon' }), [400, 'due_date is invalid']);
      assert.deepEqual(await post({ title: 'x', due_date: '2020-01-01', start_date: '2020-01-02' }), [
        400,
        { due_date: ['must be greater than start date'] },
      ]);
      const taken = { title: ['already being used for another group or project milestone.'] };
      assert.deepEqual(await post({ title: 'v1' }), [400, taken]);
      const { id } = await bench.made(at, { title: 'v2', start_date: '2020-01-02' });
      const put = async (body: Record<string, unknown>) =>
        answered(await api('PUT', `${at}/${id}`, { body }));
      assert.deepEqual(await put({ title: 'v1' }), [400, taken]);
      assert.deepEqual(await put({ due_date: '2020-01-01' }), [
        400,
        { due_date: ['must be greater than start date'] },
      ]);
      assert.equal((await put({}))[0], 400);
      assert.equal((await put({ state_event: 'reopen' }))[0], 400);
    });

    it('are numbered without a gap or a double when many are made at once', async () => {
      const at = `/projects/${(await bench.project()).id}/milestones`;
      const all = await Promise.all(
        Array.from({ length: 8 }, (_, index) => bench.made(at, { title: `v${index}` })),
      );
      assert.deepEqual(all.map(({ iid }) => iid).sort(), [1, 2, 3, 4, 5, 6, 7, 8]);
    });

    it('are listed the newest first and narrowed by each filter', async () => {
      const { group, project } = await bench.group('planned');
      const at = `/projects/${project.id}/milestones`;
      for (const title of ['one', 'two', 'three']) await bench.made(at, { title, description: `${title}%` });
      await bench.made(`/groups/${group.id}/milestones`, { title: 'above' });
      const [first] = await bench.list(at, { iids: [1] });
      await bench.service.api('PUT', `${at}/${first.id}`, { body: { state_event: 'close' } });
      const expected: [Record<string, unknown>, string[]][] = [
        [{}, ['three', 'two', 'one']],
        [{ state: 'closed' }, ['one']],
        [{ state: 'active' }, ['three', 'two']],
        [{ title: 'two' }, ['two']],
        [{ search: 'E%' }, ['three', 'one']],
        [{ iids: [2, 3] }, ['three', 'two']],
        [{ include_ancestors: true, state: 'active' }, ['above', 'three', 'two']],
        [{ include_parent_milestones: true, title: 'above' }, ['above']],
        [{ updated_after: '2100-01-01' }, []],
        [{ per_page: 2, page: 2 }, ['one']],
      ];
      for (const [query, found] of expected) assert.deepEqual(titles(await bench.list(at, query)), found);
      const inGroup = `/groups/${group.id}/milestones`;
      assert.deepEqual(titles(await bench.list(inGroup)), ['above']);
      const all = await bench.list(inGroup, { include_descendants: true });
      assert.deepEqual(titles(all), ['above', 'three', 'two', 'one']);
      assert.equal((await bench.service.api('GET', at, { query: { state: 'x' } })).status, 400);
    });

    it('of a group have numbers of their own, and take in those of the same title when one is promoted', async () => {
      const { api, baseUrl } = bench.service;
      const { group, project } = await bench.group('releases');
      const sub = await bench.group('part', 'private', group.id);
      const at = `/groups/${group.id}/milestones`;
      const made = await bench.made(at, { title: 'first' });
      assert.deepEqual(
        [made.iid, made.group_id, made.project_id, made.web_url],
        [1, group.id, undefined, `${baseUrl}/groups/releases/-/milestones/1`],
      );
      const own = await bench.made(`/projects/${project.id}/milestones`, { title: 'next' });
      await bench.made(`/projects/${sub.project.id}/milestones`, { title: 'next' });
      const promote = `/projects/${project.id}/milestones/${own.id}/promote`;
      const promoted = await bench.made(promote, {});
      assert.deepEqual([promoted.iid, promoted.group_id, promoted.title], [2, group.id, 'next']);
      assert.deepEqual(titles(await bench.list(at, { include_descendants: true })), ['next', 'first']);
      assert.equal((await api('POST', promote)).status, 404);
      const again = await bench.made(`/projects/${project.id}/milestones`, { title: 'next' });
      assert.equal((await api('POST', `/projects/${project.id}/milestones/${again.id}/promote`)).status, 400);
      const put = await api('PUT', `${at}/${made.id}`, { body: { title: 'renamed' } });
      assert.deepEqual([put.status, put.body.title], [200, 'renamed']);
      assert.equal((await api('DELETE', `${at}/${made.id}`)).status, 204);
    });

    it('show what is to be done by them, as far as the caller may read it', async () => {
      const { group, project } = await bench.group('busy', 'public');
      const of = async (path: string) => {
        const milestone = await bench.made(`${path}/milestones`, { title: 'due' });
        return { milestone_id: milestone.id, at: `${path}/milestones/${milestone.id}` };
      };
      for (const path of [`/projects/${project.id}`, `/groups/${group.id}`]) {
        const { milestone_id, at } = await of(path);
        await bench.issue(project, { title: 'open', milestone_id });
        await bench.issue(project, { title: 'secret', milestone_id, confidential: true });
        assert.deepEqual(titles(await bench.list(`${at}/issues`)), ['secret', 'open']);
        assert.deepEqual(titles(await bench.list(`${at}/issues`, {}, bench.stranger.token)), ['open']);
        assert.deepEqual(await bench.list(`${at}/merge_requests`), []);
        assert.equal((await bench.service.api('GET', `${path}/milestones/999999/issues`)).status, 404);
      }
    });

    it('are for reporters to change', async () => {
      const { api } = bench.service;
      const at = `/projects/${(await bench.project()).id}/milestones`;
      const body = { title: 'v1' };
      assert.equal((await api('POST', at, { body, token: bench.guest.token })).status, 403);
      assert.equal((await api('POST', at, { body, token: bench.stranger.token })).status, 404);
      assert.equal((await api('POST', at, { body, token: bench.reporter.token })).status, 201);
      assert.deepEqual(titles(await bench.list(at, {}, bench.guest.token)), ['v1']);
    });
  });
}
