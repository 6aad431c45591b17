import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { stillVisible } from '../../src/notifications/happenings/still-visible.ts';
import type { Notice } from '../../src/notifications/notice.ts';
import { notificationSource } from '../../src/tracker/notification-sources/sources.ts';
import { dialects } from '../support/databases.ts';
import { Forge, type Who } from './forge.ts';

for (const kind of dialects) {
  describe(`what waits for a digest, on ${kind}`, () => {
    let forge: Forge;
    let ada: Who;
    let projectId: number;
    let noteId: number;

    before(async () => {
      forge = await Forge.open(kind);
      ada = await forge.person('ada');
      const body = { name: 'closed', visibility: 'private', initialize_with_readme: true };
      projectId = (await forge.call('POST', '/projects', { body })).body.id;
      await forge.call('POST', `/projects/${projectId}/members`, {
        body: { user_id: ada.id, access_level: 20 },
      });
      const settings = { level: 'watch', delivery: 'daily' };
      await forge.as(ada, 'PUT', `/projects/${projectId}/notification_settings`, settings);
      await forge.call('POST', `/projects/${projectId}/issues`, { body: { title: 'One' } });
      const issue = `/projects/${projectId}/issues/1`;
      const note = await forge.call('POST', `${issue}/notes`, { body: { body: 'secret', internal: true } });
      noteId = note.body.id;
      const [commit] = (await forge.call('GET', `/projects/${projectId}/repository/commits`)).body;
      const comments = `/projects/${projectId}/repository/commits/${commit.id}/comments`;
      await forge.call('POST', comments, { body: { note: 'hm' } });
      assert.deepEqual(await forge.letters(), {});
    });
    after(() => forge?.close());

    async function visible(): Promise<string[]> {
      const { core } = forge.service;
      const rows = await core.db.selectFrom('notices').select('notice').orderBy('id').execute();
      const notices = rows.map(({ notice }) => JSON.parse(notice ?? '') as Notice);
      const deps = { db: core.db, tracker: notificationSource(core), today: () => core.access.today() };
      const found = await stillVisible(deps, ada.id, notices);
      return found.map(({ kind: what, thing }) => `${what} ${thing.type}`);
    }

    const setLevel = (access_level: number) =>
      forge.call('PUT', `/projects/${projectId}/members/${ada.id}`, { body: { access_level } });

    it('is told as long as its reader may read it', async () => {
      assert.deepEqual(await visible(), ['new_issue Issue', 'new_note Issue', 'new_note Commit']);
      await setLevel(10);
      assert.deepEqual(await visible(), ['new_issue Issue'], 'a guest reads neither internal notes nor code');
      await setLevel(20);
    });

    it('is told no more when it was deleted, became confidential or its reader has gone', async () => {
      await forge.call('DELETE', `/projects/${projectId}/issues/1/notes/${noteId}`);
      assert.deepEqual(await visible(), ['new_issue Issue', 'new_note Commit']);
      await setLevel(10);
      await forge.call('PUT', `/projects/${projectId}/issues/1`, { body: { confidential: true } });
      assert.deepEqual(await visible(), []);
      await setLevel(20);
      await forge.call('POST', `/users/${ada.id}/block`);
      assert.deepEqual(await visible(), []);
      await forge.call('POST', `/users/${ada.id}/unblock`);
      await forge.call('DELETE', `/projects/${projectId}/members/${ada.id}`);
      assert.deepEqual(await visible(), []);
    });
  });
}
