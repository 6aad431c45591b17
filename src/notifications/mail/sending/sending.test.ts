import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { forEachDatabase } from '../../../../test/support/databases.ts';
import { type MailServerOptions, startMailServer } from '../../../../test/support/mail-server.ts';
import { testClock } from '../../../../test/support/test-events.ts';
import { createUser } from '../../../core/users/create.ts';
import type { Database } from '../../../platform/db/database.ts';
import { createLog } from '../../../platform/log.ts';
import { Metrics } from '../../../platform/metrics.ts';
import { UnsubscribeLinks } from '../../unsubscribe/links.ts';
import { MailOutbox } from '../outbox.ts';
import { SmtpTransport } from '../smtp/smtp-transport.ts';
import type { MailsTable } from '../tables.ts';
import { openSending } from './open-sending.ts';

const log = createLog('silent');
const baseUrl = () => 'https://ingot.test';
const links = async () => new UnsubscribeLinks('secret');
const from = () => ({ name: 'Ingot', address: 'ingot@ingot.test' });

interface Post {
  outbox: MailOutbox;
  clock: ReturnType<typeof testClock>;
  write(address: string, subject: string): Promise<number>;
  /** Resolves when mail `id` is in the state. */
  until(id: number, state: MailsTable['state']): Promise<{ attempts: number; answer: string | null }>;
  wake(): void;
}

async function withPost(
  database: Database,
  options: MailServerOptions,
  work: (post: Post, server: Awaited<ReturnType<typeof startMailServer>>) => Promise<void>,
  { queuedBefore = async () => {} }: { queuedBefore?: (post: Post) => Promise<void> } = {},
): Promise<void> {
  await using server = await startMailServer({ hideSTARTTLS: true, ...options });
  const clock = testClock();
  const outbox = new MailOutbox({ clock, log, baseUrl, sends: true });
  const transport = new SmtpTransport({ url: `smtp://127.0.0.1:${server.port}` });
  const sending = openSending({
    database,
    clock,
    log,
    metrics: new Metrics(),
    transport,
    compose: { from, replyTo: from, baseUrl, links },
    pollMs: 20,
  });
  outbox.onQueued = sending.wake;
  const user = await database.transaction((tx) =>
    createUser(tx, { username: 'bob', name: 'Bob', email: 'bob@example.com' }, clock.now()),
  );
  const post: Post = {
    outbox,
    clock,
    wake: sending.wake,
    async write(address, subject) {
      const content = { kind: 'new_note', subject, text: subject };
      const [id] = await database.transaction((tx) =>
        outbox.enqueue(tx, content, [{ userId: user.id, address, reason: 'mentioned' }]),
      );
      return id!;
    },
    async until(id, state) {
      for (;;) {
        const row = await database.db.selectFrom('mails').selectAll().where('id', '=', id).executeTakeFirst();
        if (row?.state === state) return row;
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    },
  };
  await queuedBefore(post);
  sending.start();
  try {
    await work(post, server);
  } finally {
    await sending.close();
  }
}

const MINUTE = 60_000;

forEachDatabase((_kind, open) => {
  describe('mail', () => {
    it('goes out after the commit, to nobody when it is rolled back', async () => {
      const database = await open();
      await withPost(database, {}, async ({ write, until, outbox }, server) => {
        const rolledBack = database.transaction(async (tx) => {
          await outbox.enqueue(tx, { kind: 'x', subject: 'never', text: 'x' }, [
            { userId: 1, address: 'bob@example.com' },
          ]);
          throw new Error('changed my mind');
        });
        await assert.rejects(rolledBack);
        const { attempts, answer } = await until(await write('bob@example.com', 'first'), 'sent');
        assert.equal(attempts, 1);
        assert.match(answer ?? '', /^250/);
        assert.deepEqual(
          server.mails.map(({ subject }) => subject),
          ['first'],
        );
      });
    });

    it('reaches each address in order, many addresses side by side', async () => {
      const database = await open();
      const people = ['ann', 'bob', 'cid'].map((name) => `${name}@example.com`);
      await withPost(database, {}, async ({ write }, server) => {
        for (let n = 0; n < 12; n++) for (const person of people) await write(person, String(n));
        await server.until(36);
        for (const person of people) {
          const got = server.mails.filter(({ to }) => to === person).map(({ subject }) => Number(subject));
          assert.deepEqual(
            got,
            Array.from({ length: 12 }, (_, n) => n),
          );
        }
      });
    });

    it('does not go to who was blocked while it waited', async () => {
      const database = await open();
      const setState = (state: string) =>
        database.db.updateTable('users').set({ state }).where('username', '=', 'bob').execute();
      let id = 0;
      const queuedBefore = async ({ write }: Post) => {
        id = await write('bob@example.com', 'too late');
        await setState('blocked');
      };
      const work = async ({ write, until }: Post, server: { mails: { subject: string }[] }) => {
        const { answer } = await until(id, 'failed');
        assert.equal(answer, 'its reader was blocked meanwhile');
        await setState('active');
        await until(await write('bob@example.com', 'in time'), 'sent');
        assert.deepEqual(
          server.mails.map(({ subject }) => subject),
          ['in time'],
        );
      };
      await withPost(database, {}, work, { queuedBefore });
    });

    it('is tried again later, and what comes after it to the same address waits for it', async () => {
      const database = await open();
      let refusals = 2;
      const answerTo = (address: string) =>
        address === 'bob@example.com' && refusals-- > 0
          ? { code: 451, text: 'greylisted' }
          : ('take' as const);
      await withPost(database, { answerTo }, async ({ write, until, clock, wake }, server) => {
        const first = await write('bob@example.com', 'first');
        await until(first, 'queued');
        const second = await write('bob@example.com', 'second');
        await until(await write('ann@example.com', 'other'), 'sent');
        const later = setInterval(() => {
          clock.advance(10 * MINUTE);
          wake();
        }, 20);
        await until(second, 'sent').finally(() => clearInterval(later));
        assert.equal((await until(first, 'sent')).attempts, 3);
        assert.deepEqual(
          server.mails.map(({ subject }) => subject),
          ['other', 'first', 'second'],
        );
      });
    });

    it('is given up when it is refused for good, with the reason, and holds up nothing', async () => {
      const database = await open();
      const answerTo = (address: string) =>
        address === 'gone@example.com' ? { code: 550, text: 'no such user' } : ('take' as const);
      await withPost(database, { answerTo }, async ({ write, until }) => {
        const first = await write('gone@example.com', 'first');
        const { attempts, answer } = await until(first, 'failed');
        assert.equal(attempts, 1);
        assert.match(answer ?? '', /550.*no such user/);
        await until(await write('bob@example.com', 'other'), 'sent');
      });
    });

    it('waits while the server is away, and all of it comes when it is back', async () => {
      const database = await open();
      let away = true;
      const answer = () => (away ? ('drop' as const) : ('take' as const));
      await withPost(database, { answer }, async ({ write, clock, wake }, server) => {
        for (let n = 0; n < 30; n++) await write(`user${n}@example.com`, String(n));
        await new Promise((resolve) => setTimeout(resolve, 150));
        assert.equal(server.mails.length, 0);
        away = false;
        const timer = setInterval(() => {
          clock.advance(MINUTE);
          wake();
        }, 20);
        await server.until(30);
        clearInterval(timer);
        assert.equal(new Set(server.mails.map(({ to }) => to)).size, 30);
      });
    });

    it('that a killed process had in hand goes out again', async () => {
      const database = await open();
      let lost = 0;
      await withPost(
        database,
        {},
        async ({ until }) => {
          const { attempts } = await until(lost, 'sent');
          assert.equal(attempts, 2);
        },
        {
          async queuedBefore({ write }) {
            lost = await write('bob@example.com', 'lost');
            await database.db
              .updateTable('mails')
              .set({ state: 'sending', owner: 12_345, attempts: 1 })
              .execute();
          },
        },
      );
    });

    it('to an address that is none is given up at once', async () => {
      const database = await open();
      await withPost(database, {}, async ({ write, until }, server) => {
        for (const address of [
          'a@b\r\nRCPT TO:<eve@example.com>',
          'a@b, eve@example.com',
          'nobody',
          '"<x>"@y',
        ]) {
          const { answer } = await until(await write(address, 'x'), 'failed');
          assert.match(answer ?? '', /address/);
        }
        await until(await write('bob@example.com', 'y'), 'sent');
        assert.equal(server.mails.length, 1);
      });
    });

    it('waits in many to one address without keeping others waiting', async () => {
      const database = await open();
      const answerTo = (address: string) =>
        address === 'slow@example.com' ? { code: 451, text: 'later' } : ('take' as const);
      await withPost(database, { answerTo }, async ({ write, until }) => {
        for (let n = 0; n < 150; n++) await write('slow@example.com', String(n));
        await until(await write('bob@example.com', 'x'), 'sent');
      });
    });
  });
});
