import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type MailServer,
  type MailServerOptions,
  startMailServer,
} from '../../../../test/support/mail-server.ts';
import {
  MailDeferred,
  MailRefused,
  type MailTransport,
  type OutgoingMail,
  TransportDown,
} from '../transport.ts';

export interface TransportUnderTest {
  name: string;
  /** What the server needs for it. */
  server?: Pick<MailServerOptions, 'secure' | 'onAuth' | 'hideSTARTTLS'>;
  open(port: number): MailTransport;
}

export function mailTo(to: string, changes: Partial<OutgoingMail> = {}): OutgoingMail {
  return {
    messageId: '<note_1@ingot.test>',
    from: { name: 'Ann (@ann)', address: 'ingot@ingot.test' },
    replyTo: { name: 'Ingot', address: 'noreply@ingot.test' },
    to,
    subject: 'Re: Project | Title (#5)',
    text: 'Hello\n',
    html: '<p>Hello</p>\n',
    headers: { 'X-GitLab-Project': 'Project' },
    date: 1_700_000_000_000,
    ...changes,
  };
}

/** What every transport must do; one line for each adapter. */
export function runMailTransportContract(subject: TransportUnderTest): void {
  const withServer = async (
    options: MailServerOptions,
    work: (transport: MailTransport, server: MailServer) => Promise<void>,
  ) => {
    await using server = await startMailServer({ ...subject.server, ...options });
    const transport = subject.open(server.port);
    try {
      await work(transport, server);
    } finally {
      await transport.close();
    }
  };

  describe(`the mail transport ${subject.name}`, () => {
    it('hands over a mail as it is, with both parts, and says what the server said', () =>
      withServer({}, async (transport, server) => {
        const answer = await transport.send(mailTo('bob@example.com'));
        assert.match(answer, /^250/);
        const [mail] = server.mails;
        assert.equal(mail?.from, 'ingot@ingot.test');
        assert.equal(mail?.to, 'bob@example.com');
        assert.equal(mail?.subject, 'Re: Project | Title (#5)');
        assert.equal(mail?.text, 'Hello\n');
        assert.equal(mail?.html.trim(), '<p>Hello</p>');
        assert.equal(mail?.headers['message-id'], '<note_1@ingot.test>');
        assert.match(mail?.raw ?? '', /^X-GitLab-Project: Project\r$/m);
        assert.equal(mail?.headers['from'], '"Ann (@ann)" <ingot@ingot.test>');
        assert.equal(mail?.headers['reply-to'], 'Ingot <noreply@ingot.test>');
        assert.equal(new Date(mail?.headers['date'] ?? '').getTime(), 1_700_000_000_000);
      }));

    it('hands over any letters, and lines that look like the end of a mail', () =>
      withServer({}, async (transport, server) => {
        const text = 'Grüße, 世界 🎉\n.\n..\nQUIT\n';
        const subjectLine = 'Grüße: 世界 🎉';
        const from = { name: 'Zoë "the" <x>', address: 'ingot@ingot.test' };
        await transport.send(mailTo('bob@example.com', { text, subject: subjectLine, from }));
        const [mail] = server.mails;
        assert.equal(mail?.text, text);
        assert.equal(mail?.subject, subjectLine);
        assert.equal(mail?.from, 'ingot@ingot.test');
      }));

    it('adds no header and no receiver for what hides a line break', () =>
      withServer({}, async (transport, server) => {
        const hidden = 'x\r\nBcc: eve@example.com\r\n\r\nbody';
        await transport.send(
          mailTo('bob@example.com', {
            subject: hidden,
            from: { name: hidden, address: 'ingot@ingot.test' },
            headers: { 'X-GitLab-Project': hidden },
          }),
        );
        const [mail] = server.mails;
        assert.equal(mail?.to, 'bob@example.com');
        assert.equal(mail?.headers['bcc'], undefined);
        assert.equal(mail?.text, 'Hello\n');
      }));

    it('says that a mail is refused for good', () =>
      withServer({ answerTo: () => ({ code: 550, text: 'no such user' }) }, async (transport) => {
        await assert.rejects(transport.send(mailTo('bob@example.com')), (error: Error) => {
          assert.ok(error instanceof MailRefused);
          assert.match(error.message, /^550 .*no such user/);
          return true;
        });
      }));

    it('says so too when the text is refused, and goes on with others', () => {
      const answer = (mail: { to: string }) =>
        mail.to === 'bob@example.com' ? { code: 554, text: 'spam' } : ('take' as const);
      return withServer({ answer }, async (transport, server) => {
        await assert.rejects(transport.send(mailTo('bob@example.com')), MailRefused);
        await transport.send(mailTo('cid@example.com'));
        assert.equal(server.mails.length, 1);
      });
    });

    it('says that a mail is not taken now', () =>
      withServer({ answerTo: () => ({ code: 451, text: 'later' }) }, async (transport) => {
        await assert.rejects(transport.send(mailTo('bob@example.com')), MailDeferred);
      }));

    it('blames the server, not the mail, when nobody may send', () =>
      withServer({ answerFrom: () => ({ code: 530, text: 'log in first' }) }, async (transport) => {
        await assert.rejects(transport.send(mailTo('bob@example.com')), TransportDown);
      }));

    it('says that the connection broke, whatever became of the mail', () => {
      let lost = 0;
      const answer = () => (lost++ === 0 ? ('lose' as const) : ('take' as const));
      return withServer({ answer }, async (transport, server) => {
        await assert.rejects(transport.send(mailTo('bob@example.com')), TransportDown);
        await transport.send(mailTo('bob@example.com'));
        assert.equal(server.mails.length, 2);
      });
    });

    it('says that there is no server', async () => {
      const server = await startMailServer();
      await server.close();
      const transport = subject.open(server.port);
      await assert.rejects(transport.send(mailTo('bob@example.com')), TransportDown);
      await transport.close();
    });

    it('takes many at once', () =>
      withServer({}, async (transport, server) => {
        const people = Array.from({ length: 30 }, (_, n) => `user${n}@example.com`);
        await Promise.all(people.map((address) => transport.send(mailTo(address))));
        assert.deepEqual(new Set(server.mails.map(({ to }) => to)), new Set(people));
      }));

    it('gives up what is under way when it is closed', () => {
      const never = Promise.withResolvers<void>();
      const answer = () => {
        never.resolve();
        return 'hang' as const;
      };
      return withServer({ answer }, async (transport) => {
        const sent = transport.send(mailTo('bob@example.com'));
        const refused = assert.rejects(sent, TransportDown);
        await never.promise;
        await transport.close();
        await refused;
        await assert.rejects(transport.send(mailTo('bob@example.com')), TransportDown);
      });
    });
  });
}
