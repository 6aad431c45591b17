import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { forEachDatabase } from '../../test/support/databases.ts';
import { testClock } from '../../test/support/test-events.ts';
import { createUser } from '../core/users/create.ts';
import type { Database } from '../platform/db/database.ts';
import { createLog } from '../platform/log.ts';
import { MailOutbox } from './mail/outbox.ts';
import { sweepMail } from './sweep.ts';
import { tell } from './tell.ts';
import { aNotice, announced } from './testing.ts';

const log = createLog('silent');
const baseUrl = () => 'https://ingot.test';
const DAY = 24 * 3600 * 1000;

async function openPost(database: Database) {
  const clock = testClock();
  const user = await database.transaction((tx) =>
    createUser(tx, { username: 'bob', name: 'Bob', email: 'bob@example.com' }, 1),
  );
  return {
    clock,
    user,
    write: (subject: string, { sends }: { sends: boolean }) =>
      database.transaction((tx) =>
        new MailOutbox({ clock, log, baseUrl, sends }).enqueue(tx, { kind: 'x', subject, text: 'x' }, [
          { userId: user.id, address: 'bob@example.com' },
        ]),
      ),
    sweep: () => sweepMail({ database, clock, stop: new AbortController().signal }),
    count: async (table: 'mails' | 'mail_contents' | 'notices') =>
      (await database.db.selectFrom(table).select('id').execute()).length,
  };
}

forEachDatabase((_kind, open) => {
  describe('the sweep of mail', () => {
    it('deletes a week after a mail was done with, with what it said', async () => {
      const post = await openPost(await open());
      await post.write('old', { sends: false });
      post.clock.advance(6 * DAY);
      await post.write('new', { sends: false });
      await post.sweep();
      assert.equal(await post.count('mails'), 2);
      post.clock.advance(2 * DAY);
      await post.sweep();
      assert.equal(await post.count('mails'), 1);
      assert.equal(await post.count('mail_contents'), 1);
    });

    it('gives up what could not be sent for five days, and says so', async () => {
      const database = await open();
      const post = await openPost(database);
      await post.write('stuck', { sends: true });
      await database.db.updateTable('mails').set({ answer: '451 later' }).execute();
      post.clock.advance(4 * DAY);
      await post.sweep();
      await post.write('fresh', { sends: true });
      post.clock.advance(2 * DAY);
      await post.sweep();
      const mails = await database.db.selectFrom('mails').select(['state', 'answer']).orderBy('id').execute();
      assert.deepEqual(mails, [
        { state: 'failed', answer: 'given up after 5 days; last answer: 451 later' },
        { state: 'queued', answer: null },
      ]);
    });

    it('leaves what still waits for its digest', async () => {
      const database = await open();
      const post = await openPost(database);
      const { clock, user } = post;
      const enqueue = new MailOutbox({ clock, log, baseUrl, sends: false }).enqueue;
      for (const delivery of ['immediate', 'daily'] as const) {
        const notice = aNotice({ userId: user.id, delivery, eventId: delivery === 'daily' ? 1 : 2 });
        await database.transaction((tx) =>
          tell(tx, { clock, baseUrl, enqueue, onWaiting() {} }, announced(notice)),
        );
      }
      clock.advance(13 * DAY);
      await post.sweep();
      assert.equal(await post.count('notices'), 2);
      clock.advance(2 * DAY);
      await post.sweep();
      assert.equal(await post.count('notices'), 1);
      assert.equal(await post.count('mails'), 0);
    });

    it('leaves what a digest told of for as long as its link should work', async () => {
      const database = await open();
      const post = await openPost(database);
      const { clock, user } = post;
      const enqueue = new MailOutbox({ clock, log, baseUrl, sends: false }).enqueue;
      const notice = aNotice({ userId: user.id, delivery: 'daily' });
      await database.transaction((tx) =>
        tell(tx, { clock, baseUrl, enqueue, onWaiting() {} }, announced(notice)),
      );
      await database.db.updateTable('notices').set({ due_at: null, notice: null, mail_id: 1 }).execute();
      clock.advance(59 * DAY);
      await post.sweep();
      assert.equal(await post.count('notices'), 1);
      clock.advance(2 * DAY);
      await post.sweep();
      assert.equal(await post.count('notices'), 0);
    });

    it('forgets the mails of a user who is deleted', async () => {
      const database = await open();
      const post = await openPost(database);
      await post.write('x', { sends: true });
      await database.db.deleteFrom('namespaces').where('owner_id', '=', post.user.id).execute();
      await database.db.deleteFrom('users').where('id', '=', post.user.id).execute();
      assert.equal(await post.count('mails'), 0);
      post.clock.advance(2 * DAY);
      await post.sweep();
      assert.equal(await post.count('mail_contents'), 0);
    });
  });
});
