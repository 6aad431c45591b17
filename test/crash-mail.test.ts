import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createUser } from '../src/core/users/create.ts';
import { MailOutbox } from '../src/notifications/mail/outbox.ts';
import { systemClock } from '../src/platform/clock.ts';
import { createLog } from '../src/platform/log.ts';
import { forEachDatabase, type TestDatabase } from './support/databases.ts';
import { type Answer, type ReceivedMail, startMailServer } from './support/mail-server.ts';

const script = fileURLToPath(new URL('support/mail-child.ts', import.meta.url));

const MAILS = 1000;
const ADDRESSES = 100;
const KILLS = 4;

/** Subjects are numbers in the order in which they were written. */
async function writeMails(test: TestDatabase): Promise<void> {
  const database = await test.open();
  const outbox = new MailOutbox({
    clock: systemClock,
    log: createLog('silent'),
    baseUrl: () => 'https://ingot.test',
    sends: true,
  });
  await database.transaction(async (tx) => {
    const user = await createUser(tx, { username: 'bob', name: 'Bob', email: 'bob@example.com' }, 1);
    for (let n = 0; n < MAILS; n++) {
      const address = `user${n % ADDRESSES}@example.com`;
      await outbox.enqueue(tx, { kind: 'new_note', subject: String(n), text: 'x' }, [
        { userId: user.id, address },
      ]);
    }
  });
  await database.close();
}

/** Subjects of the mails that the killed process had marked as being sent: of these alone nobody knows. */
async function underWay(test: TestDatabase): Promise<string[]> {
  const database = await test.open();
  const rows = await database.db
    .selectFrom('mails')
    .innerJoin('mail_contents', 'mail_contents.id', 'mails.content_id')
    .select('subject')
    .where('state', '=', 'sending')
    .execute();
  await database.close();
  return rows.map(({ subject }) => subject);
}

/** Fails in every way that a server can, a third of the time. */
function unreliable(lost: string[]): (mail: ReceivedMail) => Answer {
  return ({ subject }) => {
    const chance = Math.random();
    if (chance < 0.15) return { code: 451, text: 'later' };
    if (chance < 0.2) return 'drop';
    if (chance >= 0.25) return 'take';
    lost.push(subject);
    return 'lose';
  };
}

function startSender(test: TestDatabase, port: number): ChildProcess {
  const args = [script, String(port), test.dir, ...(test.url ? [test.url] : [])];
  return spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
}

async function kill(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

async function allSent(test: TestDatabase): Promise<void> {
  // SQLite belongs to the child as long as it lives: what has arrived says enough there.
  if (test.url === undefined) return;
  const database = await test.open();
  for (;;) {
    const left = await database.db.selectFrom('mails').select('id').where('settled_at', 'is', null).execute();
    if (left.length === 0) return database.close();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const tally = (subjects: readonly string[]): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const subject of subjects) counts.set(subject, (counts.get(subject) ?? 0) + 1);
  return counts;
};

forEachDatabase((_kind, _open, create) => {
  it('a killed process loses no mail, and sends one twice only where the server’s answer was lost', async () => {
    const test = await create();
    await writeMails(test);
    const unanswered: string[] = [];
    await using server = await startMailServer({ hideSTARTTLS: true, answer: unreliable(unanswered) });
    for (let round = 1; round <= KILLS; round++) {
      const child = startSender(test, server.port);
      await server.until(server.mails.length + MAILS / (KILLS + 2));
      await kill(child);
      unanswered.push(...(await underWay(test)));
    }
    const child = startSender(test, server.port);
    while (new Set(server.mails.map(({ subject }) => subject)).size < MAILS) {
      await server.until(server.mails.length + 1);
    }
    await allSent(test);
    await kill(child);

    const excused = tally(unanswered);
    for (const [subject, count] of tally(server.mails.map(({ subject }) => subject))) {
      assert.ok(count <= 1 + (excused.get(subject) ?? 0), `mail ${subject} came ${count} times`);
    }
    for (let address = 0; address < ADDRESSES; address++) {
      const to = `user${address}@example.com`;
      const first = new Set(
        server.mails.filter((mail) => mail.to === to).map(({ subject }) => Number(subject)),
      );
      assert.deepEqual(
        [...first],
        [...first].sort((a, b) => a - b),
      );
    }
    assert.ok(new Set(server.mails.map(({ headers }) => headers['message-id'])).size === MAILS);
  });
});
