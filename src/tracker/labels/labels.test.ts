import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { dialects } from '../../../test/support/databases.ts';
import { answered, IssueBench } from '../issues/testing.ts';
import { parseColor, textColorOn } from './color.ts';

describe('colours of labels', () => {
  it('are hexadecimal or names of CSS', () => {
    const taken = [' #AbCdEf ', '#123', 'Red', 'rebeccapurple', 'yellowgreen'].map(parseColor);
    assert.deepEqual(taken, ['#AbCdEf', '#123', '#ff0000', '#663399', '#9acd32']);
    const refused = ['', '#12', '#12345', '#gggggg', 'rgb(1,2,3)', 'constructor', '#123456\n<b>'].map(
      parseColor,
    );
    assert.deepEqual(new Set(refused), new Set([null]));
  });

  it('are written on so that it can be read', () => {
    assert.deepEqual(['#ffffff', '#ff0', '#d9534f', '#000'].map(textColorOn), [
      '#1F1E24',
      '#1F1E24',
      '#FFFFFF',
      '#FFFFFF',
    ]);
  });
});

for (const kind of dialects) {
  describe(`labels on ${kind}`, () => {
    let bench: IssueBench;
    before(async () => {
      bench = await IssueBench.open(kind);
    });
    after(() => bench.close());
    const names = (labels: { name: string }[]) => labels.map(({ name }) => name);

    describe('of a project', () => {
      it('are made, shown, changed and deleted', async () => {
        const { api } = bench.service;
        const at = `/projects/${(await bench.project()).id}/labels`;
        const made = await bench.made(at, { name: 'bug', color: 'red', description: 'a < b', priority: 3 });
        assert.deepEqual(
          { ...made, id: 0 },
          {
            id: 0,
            name: 'bug',
            description: 'a < b',
            description_html: 'a &lt; b',
            text_color: '#FFFFFF',
            color: '#ff0000',
            archived: false,
            subscribed: false,
            priority: 3,
            is_project_label: true,
          },
        );
        assert.deepEqual(await bench.list(at), [made]);
        assert.deepEqual(await bench.list(`${at}/bug`), made);
        assert.deepEqual(await bench.list(`${at}/${made.id}`), made);
        const body = { new_name: 'Bug & co', priority: null };
        const changed = await api('PUT', `${at}/bug`, { body });
        assert.deepEqual(
          [changed.body.name, changed.body.priority, changed.body.color],
          ['Bug & co', null, '#ff0000'],
        );
        const older = await api('PUT', at, { body: { label_id: made.id, color: '#00f' } });
        assert.deepEqual([older.status, older.body.color], [200, '#00f']);
        assert.equal((await api('DELETE', `${at}/${encodeURIComponent('Bug & co')}`)).status, 204);
        assert.deepEqual(answered(await api('GET', `${at}/${made.id}`)), [404, '404 Label Not Found']);
      });

      it('are refused where they will not do', async () => {
        const { api } = bench.service;
        const at = `/projects/${(await bench.project()).id}/labels`;
        await bench.made(at, { name: 'taken', color: '#fff' });
        await bench.made(at, { name: 'other', color: '#fff' });
        const post = async (body: Record<string, unknown>) => answered(await api('POST', at, { body }));
        assert.deepEqual(await post({ name: 'x' }), [400, 'color is missing']);
        assert.deepEqual(await post({ name: 'x', color: 'nope' }), [
          400,
          { color: ['must be a valid color code'] },
        ]);
        assert.deepEqual(await post({ name: 'a,b', color: '#fff' }), [400, { title: ['is invalid'] }]);
        assert.deepEqual(await post({ name: 'n'.repeat(256), color: '#fff' }), [
          400,
          { title: ['is too long (maximum is 255 characters)'] },
        ]);
        assert.deepEqual(await post({ name: 'x', color: '#fff', priority: -1 }), [
          400,
          { priority: ['must be greater than or equal to 0'] },
        ]);
        assert.deepEqual(await post({ name: 'taken', color: '#fff' }), [409, 'Label already exists']);
        const rename = await api('PUT', `${at}/other`, { body: { new_name: 'taken' } });
        assert.deepEqual(answered(rename), [400, { title: ['has already been taken'] }]);
        assert.equal((await api('PUT', `${at}/other`, { body: {} })).status, 400);
        assert.equal((await api('DELETE', at, { body: {} })).status, 400);
        assert.equal((await api('POST', at, { body: { name: 'a\0b', color: '#fff' } })).status, 400);
      });

      it('are made once, also when many ask at once', async () => {
        const at = `/projects/${(await bench.project()).id}/labels`;
        const body = { name: 'once', color: '#fff' };
        const all = await Promise.all(
          Array.from({ length: 6 }, () => bench.service.api('POST', at, { body })),
        );
        assert.deepEqual(all.map(({ status }) => status).sort(), [201, 409, 409, 409, 409, 409]);
      });

      it('are for reporters to change and for all to see who see the project', async () => {
        const { api } = bench.service;
        const project = await bench.project();
        const at = `/projects/${project.id}/labels`;
        const body = { name: 'x', color: '#fff' };
        const { token } = bench.guest;
        assert.equal((await api('POST', at, { body, token })).status, 403);
        assert.equal((await api('POST', at, { body, token: bench.stranger.token })).status, 404);
        assert.equal((await api('POST', at, { body, token: bench.reporter.token })).status, 201);
        assert.deepEqual(names(await bench.list(at, {}, token)), ['x']);
        assert.equal((await api('POST', `/projects/${project.id}/archive`)).status, 201);
        assert.equal((await api('DELETE', `${at}/x`)).status, 403);
      });
    });

    describe('of a group', () => {
      it('serve its projects, and take in the labels of the same name when one is promoted', async () => {
        const { api } = bench.service;
        const { group, project } = await bench.group('labelled');
        const sub = await bench.group('below', 'private', group.id);
        const at = `/groups/${group.id}/labels`;
        await bench.made(at, { name: 'shared', color: '#fff' });
        await bench.made(`/projects/${project.id}/labels`, { name: 'own', color: '#fff', priority: 1 });
        await bench.made(`/projects/${sub.project.id}/labels`, { name: 'own', color: '#000' });
        await bench.made(`/groups/${sub.group.id}/labels`, { name: 'deep', color: '#000' });
        const inProject = `/projects/${project.id}/labels`;
        assert.deepEqual(names(await bench.list(inProject)), ['own', 'shared']);
        assert.deepEqual(names(await bench.list(inProject, { include_ancestor_groups: false })), ['own']);
        assert.deepEqual(names(await bench.list(inProject, { search: 'HAR' })), ['shared']);
        const shared = await bench.list(`${inProject}/shared`);
        assert.equal(shared.is_project_label, false);
        const body = { name: 'shared', color: '#fff' };
        assert.equal((await api('POST', inProject, { body })).status, 409);
        assert.equal((await api('DELETE', `${inProject}/shared`)).status, 404);
        assert.deepEqual(names(await bench.list(at, { include_descendant_groups: true })), [
          'deep',
          'shared',
        ]);
        const all = { include_descendant_groups: true, only_group_labels: false };
        assert.deepEqual(names(await bench.list(at, all)), ['deep', 'own', 'own', 'shared']);
        assert.deepEqual(names(await bench.list(`/groups/${sub.group.id}/labels`)), ['deep', 'shared']);

        const promoted = await api('PUT', `${inProject}/own/promote`);
        assert.deepEqual([promoted.status, promoted.body.name], [200, 'own']);
        assert.deepEqual(names(await bench.list(at, all)), ['deep', 'own', 'shared']);
        assert.equal((await bench.list(`${inProject}/own`)).priority, 1);
        const changed = await api('PUT', `${at}/own`, { body: { new_name: 'ours', color: 'blue' } });
        assert.deepEqual([changed.body.name, changed.body.color], ['ours', '#0000ff']);
        const named = await api('PUT', at, { body: { name: 'ours', description: 'by name' } });
        assert.deepEqual([named.status, named.body.description], [200, 'by name']);
        assert.equal((await api('PUT', at, { body: { name: 'own', new_name: 'x' } })).status, 404);
        assert.equal((await api('DELETE', `${at}/ours`)).status, 204);
        assert.equal((await api('DELETE', at, { body: { name: 'shared' } })).status, 204);
        assert.deepEqual(names(await bench.list(at)), []);
        const { token } = bench.stranger;
        assert.equal((await api('GET', at, { token })).status, 404);
      });

      it('hides groups and projects below that the caller may not see', async () => {
        const { group, project } = await bench.group('open', 'public');
        const hidden = await bench.group('hidden', 'private', group.id);
        await bench.made(`/groups/${hidden.group.id}/labels`, { name: 'secret', color: '#fff' });
        await bench.made(`/projects/${hidden.project.id}/labels`, { name: 'secret too', color: '#fff' });
        await bench.made(`/projects/${project.id}/labels`, { name: 'known', color: '#fff' });
        const all = { include_descendant_groups: true, only_group_labels: false };
        const seen = await bench.list(`/groups/${group.id}/labels`, all, bench.stranger.token);
        assert.deepEqual(names(seen), ['known']);
      });

      it('cannot take a label of a personal project', async () => {
        const at = `/projects/${(await bench.project()).id}/labels`;
        await bench.made(at, { name: 'x', color: '#fff' });
        assert.deepEqual(answered(await bench.service.api('PUT', `${at}/x/promote`)), [
          400,
          '400 Bad request - Failed to promote project label to group label',
        ]);
      });
    });
  });
}
