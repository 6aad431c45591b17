import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startMailServer } from '../../../../test/support/mail-server.ts';
import { mailTo, runMailTransportContract } from '../contract/mail-transport.ts';
import { TransportDown } from '../transport.ts';
import { failureOf } from './failures.ts';
import { SmtpTransport } from './smtp-transport.ts';

/** The test server's certificate is its own. */
const SELF_SIGNED = 'tls.rejectUnauthorized=false';

runMailTransportContract({
  name: 'smtp://',
  server: { hideSTARTTLS: true },
  open: (port) => new SmtpTransport({ url: `smtp://127.0.0.1:${port}` }),
});

runMailTransportContract({
  name: 'smtps:// with a password',
  server: {
    secure: true,
    onAuth: ({ username, password }, _session, done) =>
      username === 'us@er' && password === 'p:ss' ? done(null, { user: 1 }) : done(new Error('wrong')),
  },
  open: (port) => new SmtpTransport({ url: `smtps://us%40er:p%3Ass@127.0.0.1:${port}?${SELF_SIGNED}` }),
});

describe('SMTP', () => {
  it('begins to encrypt where the server offers it, and speaks to no stranger', async () => {
    await using server = await startMailServer();
    const transport = new SmtpTransport({ url: `smtp://127.0.0.1:${server.port}` });
    await assert.rejects(transport.send(mailTo('bob@example.com')), /certificate/);
    await transport.close();
    const trusting = new SmtpTransport({ url: `smtp://127.0.0.1:${server.port}?${SELF_SIGNED}` });
    await trusting.send(mailTo('bob@example.com'));
    await trusting.close();
    assert.equal(server.mails.length, 1);
  });

  it('keeps mails of a wrong password for the right one', async () => {
    const onAuth = (_auth: unknown, _session: unknown, done: (error: Error) => void) =>
      done(new Error('wrong'));
    await using server = await startMailServer({ onAuth, hideSTARTTLS: true });
    const transport = new SmtpTransport({ url: `smtp://user:secret-word@127.0.0.1:${server.port}` });
    await assert.rejects(transport.send(mailTo('bob@example.com')), (error: Error) => {
      assert.ok(error instanceof TransportDown);
      assert.doesNotMatch(error.message, /secret-word/);
      return true;
    });
    await transport.close();
  });

  it('comes back after it has rested', async () => {
    await using server = await startMailServer({ hideSTARTTLS: true });
    const transport = new SmtpTransport({ url: `smtp://127.0.0.1:${server.port}`, idleMs: 1 });
    for (let round = 0; round < 3; round++) {
      await transport.send(mailTo('bob@example.com'));
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
    await transport.close();
    assert.equal(server.mails.length, 3);
  });
});

describe('a failure of SMTP', () => {
  const failure = (parts: object) => failureOf(Object.assign(new Error('text'), parts)).kind;

  it('is the mail’s only where the server has looked at the mail', () => {
    const cases: [object, string][] = [
      [{ code: 'EENVELOPE', command: 'RCPT TO', responseCode: 550 }, 'refused'],
      [{ code: 'EENVELOPE', command: 'RCPT TO', responseCode: 450 }, 'deferred'],
      [{ code: 'EMESSAGE', command: 'DATA', responseCode: 554 }, 'refused'],
      [{ code: 'EMESSAGE', command: 'DATA', responseCode: 452 }, 'deferred'],
      [{ code: 'EENVELOPE', command: 'MAIL FROM', responseCode: 552 }, 'refused'],
      [{ code: 'EENVELOPE', command: 'MAIL FROM', responseCode: 550 }, 'down'],
      [{ code: 'EMESSAGE', command: 'MAIL FROM' }, 'refused'],
      [{ code: 'EENVELOPE', command: 'DATA', responseCode: 421 }, 'down'],
      [{ code: 'EAUTH', command: 'AUTH PLAIN', responseCode: 535 }, 'down'],
      [{ code: 'ETIMEDOUT', command: 'CONN' }, 'down'],
      [{}, 'down'],
    ];
    for (const [parts, kind] of cases) assert.equal(failure(parts), kind, JSON.stringify(parts));
  });
});
