import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { dialects } from '../../../test/support/databases.ts';
import { type Person, seedUser } from '../../../test/support/seed.ts';
import { startService, type TestService } from '../../../test/support/service.ts';
import { EVENT_NAMES } from './event-names.ts';

/** What the API documentation lists for every level, the eighteen of today's GitLab and `new_epic`. */
const FRESH = Object.fromEntries(EVENT_NAMES.map((name) => [name, name === 'moved_project']));

for (const kind of dialects) {
  describe(`notification settings on ${kind}`, () => {
    let service: TestService;
    let owner: Person;
    let ann: Person;
    let number = 0;
    let top: number;
    let sub: number;
    let project: number;

    before(async () => {
      service = await startService({ kind });
      owner = await seedUser(service.core, 'owner');
      top = await made('/groups', { name: 'Top', path: 'top', visibility: 'public' });
      sub = await made('/groups', { name: 'Sub', path: 'sub', parent_id: top, visibility: 'public' });
      project = await made('/projects', { name: 'p', namespace_id: sub, visibility: 'public' });
    });
    after(() => service.close());

    const call = (method: string, path: string, body?: unknown, person: Person = ann) =>
      service.api(method, path, { token: person.token, ...(body !== undefined && { body }) });
    const made = async (path: string, body: unknown) => {
      const reply = await call('POST', path, body, owner);
      assert.equal(reply.status, 201, reply.text);
      return reply.body.id as number;
    };
    const newcomer = async () => {
      ann = await seedUser(service.core, `ann${number++}`);
    };
    const read = async (path: string) => {
      const reply = await call('GET', path);
      assert.equal(reply.status, 200, reply.text);
      return reply.body;
    };
    const put = async (path: string, body: unknown = {}) => {
      const reply = await call('PUT', path, body);
      assert.equal(reply.status, 200, reply.text);
      return reply.body;
    };
    const everywhere = () => [`/groups/${top}`, `/groups/${sub}`, `/projects/${project}`];

    it('are those of GitLab where nothing is set', async () => {
      await newcomer();
      const own = { level: 'participating', notification_email: ann.user.email };
      assert.deepEqual(await read('/notification_settings'), own);
      for (const place of everywhere()) {
        assert.deepEqual(await read(`${place}/notification_settings`), { level: 'global' });
      }
    });

    it('take every level, and show events only with custom', async () => {
      await newcomer();
      for (const level of ['disabled', 'participating', 'watch', 'global', 'mention']) {
        const own = { level, notification_email: ann.user.email };
        assert.deepEqual(await put('/notification_settings', { level }), own);
        assert.deepEqual(await read('/notification_settings'), own);
        for (const place of everywhere()) {
          assert.deepEqual(await put(`${place}/notification_settings`, { level }), { level });
          assert.deepEqual(await read(`${place}/notification_settings`), { level });
        }
      }
      const custom = { level: 'custom', events: FRESH };
      for (const place of everywhere()) {
        assert.deepEqual(await put(`${place}/notification_settings`, { level: 'custom' }), custom);
      }
      const own = { ...custom, notification_email: ann.user.email };
      assert.deepEqual(await put('/notification_settings', { level: 'custom' }), own);
    });

    it('keep each event by itself, whatever the level is', async () => {
      for (const place of ['', `/groups/${top}`, `/projects/${project}`]) {
        await newcomer();
        const path = `${place}/notification_settings`;
        for (const name of EVENT_NAMES) await put(path, { [name]: true });
        assert.equal((await read(path)).events, undefined);
        const all = Object.fromEntries(EVENT_NAMES.map((name) => [name, true]));
        assert.deepEqual((await put(path, { level: 'custom' })).events, all);
        await put(path, { new_note: false, new_epic: false });
        await put(path, { level: 'watch' });
        await put(path, { level: 'custom' });
        assert.deepEqual((await read(path)).events, { ...all, new_note: false, new_epic: false });
      }
    });

    it('take booleans in every way that GitLab does, and empty for no choice', async () => {
      await newcomer();
      const path = `/projects/${project}/notification_settings`;
      const form = {
        level: 'custom',
        new_note: 'yes',
        new_issue: '1',
        close_issue: 'off',
        moved_project: '',
      };
      const reply = await service.api('PUT', path, { token: ann.token, form });
      const chosen = { ...FRESH, new_note: true, new_issue: true, moved_project: false };
      assert.deepEqual(reply.body, { level: 'custom', events: chosen });
      await put(`${path}?new_note=false&reopen_issue=on`, { new_issue: null });
      const changed = { ...chosen, new_note: false, new_issue: false, reopen_issue: true };
      assert.deepEqual((await read(path)).events, changed);
    });

    it('refuse in the words of GitLab, and then change nothing', async () => {
      await newcomer();
      const blank = { message: { level: ["can't be blank"] } };
      const cases: [unknown, unknown][] = [
        [{ level: 'invalid', new_note: true }, { message: "'invalid' is not a valid level" }],
        [{ level: 'Watch' }, { message: "'Watch' is not a valid level" }],
        [{ level: 2 }, { message: "'2' is not a valid level" }],
        [{ level: '' }, blank],
        [{ level: null }, blank],
        [{ level: ['watch'] }, { error: 'level is invalid' }],
        [{ level: { a: 'watch' } }, { error: 'level is invalid' }],
        [{ new_note: 'banana' }, { error: 'new_note is invalid' }],
        [{ new_issue: 'x', new_note: 'x' }, { error: 'new_note is invalid, new_issue is invalid' }],
        [{ new_note: 2 }, { error: 'new_note is invalid' }],
        [{ new_note: [] }, { error: 'new_note is invalid' }],
        [{ new_note: {} }, { error: 'new_note is invalid' }],
        [{ delivery: 'weekly' }, { error: 'delivery does not have a valid value' }],
      ];
      for (const place of ['', ...everywhere()]) {
        for (const [body, answer] of cases) {
          const reply = await call('PUT', `${place}/notification_settings`, body);
          assert.deepEqual([reply.status, reply.body], [400, answer], JSON.stringify(body));
        }
      }
      assert.equal((await read('/notification_settings')).level, 'participating');
      const nul = await call('PUT', '/notification_settings', { level: 'watch\0' });
      assert.deepEqual([nul.status, nul.text], [400, 'Bad Request']);
      const long = await call('PUT', '/notification_settings', { level: 'x'.repeat(100_000) });
      assert.equal(long.status, 400);
      assert.ok(long.text.length < 200);
    });

    it('are for whoever sees the place; others do not learn that it is there', async () => {
      await newcomer();
      const hidden = await made('/groups', { name: 'Hidden', path: `hidden${number}` });
      const secret = await made('/projects', { name: 's', namespace_id: hidden });
      for (const [place, what] of [
        [`/groups/${hidden}`, 'Group'],
        [`/projects/${secret}`, 'Project'],
        ['/groups/999999', 'Group'],
        ['/projects/999999', 'Project'],
        ['/projects/bare', 'Project'],
      ] as const) {
        const path = `${place}/notification_settings`;
        for (const reply of [await call('GET', path), await call('PUT', path, { level: 'nonsense' })]) {
          assert.deepEqual([reply.status, reply.body], [404, { message: `404 ${what} Not Found` }]);
        }
        assert.equal((await service.api('PUT', path, { token: null, body: { level: 1 } })).status, 401);
      }
      await call('POST', `/projects/${secret}/members`, { user_id: ann.user.id, access_level: 10 }, owner);
      assert.deepEqual(await put(`/projects/${secret}/notification_settings`, { level: 'mention' }), {
        level: 'mention',
      });
    });

    it('are each user’s own, by number or path, and those of whom sudo names', async () => {
      await newcomer();
      await put('/projects/top%2Fsub%2FP/notification_settings', { level: 'watch' });
      await put('/groups/top%2Fsub/notification_settings', { level: 'mention' });
      assert.equal((await read(`/projects/${project}/notification_settings`)).level, 'watch');
      assert.equal((await read(`/groups/${sub}/notification_settings`)).level, 'mention');
      const others = await call('GET', `/projects/${project}/notification_settings`, undefined, owner);
      assert.equal(others.body.level, 'global');
      const sudo = await service.api('GET', `/projects/${project}/notification_settings`, {
        headers: { sudo: ann.user.username },
      });
      assert.equal(sudo.body.level, 'watch');
      const other = await service.api('GET', `/projects/${project}/notification_settings?id=999&user_id=1`, {
        token: ann.token,
      });
      assert.equal(other.body.level, 'watch', 'the path says which project');
    });

    it('follow a project to its new path: reads are led there, writes go through', async () => {
      await newcomer();
      const moved = await made('/projects', { name: 'old', namespace_id: sub, visibility: 'public' });
      assert.equal((await call('PUT', `/projects/${moved}`, { path: 'newer' }, owner)).status, 200);
      const path = '/projects/top%2Fsub%2Fold/notification_settings';
      assert.equal((await call('GET', path)).status, 301);
      assert.deepEqual(await put(path, { level: 'watch' }), { level: 'watch' });
      assert.equal((await read(`/projects/${moved}/notification_settings`)).level, 'watch');
    });

    it('know no other verbs, and no job or read-only tokens for writing', async () => {
      await newcomer();
      for (const method of ['POST', 'DELETE', 'PATCH']) {
        const reply = await call(method, '/notification_settings', {});
        assert.deepEqual([reply.status, reply.body], [404, { error: '404 Not Found' }]);
      }
      const body = { name: 't', scopes: ['read_api'] };
      const token = (await call('POST', '/user/personal_access_tokens', body)).body.token as string;
      assert.equal((await service.api('GET', '/notification_settings', { token })).status, 200);
      const refused = await service.api('PUT', '/notification_settings', { token, body: { level: 'watch' } });
      assert.deepEqual([refused.status, refused.body.error], [403, 'insufficient_scope']);
    });

    it('of two who write at once, both hold', async () => {
      for (const place of ['', `/groups/${top}`, `/projects/${project}`]) {
        await newcomer();
        const path = `${place}/notification_settings`;
        const choices = EVENT_NAMES.map((name, index) => [name, index % 2 === 0] as const);
        const bodies = [
          { level: 'custom' },
          { delivery: 'hourly' },
          ...choices.map(([k, v]) => ({ [k]: v })),
        ];
        await Promise.all(bodies.map((body) => put(path, body)));
        const found = await read(`${path}?explain=true`);
        assert.deepEqual(found.events, Object.fromEntries(choices));
        assert.deepEqual([found.level, found.delivery], ['custom', 'hourly']);
        const rows = await service.core.db
          .selectFrom('notification_settings')
          .select('id')
          .where('user_id', '=', ann.user.id)
          .execute();
        assert.equal(rows.length, 1);
      }
    });

    it('explain what is in force and where it comes from', async () => {
      await newcomer();
      const explained = async (place: string) => await read(`${place}/notification_settings?explain=yes`);
      const at = `/projects/${project}`;
      const nothing = { type: 'default', id: null, full_path: null };
      assert.deepEqual(await explained(at), {
        level: 'global',
        delivery: 'global',
        explanation: {
          level: 'participating',
          level_from: nothing,
          delivery: 'immediate',
          delivery_from: nothing,
          notification_email: ann.user.email,
          notified_of_own_activity: false,
        },
      });
      await put('/notification_settings', {
        level: 'watch',
        delivery: 'daily',
        notified_of_own_activity: true,
      });
      const user = { type: 'user', id: null, full_path: null };
      const own = await explained('');
      assert.deepEqual([own.delivery, own.notified_of_own_activity], ['daily', true]);
      assert.deepEqual(own.explanation.level_from, user);
      await put(`/groups/${top}/notification_settings`, { level: 'custom', new_note: true });
      await put(`/groups/${sub}/notification_settings`, { delivery: 'hourly' });
      const { explanation } = await explained(at);
      assert.deepEqual(explanation.level_from, { type: 'group', id: top, full_path: 'top' });
      assert.deepEqual(explanation.delivery_from, { type: 'group', id: sub, full_path: 'top/sub' });
      assert.deepEqual([explanation.level, explanation.delivery], ['custom', 'hourly']);
      const inForce = { ...FRESH, new_note: true, failed_pipeline: true, fixed_pipeline: true };
      assert.deepEqual(explanation.events, inForce);
      assert.equal((await explained(`/groups/${top}`)).explanation.delivery, 'daily');
      const set = await put(`${at}/notification_settings?explain=1`, {
        level: 'mention',
        delivery: 'batched',
      });
      const here = { type: 'project', id: project, full_path: 'top/sub/p' };
      assert.deepEqual([set.explanation.level_from, set.explanation.delivery_from], [here, here]);
      await put(`${at}/notification_settings`, { level: 'global', delivery: null });
      assert.deepEqual((await explained(at)).explanation.level_from.full_path, 'top');
      assert.deepEqual(Object.keys(await read(`${at}/notification_settings`)), ['level']);
    });

    it('end with the membership, unless they were set after it', async () => {
      await newcomer();
      const path = `/projects/${project}/notification_settings`;
      await call('POST', `/projects/${project}/members`, { user_id: ann.user.id, access_level: 30 }, owner);
      await put(path, { level: 'watch' });
      await put(`/groups/${top}/notification_settings`, { level: 'mention' });
      await call('DELETE', `/projects/${project}/members/${ann.user.id}`, undefined, owner);
      await service.core.events.idle();
      assert.equal((await read(path)).level, 'global');
      assert.equal((await read(`/groups/${top}/notification_settings`)).level, 'mention');
    });
  });
}
