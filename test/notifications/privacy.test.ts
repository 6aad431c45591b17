import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { dialects } from '../support/databases.ts';
import { Forge, type Who } from './forge.ts';

for (const kind of dialects) {
  describe(`mail reaches nobody who should not get it, on ${kind}`, () => {
    let forge: Forge;
    let [ada, guest, stranger, robot] = [] as unknown as [Who, Who, Who, Who];
    let [open, closed] = ['', ''];

    before(async () => {
      forge = await Forge.open(kind);
      ada = await forge.person('ada');
      guest = await forge.person('guest');
      stranger = await forge.person('stranger');
      robot = await forge.person('robot');
      await forge.service.core.db.updateTable('users').set({ bot: 1 }).where('id', '=', robot.id).execute();
      [open, closed] = [await project('open', 'public'), await project('closed', 'private')];
      for (const where of [open, closed]) {
        await join(where, ada, 30);
        await join(where, guest, 10);
        await join(where, robot, 30);
        for (const who of [guest, robot, ada]) await watch(where, who);
      }
    });
    after(() => forge?.close());

    async function project(name: string, visibility: string): Promise<string> {
      const body = { name, visibility, initialize_with_readme: true };
      return `/projects/${(await forge.call('POST', '/projects', { body })).body.id}`;
    }

    const join = (where: string, { id: user_id }: Who, access_level: number) =>
      forge.call('POST', `${where}/members`, { body: { user_id, access_level } });
    const watch = (where: string, who: Who) =>
      forge.as(who, 'PUT', `${where}/notification_settings`, { level: 'watch' });
    const issue = (who: Who, where: string, fields: object) =>
      forge.as(who, 'POST', `${where}/issues`, { title: 'Something', ...fields });
    /** By the first administrator, who watches nothing. */
    const issueByRoot = (where: string, fields: object) =>
      forge.call('POST', `${where}/issues`, { body: { title: 'Something', ...fields } });

    it('not who may not see the project, though he is named or subscribed once', async () => {
      await issueByRoot(closed, { description: '@stranger @guest' });
      assert.deepEqual(await forge.letters(), {
        ada: ['new_issue (watching)'],
        guest: ['new_issue (mentioned)'],
      });
    });

    it('not who may not read a confidential issue, though he watches and is named', async () => {
      await issueByRoot(open, { description: '@guest @stranger @ada', confidential: true });
      assert.deepEqual(await forge.letters(), { ada: ['new_issue (mentioned)'] });
      const { iid } = (await issue(guest, open, { confidential: true })).body;
      assert.deepEqual(await forge.letters(), { ada: ['new_issue (watching)'] });
      await forge.as(ada, 'POST', `${open}/issues/${iid}/notes`, { body: '@stranger, @guest' });
      assert.deepEqual(await forge.letters(), { guest: ['new_note (mentioned)'] });
    });

    it('not of an internal note who may not read it, nor because he was named in one', async () => {
      const { iid } = (await issueByRoot(open, { title: 'With secrets' })).body;
      await forge.letters();
      const notes = `${open}/issues/${iid}/notes`;
      await forge.call('POST', notes, { body: { body: '@guest @stranger @ada', internal: true } });
      assert.deepEqual(await forge.letters(), { ada: ['new_note (mentioned)'] });
      await forge.call('POST', notes, { body: { body: 'for everybody' } });
      const { stranger: unheard, ...others } = await forge.letters();
      assert.equal(unheard, undefined);
      assert.deepEqual(others, { ada: ['new_note (participated)'], guest: ['new_note (watching)'] });
    });

    it('not who is blocked, and nothing new that he began', async () => {
      const { id: issueId, iid, project_id: projectId } = (await issue(guest, open, {})).body;
      await forge.letters();
      await forge.call('POST', `/users/${guest.id}/block`);
      await issueByRoot(open, { description: '@guest' });
      assert.deepEqual(await forge.letters(), { ada: ['new_issue (watching)'] });
      const { core } = forge.service;
      const payload = { projectId, issueId, iid, userId: guest.id };
      await core.database.transaction(async (tx) => {
        await core.events.publish(tx, { type: 'issue.opened', stream: `project:${projectId}`, payload });
      });
      assert.deepEqual(await forge.letters(), {});
      await forge.call('POST', `/users/${guest.id}/unblock`);
    });

    it('not when the project or a group above wants no mail', async () => {
      await forge.call('PUT', open, { body: { emails_enabled: false } });
      await issueByRoot(open, { description: '@ada' });
      assert.deepEqual(await forge.letters(), {});
      await forge.call('PUT', open, { body: { emails_enabled: true } });
    });

    it('by @all only where a member says so', async () => {
      await issue(stranger, open, { description: '@all' });
      const heard = await forge.letters();
      assert.deepEqual(heard, { ada: ['new_issue (watching)'], guest: ['new_issue (watching)'] });
      await issue(guest, open, { description: '@all' });
      assert.deepEqual(await forge.letters(), {
        ada: ['new_issue (mentioned)'],
        root: ['new_issue (mentioned)'],
      });
    });

    it('by a group only where the author may see it, and where the group allows it', async () => {
      const body = { name: 'Hidden', path: 'hidden', visibility: 'private' };
      const group = `/groups/${(await forge.call('POST', '/groups', { body })).body.id}`;
      await forge.call('POST', `${group}/members`, { body: { user_id: stranger.id, access_level: 30 } });
      await issue(guest, open, { description: '@hidden' });
      assert.equal((await forge.letters())['stranger'], undefined);
      await forge.call('POST', `${group}/members`, { body: { user_id: guest.id, access_level: 10 } });
      await issue(guest, open, { description: '@Hidden' });
      assert.deepEqual((await forge.letters())['stranger'], ['new_issue (mentioned)']);
      await forge.call('PUT', group, { body: { mentions_disabled: true } });
      await issue(guest, open, { description: '@hidden' });
      assert.equal((await forge.letters())['stranger'], undefined);
    });

    it('of names in code and quotes, or of more names than are looked at', async () => {
      await issue(ada, open, { description: '`@stranger`\n> @stranger\n```\n@stranger\n```' });
      assert.equal((await forge.letters())['stranger'], undefined);
      const many = Array.from({ length: 10_000 }, (_, index) => `@nobody${index}`).join(' ');
      await issue(ada, open, { description: `${many} @stranger` });
      assert.deepEqual(await forge.letters(), { guest: ['new_issue (watching)'] });
    });

    it('once he has unsubscribed, until he is named', async () => {
      const { iid } = (await issue(stranger, open, {})).body;
      await forge.as(guest, 'POST', `${open}/issues/${iid}/notes`, { body: 'zero' });
      await forge.as(guest, 'POST', `${open}/issues/${iid}/unsubscribe`);
      await forge.letters();
      await forge.as(ada, 'POST', `${open}/issues/${iid}/notes`, { body: 'one' });
      assert.deepEqual(await forge.letters(), { stranger: ['new_note (author)'] });
      await forge.as(ada, 'POST', `${open}/issues/${iid}/notes`, { body: 'two @guest' });
      assert.deepEqual((await forge.letters())['guest'], ['new_note (mentioned)']);
    });

    it('of a note that was deleted before it was told', async () => {
      const { iid } = (await issue(stranger, open, {})).body;
      await forge.letters();
      const notes = `${open}/issues/${iid}/notes`;
      const { core } = forge.service;
      await core.database.transaction(async (tx) => {
        await core.events.publish(tx, {
          type: 'note.created',
          stream: 'project:1',
          payload: {
            projectId: 1,
            noteId: 999_999,
            noteableType: 'Issue',
            noteableId: 1,
            commitId: null,
            userId: ada.id,
          },
        });
      });
      assert.deepEqual(await forge.letters(), {});
      assert.deepEqual((await forge.call('GET', notes)).body, []);
    });

    it('what he did himself, unless he asked for it', async () => {
      await issue(ada, open, {});
      assert.equal((await forge.letters())['ada'], undefined);
      await forge.as(ada, 'PUT', '/notification_settings', { notified_of_own_activity: true });
      await issue(ada, open, {});
      assert.deepEqual((await forge.letters())['ada'], ['new_issue (own_activity)']);
    });

    it('twice for one event', async () => {
      const { core } = forge.service;
      await issue(ada, open, {});
      await forge.letters();
      const event = await core.db
        .selectFrom('events')
        .select(['id', 'stream'])
        .where('type', '=', 'issue.opened')
        .orderBy('id', 'desc')
        .executeTakeFirstOrThrow();
      const again = { event_id: event.id, stream: event.stream, subscriber: 'notifications' };
      await core.db
        .insertInto('event_deliveries')
        .values({ ...again, attempts: 1, next_attempt_at: 0 })
        .execute();
      await core.events.retry((await core.events.failing()).find(({ eventId }) => eventId === event.id)!.id);
      assert.deepEqual(await forge.letters(), {});
    });
  });
}
