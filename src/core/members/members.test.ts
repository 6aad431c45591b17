import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { dialects } from '../../../test/support/databases.ts';
import { type Person, seedUser } from '../../../test/support/seed.ts';
import { startService, type TestService } from '../../../test/support/service.ts';

for (const kind of dialects) {
  describe(`members on ${kind}`, () => {
    let service: TestService;
    let ann: Person;
    let bob: Person;
    let group: number;
    let project: number;
    let number = 0;

    before(async () => {
      service = await startService({ kind });
      ann = await seedUser(service.core, 'ann');
      bob = await seedUser(service.core, 'bob');
      group = (await made('/groups', { name: 'Team', path: 'team' })).id;
      project = (await made('/projects', { name: 'p', namespace_id: group })).id;
    });
    after(() => service.close());

    const call = (method: string, path: string, body?: unknown, person: Person = ann) =>
      service.api(method, path, { token: person.token, ...(body !== undefined && { body }) });
    const made = async (path: string, body: unknown, person: Person = ann) => {
      const reply = await call('POST', path, body, person);
      assert.equal(reply.status, 201, reply.text);
      return reply.body;
    };
    const somebody = () => seedUser(service.core, `somebody${number++}`);
    const add = (path: string, person: Person, level: number, more: object = {}) =>
      made(`${path}/members`, { user_id: person.user.id, access_level: level, ...more });
    const levelsOf = async (path: string, person: Person = ann) => {
      const reply = await call('GET', path, undefined, person);
      assert.equal(reply.status, 200, reply.text);
      const entries = reply.body as { username: string; access_level: number }[];
      return Object.fromEntries(entries.map((entry) => [entry.username, entry.access_level]));
    };

    it('come with a level and an end, by number or by name', async () => {
      const one = await somebody();
      const member = await add(`/projects/${project}`, one, 30, { expires_at: '2999-12-31' });
      assert.equal(member.id, one.user.id);
      assert.equal(member.access_level, 30);
      assert.equal(member.expires_at, '2999-12-31');
      assert.equal(member.membership_state, 'active');
      assert.equal(member.created_by.username, 'ann');
      assert.equal(member.email, undefined);
      const two = await somebody();
      const body = { username: two.user.username.toUpperCase(), access_level: '20' };
      assert.equal((await made(`/projects/${project}/members`, body)).id, two.user.id);
      const seen = await service.api('GET', `/projects/${project}/members/${one.user.id}`);
      assert.equal(seen.body.email, one.user.email, 'administrators see it');
    });

    it('are refused in the words of GitLab', async () => {
      const one = await somebody();
      const path = `/projects/${project}/members`;
      await add(`/projects/${project}`, one, 30);
      await add(`/groups/${group}`, bob, 20);
      const cases: [object, number, unknown][] = [
        [{ user_id: one.user.id, access_level: 30 }, 409, { message: 'Member already exists' }],
        [{ user_id: 999_999, access_level: 30 }, 404, { message: '404 User Not Found' }],
        [{ user_id: 'x', access_level: 30 }, 404, { message: '404 User Not Found' }],
        [
          { access_level: 30 },
          400,
          { error: 'user_id, username are missing, at least one parameter must be provided' },
        ],
        [{ user_id: one.user.id }, 400, { error: 'access_level is missing' }],
        [
          { user_id: bob.user.id, access_level: 25 },
          400,
          { message: { access_level: ['is not included in the list'] } },
        ],
        [
          { user_id: bob.user.id, access_level: 10 },
          400,
          {
            message: {
              access_level: [
                'should be greater than or equal to Reporter inherited membership from group Team',
              ],
            },
          },
        ],
        [
          { user_id: bob.user.id, access_level: 30, expires_at: '2001-01-01' },
          400,
          { message: { expires_at: ['cannot be a date in the past'] } },
        ],
      ];
      for (const [body, status, answer] of cases) {
        const reply = await call('POST', path, body);
        assert.deepEqual([reply.status, reply.body], [status, answer]);
      }
      await call('DELETE', `/groups/${group}/members/${bob.user.id}`);
    });

    it('come several at once, and the answer names who did not', async () => {
      const [one, two] = [await somebody(), await somebody()];
      const ids = `${one.user.id}, ${two.user.id}`;
      const path = `/projects/${project}/members`;
      assert.deepEqual(await made(path, { user_id: ids, access_level: 20 }), { status: 'success' });
      const three = await somebody();
      assert.deepEqual(await made(path, { user_id: `${three.user.id},${one.user.id}`, access_level: 20 }), {
        status: 'error',
        message: { [one.user.username]: 'Member already exists' },
      });
      assert.equal((await levelsOf(path))[three.user.username], 20);
    });

    it('of a project are its own; all are those of the groups above, too, once each', async () => {
      const top = (await made('/groups', { name: 'top', path: 'top' })).id;
      const sub = (await made('/groups', { name: 'sub', path: 'sub', parent_id: top })).id;
      const { id } = await made('/projects', { name: 'q', namespace_id: sub });
      const [one, two] = [await somebody(), await somebody()];
      await add(`/groups/${top}`, one, 20);
      await add(`/projects/${id}`, one, 30);
      await add(`/groups/${sub}`, two, 10);
      assert.deepEqual(await levelsOf(`/projects/${id}/members`), { [one.user.username]: 30 });
      const all = { ann: 50, [one.user.username]: 30, [two.user.username]: 10 };
      assert.deepEqual(await levelsOf(`/projects/${id}/members/all`), all);
      assert.deepEqual(await levelsOf(`/projects/${id}/members/all?query=${two.user.username}`), {
        [two.user.username]: 10,
      });
      assert.deepEqual(await levelsOf(`/projects/${id}/members/all?user_ids[]=${one.user.id}`), {
        [one.user.username]: 30,
      });
      const reply = await call('GET', `/projects/${id}/members/all?per_page=1`);
      assert.equal(reply.headers['x-total'], '3');
      const single = (path: string) => call('GET', `/projects/${id}/members/${path}`);
      assert.deepEqual((await single(`${two.user.id}`)).body, { message: '404 Not found' });
      assert.equal((await single(`all/${two.user.id}`)).body.access_level, 10);
      assert.equal((await single('all/999999')).status, 404);
    });

    it('are no members any more from the day they expire', async () => {
      const one = await somebody();
      await add(`/projects/${project}`, one, 30);
      const set = (day: string) =>
        service.core.db
          .updateTable('members')
          .set({ expires_at: day })
          .where('user_id', '=', one.user.id)
          .execute();
      await set(service.core.access.today());
      assert.equal((await call('GET', `/projects/${project}`, undefined, one)).status, 404);
      assert.equal((await levelsOf(`/projects/${project}/members`))[one.user.username], undefined);
      assert.equal((await call('GET', `/projects/${project}/members/${one.user.id}`)).status, 404);
      await add(`/projects/${project}`, one, 20);
      assert.equal((await call('GET', `/projects/${project}`, undefined, one)).status, 200);
    });

    it('give nobody more than they have themselves', async () => {
      const [master, one] = [await somebody(), await somebody()];
      await add(`/projects/${project}`, master, 40);
      const path = `/projects/${project}/members`;
      const give = (level: number) =>
        call('POST', path, { user_id: one.user.id, access_level: level }, master);
      assert.equal((await give(50)).status, 403);
      assert.equal((await give(40)).status, 201);
      const raise = (level: number) => call('PUT', `${path}/${one.user.id}`, { access_level: level }, master);
      assert.equal((await raise(50)).status, 403);
      assert.equal((await raise(30)).body.access_level, 30);
      assert.equal((await call('PUT', `${path}/${master.user.id}`, { access_level: 50 }, one)).status, 403);
      const chief = await somebody();
      await add(`/projects/${project}`, chief, 50);
      assert.equal((await call('DELETE', `${path}/${chief.user.id}`, undefined, master)).status, 403);
      assert.equal((await call('PUT', `${path}/${chief.user.id}`, { access_level: 10 }, master)).status, 403);
      assert.equal((await call('DELETE', `${path}/${master.user.id}`, undefined, one)).status, 403);
    });

    it('may leave, but not the last owner of a group', async () => {
      const one = await somebody();
      await add(`/groups/${group}`, one, 10);
      const leave = (person: Person) =>
        call('DELETE', `/groups/${group}/members/${person.user.id}`, undefined, person);
      assert.equal((await leave(one)).status, 204);
      assert.equal((await leave(one)).status, 404);
      assert.equal((await leave(ann)).status, 403);
      const demote = () => call('PUT', `/groups/${group}/members/${ann.user.id}`, { access_level: 40 });
      assert.equal((await demote()).status, 403);
      await add(`/groups/${group}`, one, 50);
      assert.equal((await demote()).status, 200);
      await call('PUT', `/groups/${group}/members/${ann.user.id}`, { access_level: 50 }, one);
      assert.equal((await leave(one)).status, 204);
    });

    it('cannot be taken out of a project in their own namespace', async () => {
      const { id } = await made('/projects', { name: 'personal' });
      assert.equal((await service.api('DELETE', `/projects/${id}/members/${ann.user.id}`)).status, 403);
    });

    it('leave what is below with the group, unless told otherwise', async () => {
      const sub = (await made('/groups', { name: 'below', path: 'below', parent_id: group })).id;
      const one = await somebody();
      const join = async () => {
        await add(`/groups/${group}`, one, 20);
        await add(`/groups/${sub}`, one, 30);
      };
      const inSub = () => call('GET', `/groups/${sub}/members/${one.user.id}`);
      await join();
      await call('DELETE', `/groups/${group}/members/${one.user.id}?skip_subresources=true`);
      assert.equal((await inSub()).status, 200);
      await call('DELETE', `/groups/${sub}/members/${one.user.id}`);
      await join();
      await call('DELETE', `/groups/${group}/members/${one.user.id}`);
      assert.equal((await inSub()).status, 404);
    });

    it('are told of to the other rooms', async () => {
      const one = await somebody();
      await add(`/projects/${project}`, one, 20);
      await call('PUT', `/projects/${project}/members/${one.user.id}`, { access_level: 30 });
      await call('DELETE', `/projects/${project}/members/${one.user.id}`);
      await service.core.events.idle();
      const events = await service.core.events.readSince(0, ['member.changed'], 1000);
      const own = events.filter(({ payload }) => payload.userId === one.user.id);
      assert.deepEqual(
        own.map(({ payload }) => [payload.projectId, payload.accessLevel, payload.byUserId]),
        [
          [project, 20, ann.user.id],
          [project, 30, ann.user.id],
          [project, null, ann.user.id],
        ],
      );
    });

    describe('who ask for access', () => {
      let open: number;
      before(async () => {
        open = (await made('/groups', { name: 'open', path: 'open', visibility: 'public' })).id;
      });
      const ask = (person: Person) => call('POST', `/groups/${open}/access_requests`, undefined, person);

      it('are none until somebody grants it', async () => {
        const one = await somebody();
        const reply = await ask(one);
        assert.deepEqual([reply.status, reply.body.username], [201, one.user.username]);
        assert.equal((await levelsOf(`/groups/${open}/members/all`))[one.user.username], undefined);
        const again = await ask(one);
        assert.deepEqual(again.body, { message: { user_id: ['already exists in source'] } });
        const waiting = (await call('GET', `/groups/${open}/access_requests`)).body;
        assert.equal(waiting.at(-1).username, one.user.username);
        assert.equal((await call('GET', `/groups/${open}/access_requests`, undefined, one)).status, 403);
        const path = `/groups/${open}/access_requests/${one.user.id}`;
        assert.equal((await call('PUT', `${path}/approve`, undefined, one)).status, 403);
        const granted = await call('PUT', `${path}/approve`, { access_level: 20 });
        assert.deepEqual([granted.status, granted.body.access_level], [201, 20]);
        assert.equal((await call('PUT', `${path}/approve`)).status, 404);
        assert.equal((await ask(one)).status, 403, 'members have no need to');
      });

      it('are refused, or take it back', async () => {
        const [one, two] = [await somebody(), await somebody()];
        await ask(one);
        await ask(two);
        const path = (person: Person) => `/groups/${open}/access_requests/${person.user.id}`;
        assert.equal((await call('DELETE', path(one), undefined, two)).status, 403);
        assert.equal((await call('DELETE', path(one))).status, 204);
        assert.equal((await call('DELETE', path(two), undefined, two)).status, 204);
        assert.equal((await call('DELETE', path(two))).status, 404);
      });

      it('cannot where requests are off', async () => {
        await call('PUT', `/groups/${open}`, { request_access_enabled: false });
        assert.equal((await ask(await somebody())).status, 403);
      });
    });
  });
}
