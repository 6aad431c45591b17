import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { dialects } from '../../../test/support/databases.ts';
import { type Person, seedUser } from '../../../test/support/seed.ts';
import { startService, type TestService } from '../../../test/support/service.ts';
import { labelSubscribers, subscriptionsOn } from './store.ts';

for (const kind of dialects) {
  describe(`subscriptions on ${kind}`, () => {
    let service: TestService;
    let ann: Person;
    let bob: Person;
    let eve: Person;
    let group: number;
    let project: number;

    before(async () => {
      service = await startService({ kind });
      [ann, bob, eve] = (await Promise.all(
        ['ann', 'bob', 'eve'].map((name) => seedUser(service.core, name)),
      )) as [Person, Person, Person];
      group = (await made('/groups', { name: 'Team', path: 'team' })).id;
      project = (await made('/projects', { name: 'p', namespace_id: group, initialize_with_readme: true }))
        .id;
      await made(`/groups/${group}/members`, { user_id: bob.user.id, access_level: 30 });
    });
    after(() => service.close());

    const call = (method: string, path: string, person: Person = ann, body?: unknown) =>
      service.api(method, path, { token: person.token, ...(body !== undefined && { body }) });
    const made = async (path: string, body: unknown) => {
      const reply = await call('POST', path, ann, body);
      assert.equal(reply.status, 201, reply.text);
      return reply.body;
    };
    /** Every kind of thing with the same two routes: `subscribed` there, for everybody who looks. */
    const things = {
      issue: async () => {
        const { iid, id } = await made(`/projects/${project}/issues`, { title: 'i' });
        return { path: `/projects/${project}/issues/${iid}`, type: 'Issue' as const, id };
      },
      'merge request': async () => {
        const branch = 'topic';
        await made(`/projects/${project}/repository/branches`, { branch, ref: 'main' });
        const asked = { title: 'm', source_branch: branch, target_branch: 'main' };
        const { iid, id } = await made(`/projects/${project}/merge_requests`, asked);
        return { path: `/projects/${project}/merge_requests/${iid}`, type: 'MergeRequest' as const, id };
      },
    };

    for (const [name, make] of Object.entries(things)) {
      it(`to one ${name}: who takes part has one, anybody may take one and give it up`, async () => {
        const thing = await make();
        const subscribed = async (person: Person) => (await call('GET', thing.path, person)).body.subscribed;
        const said = async () => subscriptionsOn(service.core.db, thing);
        assert.deepEqual([await subscribed(ann), await subscribed(bob)], [true, false]);
        assert.equal((await call('POST', `${thing.path}/subscribe`)).status, 304, 'the author does already');
        assert.equal((await call('POST', `${thing.path}/unsubscribe`, bob)).status, 304);
        assert.deepEqual(await said(), { on: [], off: [] });

        const joined = await call('POST', `${thing.path}/subscribe`, bob);
        assert.deepEqual([joined.status, joined.body.subscribed, joined.body.id], [201, true, thing.id]);
        assert.equal((await call('POST', `${thing.path}/subscribe`, bob)).status, 304);
        const left = await call('POST', `${thing.path}/unsubscribe`);
        assert.deepEqual([left.status, left.body.subscribed], [201, false]);
        assert.deepEqual([await subscribed(ann), await subscribed(bob)], [false, true]);
        assert.deepEqual(await said(), { on: [bob.user.id], off: [ann.user.id] });

        const both = ['subscribe', 'unsubscribe', 'subscribe', 'unsubscribe'];
        const replies = await Promise.all(both.map((word) => call('POST', `${thing.path}/${word}`, bob)));
        assert.ok(replies.every(({ status }) => status === 201 || status === 304));
        for (const reply of [
          await call('POST', `${thing.path}/subscribe`, eve),
          await call('POST', `${thing.path.replace(/\d+$/, '99')}/subscribe`, bob),
        ]) {
          assert.equal(reply.status, 404);
        }
      });
    }

    it('to a confidential issue are for those who may read it', async () => {
      const { iid } = await made(`/projects/${project}/issues`, { title: 'c', confidential: true });
      const guest = await seedUser(service.core, 'guest');
      await made(`/projects/${project}/members`, { user_id: guest.user.id, access_level: 10 });
      const path = `/projects/${project}/issues/${iid}/subscribe`;
      assert.equal((await call('POST', path, guest)).status, 404);
      assert.equal((await call('POST', path, bob)).status, 201);
    });

    it('to a label of a project are for it alone; of a group, for every project below', async () => {
      const own = await made(`/projects/${project}/labels`, { name: 'own label', color: '#112233' });
      const shared = await made(`/groups/${group}/labels`, { name: 'shared', color: '#112233' });
      const other = (await made('/projects', { name: 'q', namespace_id: group })).id;
      const subscribers = (label: { id: number }, where: number) =>
        labelSubscribers(service.core.db, [label.id], where);
      const inProject = `/projects/${project}/labels`;

      const first = await call('POST', `${inProject}/own%20label/subscribe`, bob);
      assert.deepEqual([first.status, first.body.subscribed], [201, true]);
      assert.equal((await call('POST', `${inProject}/${own.id}/subscribe`, bob)).status, 304);
      await call('POST', `${inProject}/shared/subscribe`, bob);
      assert.deepEqual(await subscribers(shared, project), [bob.user.id]);
      assert.deepEqual(await subscribers(shared, other), []);
      const list = (await call('GET', inProject, bob)).body as { name: string; subscribed: boolean }[];
      assert.deepEqual(
        list.map(({ name, subscribed }) => [name, subscribed]),
        [
          ['own label', true],
          ['shared', true],
        ],
      );
      assert.equal((await call('GET', `/groups/${group}/labels/shared`, bob)).body.subscribed, false);

      const wide = await call('POST', `/groups/${group}/labels/${shared.id}/subscribe`, bob);
      assert.deepEqual([wide.status, wide.body.subscribed], [201, true]);
      assert.deepEqual(await subscribers(shared, other), [bob.user.id]);
      const ended = await call('POST', `/groups/${group}/labels/shared/unsubscribe`, bob);
      assert.deepEqual([ended.status, ended.body.subscribed], [201, false]);
      assert.deepEqual([await subscribers(shared, project), await subscribers(shared, other)], [[], []]);
      assert.equal((await call('POST', `${inProject}/none/subscribe`, bob)).status, 404);
      assert.equal((await call('POST', `${inProject}/shared/subscribe`, eve)).status, 404);
    });

    it('to a label go along when it becomes one of the group', async () => {
      const { id } = await made(`/projects/${project}/labels`, { name: 'rising', color: '#112233' });
      await call('POST', `/projects/${project}/labels/${id}/subscribe`, bob);
      const promoted = await call('PUT', `/projects/${project}/labels/${id}/promote`);
      assert.equal(promoted.status, 200, promoted.text);
      assert.equal((await call('GET', `/projects/${project}/labels/rising`, bob)).body.subscribed, true);
    });
  });
}
