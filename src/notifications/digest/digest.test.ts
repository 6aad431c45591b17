import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { forEachDatabase } from '../../../test/support/databases.ts';
import { testClock } from '../../../test/support/test-events.ts';
import { createUser } from '../../core/users/create.ts';
import type { Database } from '../../platform/db/database.ts';
import { createLog } from '../../platform/log.ts';
import { MailOutbox } from '../mail/outbox.ts';
import type { Notice } from '../notice.ts';
import { tell } from '../tell.ts';
import { aNotice, announced } from '../testing.ts';
import { composeDue, type StillVisible } from './compose.ts';

const log = createLog('silent');
const baseUrl = () => 'https://ingot.test';
const MINUTE = 60_000;

async function openDesk(database: Database) {
  const clock = testClock();
  const outbox = new MailOutbox({ clock, log, baseUrl, sends: false });
  const user = await database.transaction((tx) =>
    createUser(tx, { username: 'bob', name: 'Bob', email: 'bob@example.com' }, clock.now()),
  );
  let woken = 0;
  let events = 0;
  return {
    clock,
    outbox,
    user,
    woken: () => woken,
    /** A new act unless `changes` names its event. */
    tell: (changes: Partial<Notice> = {}) =>
      database.transaction((tx) =>
        tell(
          tx,
          { clock, baseUrl, enqueue: outbox.enqueue, onWaiting: () => void woken++ },
          announced(aNotice({ eventId: ++events, userId: user.id, at: clock.now(), ...changes })),
        ),
      ),
    compose: (stillVisible: StillVisible = async (_user, notices) => notices) =>
      composeDue({
        database,
        clock,
        log,
        baseUrl,
        enqueue: outbox.enqueue,
        stillVisible,
        stop: new AbortController().signal,
      }),
    mails: () =>
      database.db
        .selectFrom('mails')
        .innerJoin('mail_contents', 'mail_contents.id', 'mails.content_id')
        .selectAll('mail_contents')
        .select(['mails.id', 'kind', 'reason', 'recipient', 'state'])
        .orderBy('mails.id')
        .execute(),
  };
}

const another = (iid: number): Partial<Notice> => {
  const { thing } = aNotice();
  return { thing: { ...thing, id: iid * 10, iid, reference: `#${iid}`, title: `Title ${iid}` } };
};

forEachDatabase((_kind, open) => {
  describe('what is told at once', () => {
    it('is a mail in the same transaction, and none the second time', async () => {
      const desk = await openDesk(await open());
      await desk.tell({ eventId: 7 });
      await desk.tell({ eventId: 7 });
      await desk.tell({ eventId: 7, kind: 'close_issue', noteId: null });
      const mails = await desk.mails();
      assert.deepEqual(
        mails.map(({ kind, reason, state, recipient }) => [kind, reason, state, recipient]),
        [
          ['new_note', 'mentioned', 'kept', 'bob@example.com'],
          ['close_issue', 'mentioned', 'kept', 'bob@example.com'],
        ],
      );
      assert.equal(desk.woken(), 0);
    });

    it('shares what it says among many', async () => {
      const database = await open();
      const desk = await openDesk(database);
      const users = await database.transaction(async (tx) => {
        const made = [];
        for (let n = 0; n < 250; n++) {
          const who = { username: `user${n}`, name: `User ${n}`, email: `user${n}@example.com` };
          made.push(await createUser(tx, who, 1));
        }
        return made;
      });
      const { notice, receivers: one } = announced(aNotice());
      const receivers = users.map(({ id, email }) => ({ ...one[0]!, userId: id, address: email }));
      const deps = { clock: desk.clock, baseUrl, enqueue: desk.outbox.enqueue, onWaiting() {} };
      await database.transaction((tx) => tell(tx, deps, { notice, receivers }));
      const mails = await desk.mails();
      assert.deepEqual(
        mails.map(({ recipient }) => recipient),
        users.map(({ email }) => email),
      );
      const contents = await database.db.selectFrom('mail_contents').select('id').execute();
      assert.equal(contents.length, 1);
    });

    it('keeps names and titles to their lines', async () => {
      const desk = await openDesk(await open());
      const evil = 'x\r\nBcc: eve@example.com\u2028\u0000';
      const { thing, project } = aNotice();
      await desk.tell({
        actor: { id: 2, username: 'ann', name: evil },
        project: { ...project!, name: evil },
        thing: { ...thing, title: evil, state: evil },
        act: { text: evil },
      });
      const [mail] = await desk.mails();
      const lines = [mail?.subject, mail?.from_name, ...Object.values(JSON.parse(mail?.headers ?? '{}'))];
      for (const line of lines) assert.doesNotMatch(String(line), /[\r\n\u2028\0]/);
    });
  });

  describe('a batch', () => {
    it('gathers what happens to one thing within a minute of the first act', async () => {
      const desk = await openDesk(await open());
      await desk.tell({ delivery: 'batched' });
      desk.clock.advance(MINUTE / 2);
      await desk.tell({
        delivery: 'batched',
        reason: 'assigned',
        kind: 'close_issue',
        act: {},
        noteId: null,
      });
      await desk.tell({ delivery: 'batched', ...another(6) });
      assert.equal(desk.woken(), 3);
      assert.equal(await desk.compose(), MINUTE / 2);
      assert.deepEqual(await desk.mails(), []);
      desk.clock.advance(MINUTE / 2);
      assert.equal(await desk.compose(), MINUTE / 2);
      const [mail, ...others] = await desk.mails();
      assert.deepEqual(others, []);
      assert.equal(mail?.subject, 'Re: App | Broken door (#5)');
      assert.equal(mail?.reason, 'assigned');
      assert.equal(mail?.from_name, 'Ann Other (@ann)');
      assert.match(mail?.text_body ?? '', /commented on issue #5:[\s\S]*\n----\n[\s\S]*closed issue #5\./);
      assert.equal(JSON.parse(mail?.headers ?? '')['X-Ingot-Event'], 'new_note, close_issue');
      desk.clock.advance(MINUTE);
      assert.equal(await desk.compose(), null);
      assert.equal((await desk.mails()).length, 2);
    });

    it('of one act is a mail like any other', async () => {
      const desk = await openDesk(await open());
      await desk.tell({ delivery: 'batched' });
      desk.clock.advance(MINUTE);
      await desk.compose();
      await desk.tell();
      const [batched, single] = await desk.mails();
      assert.equal(batched?.text_body, single?.text_body);
      assert.equal(batched?.subject, single?.subject);
      assert.equal(batched?.kind, 'new_note');
    });
  });

  describe('a digest', () => {
    it('goes by project and thing, in order, and says why each line is there', async () => {
      const desk = await openDesk(await open());
      const { project } = aNotice();
      const elsewhere = { ...project!, id: 43, name: 'Other', fullName: 'Group / Other' };
      await desk.tell({ delivery: 'hourly' });
      await desk.tell({ delivery: 'hourly', project: elsewhere, ...another(1), reason: 'watching' });
      await desk.tell({ delivery: 'hourly', kind: 'close_issue', act: {}, reason: 'author', noteId: null });
      desk.clock.advance(60 * MINUTE);
      await desk.compose();
      const [mail] = await desk.mails();
      assert.equal(mail?.subject, '2 projects | Hourly digest: 3 changes');
      assert.equal(mail?.kind, 'hourly_digest');
      assert.deepEqual((mail?.text_body ?? '').split('\n'), [
        'Group / Sub / App',
        '=================',
        '',
        'Broken door (#5)',
        'https://ingot.test/group/sub/app/-/issues/5',
        '* 11-14 22:13 UTC Ann Other commented on issue #5: Have **you** seen it? (you were mentioned)',
        '* 11-14 22:13 UTC Ann Other closed issue #5 (you are its author)',
        '',
        'Group / Other',
        '=============',
        '',
        'Title 1 (#1)',
        'https://ingot.test/group/sub/app/-/issues/5',
        '* 11-14 22:13 UTC Ann Other commented on issue #1: Have **you** seen it? (you watch the project)',
      ]);
      assert.match(mail?.html_body ?? '', /<h2>Group \/ Other<\/h2>/);
    });

    it('leaves out what its reader may not see any more, and is none when nothing is left', async () => {
      const desk = await openDesk(await open());
      await desk.tell({ delivery: 'daily' });
      await desk.tell({ delivery: 'daily', ...another(6) });
      await desk.tell({ delivery: 'hourly' });
      desk.clock.advance(24 * 60 * MINUTE);
      await desk.compose(async (_user, notices) => notices.filter(({ thing }) => thing.iid === 6));
      const mails = await desk.mails();
      assert.deepEqual(
        mails.map(({ subject }) => subject),
        ['App | Daily digest: 1 change'],
      );
      assert.doesNotMatch(mails[0]?.text_body ?? '', /Broken door/);
      assert.equal(await desk.compose(), null);
    });

    it('is several mails when it has very many lines', async () => {
      const desk = await openDesk(await open());
      for (let n = 0; n < 205; n++) await desk.tell({ delivery: 'hourly' });
      desk.clock.advance(60 * MINUTE);
      await desk.compose();
      assert.deepEqual(
        (await desk.mails()).map(({ subject }) => subject),
        ['App | Hourly digest: 200 changes', 'App | Hourly digest: 5 changes'],
      );
    });

    it('that fails is tried again later and holds up no other', async () => {
      const database = await open();
      const desk = await openDesk(database);
      const ann = await database.transaction((tx) =>
        createUser(tx, { username: 'ann', name: 'Ann', email: 'ann@example.com' }, 1),
      );
      await desk.tell({ delivery: 'hourly' });
      await desk.tell({ delivery: 'hourly', userId: ann.id });
      desk.clock.advance(60 * MINUTE);
      await desk.compose(async (user, notices) => {
        if (user === desk.user.id) throw new Error('broken');
        return notices;
      });
      assert.equal((await desk.mails()).length, 1);
      desk.clock.advance(10 * MINUTE);
      await desk.compose();
      assert.equal((await desk.mails()).length, 2);
    });

    it('goes to the address that its reader has now', async () => {
      const database = await open();
      const desk = await openDesk(database);
      await desk.tell({ delivery: 'hourly' });
      await database.db
        .updateTable('users')
        .set({ email: 'new@example.com' })
        .where('id', '=', desk.user.id)
        .execute();
      desk.clock.advance(60 * MINUTE);
      await desk.compose();
      assert.equal((await desk.mails())[0]?.recipient, 'new@example.com');
    });
  });
});
