import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { dialects } from '../../../test/support/databases.ts';
import { type MailServer, startMailServer } from '../../../test/support/mail-server.ts';
import { seedPerson } from '../../../test/support/seed.ts';
import { startService, type TestService } from '../../../test/support/service.ts';
import { MailOutbox } from './outbox.ts';

for (const kind of dialects) {
  describe(`GET /admin/mails without a mail server, on ${kind}`, () => {
    let bench: TestService;
    let bob: { id: number; token: string };

    before(async () => {
      bench = await startService({ kind, url: 'https://ingot.test' });
      bob = await seedPerson(bench.core, 'bob');
      const { core } = bench;
      const outbox = new MailOutbox({ ...core, sends: false });
      await core.database.transaction(async (tx) => {
        for (let n = 0; n < 25; n++) {
          const content = {
            kind: n % 5 === 0 ? 'new_issue' : 'new_note',
            subject: `Subject ${n}`,
            text: 'Hello',
          };
          const thing = { type: 'Issue' as const, id: 5 };
          const receivers = [{ userId: bob.id, address: 'bob@example.com', reason: 'assigned' as const }];
          await outbox.enqueue(tx, { ...content, thing, projectId: 7 }, receivers);
        }
        await outbox.enqueue(tx, { kind: 'other', subject: 'To root', text: 'x' }, [
          { userId: 1, address: 'root@example.com' },
        ]);
      });
    });
    after(() => bench.close());

    it('lists the newest first, in pages', async () => {
      const first = await bench.api('GET', '/admin/mails', { query: { per_page: 20 } });
      assert.equal(first.body.length, 20);
      assert.equal(first.body[0].subject, 'To root');
      assert.equal(first.headers['x-next-page'], '2');
      const { created_at, settled_at, id, ...mail } = first.body[1];
      assert.ok(created_at === settled_at && id > 0);
      assert.deepEqual(mail, {
        state: 'kept',
        kind: 'new_note',
        reason: 'assigned',
        user_id: bob.id,
        to: 'bob@example.com',
        subject: 'Subject 24',
        project_id: 7,
        attempts: 0,
        next_attempt_at: null,
        answer: null,
      });
      const second = await bench.api('GET', '/admin/mails', { query: { per_page: 20, page: 2 } });
      assert.equal(second.body.length, 6);
      assert.equal(second.headers['x-next-page'], '');
    });

    it('is filtered', async () => {
      const count = async (query: Record<string, unknown>) =>
        (await bench.api('GET', '/admin/mails', { query: { per_page: 100, ...query } })).body.length;
      assert.equal(await count({ kind: 'new_issue' }), 5);
      assert.equal(await count({ state: 'kept' }), 26);
      assert.equal(await count({ state: 'sent' }), 0);
      assert.equal(await count({ user_id: bob.id, kind: 'new_note' }), 20);
      assert.equal(await count({ created_after: '2020-01-01T00:00:00Z' }), 26);
      assert.equal(await count({ created_before: '2020-01-01T00:00:00Z' }), 0);
    });

    it('shows one as it would be sent', async () => {
      const [{ id }] = (await bench.api('GET', '/admin/mails?kind=new_note&per_page=1')).body;
      const { body } = await bench.api('GET', `/admin/mails/${id}`);
      assert.equal(body.from, 'Ingot <ingot@ingot.test>');
      assert.equal(body.reply_to, 'Ingot <noreply@ingot.test>');
      assert.match(body.message_id, /^<[^<>\s]+@ingot\.test>$/);
      assert.match(
        body.text,
        /^Hello\n\n-- \nYou're receiving this email because you have been assigned an item/,
      );
      assert.match(body.html, /<p>Hello<\/p>/);
      assert.equal(body.headers['X-GitLab-NotificationReason'], 'assigned');
      assert.match(body.headers['List-Unsubscribe'], /^<https:\/\/ingot\.test\/-\/sent_notifications\//);
    });

    it('is for administrators, and refuses what is none of its values', async () => {
      assert.equal((await bench.api('GET', '/admin/mails', { token: bob.token })).status, 403);
      assert.equal((await bench.api('GET', '/admin/mails/1', { token: bob.token })).status, 403);
      assert.equal((await bench.api('GET', '/admin/mails', { token: null })).status, 401);
      assert.deepEqual((await bench.api('GET', '/admin/mails?state=lost')).body, {
        error: 'state does not have a valid value',
      });
      assert.equal((await bench.api('GET', '/admin/mails/99999')).status, 404);
      assert.equal((await bench.api('GET', '/admin/mails/99999999999999999999')).status, 400);
    });

    it('sends nothing again without a server', async () => {
      const refused = await bench.api('POST', '/admin/mails/1/retry');
      assert.deepEqual([refused.status, refused.body], [400, { message: 'no mail server is set' }]);
    });
  });

  describe(`mail of a whole service, on ${kind}`, () => {
    let server: MailServer;
    let bench: TestService;
    let refuse = false;

    before(async () => {
      const answer = () => (refuse ? { code: 554, text: 'no' } : ('take' as const));
      server = await startMailServer({ hideSTARTTLS: true, answer });
      const smtpUrl = `smtp://127.0.0.1:${server.port}`;
      bench = await startService({ kind, smtpUrl, mailFrom: 'The Forge <forge@example.com>' });
    });
    after(async () => {
      await bench.close();
      await server.close();
    });

    const write = async (subject: string) => {
      const outbox = new MailOutbox({ ...bench.core, sends: true });
      const [id] = await bench.core.database.transaction((tx) =>
        outbox.enqueue(tx, { kind: 'x', subject, text: 'x' }, [{ userId: 1, address: 'root@example.com' }]),
      );
      return id!;
    };
    const until = async (id: number, state: string) => {
      for (;;) {
        const { body } = await bench.api('GET', `/admin/mails/${id}`);
        if (body.state === state) return body;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };

    it('goes out, also what another process has written', async () => {
      const { answer } = await until(await write('first'), 'sent');
      assert.match(answer, /^250/);
      assert.equal(server.mails[0]?.headers['from'], 'The Forge <forge@example.com>');
    });

    it('that was refused is sent again when an administrator says so, and not twice', async () => {
      refuse = true;
      const id = await write('second');
      assert.match((await until(id, 'failed')).answer, /554/);
      refuse = false;
      assert.equal((await bench.api('POST', `/admin/mails/${id}/retry`)).status, 202);
      await until(id, 'sent');
      const again = await bench.api('POST', `/admin/mails/${id}/retry`);
      assert.equal(again.status, 400);
      assert.equal((await bench.api('POST', '/admin/mails/99999/retry')).status, 404);
    });

    it('is counted', async () => {
      const metrics = await (await fetch(`${bench.baseUrl}/-/metrics`)).text();
      assert.match(metrics, /^ingot_mails_total\{result="sent"\} 2$/m);
      assert.match(metrics, /^ingot_mails_total\{result="failed"\} 1$/m);
      assert.match(metrics, /^ingot_mail_queue_depth 0$/m);
    });
  });
}
