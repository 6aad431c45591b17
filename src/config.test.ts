import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ConfigError, readConfig } from './config.ts';

describe('the configuration of mail', () => {
  const read = (env: Record<string, string>) => readConfig([], env);

  it('is none as it comes', () => {
    const { smtpUrl, mailFrom, mailReplyTo } = read({ SMTP_URL: '', MAIL_FROM: '', MAIL_REPLY_TO: '' });
    assert.deepEqual([smtpUrl, mailFrom, mailReplyTo], [undefined, undefined, undefined]);
  });

  it('takes a server and a sender', () => {
    for (const url of [
      'smtp://127.0.0.1:1025',
      'smtps://user:p%40ss@mail.example.com?tls.rejectUnauthorized=false',
    ]) {
      assert.equal(read({ SMTP_URL: url }).smtpUrl, url);
    }
    for (const from of [
      'ingot@example.com',
      'The Forge <forge@example.com>',
      '"Forge" <forge@example.com>',
    ]) {
      assert.equal(read({ MAIL_FROM: from }).mailFrom, from);
      assert.equal(read({ MAIL_REPLY_TO: from }).mailReplyTo, from);
    }
  });

  it('refuses what is neither, without telling a password', () => {
    for (const url of ['http://x', 'smtp:', 'smtp:///x', 'mail.example.com:25', 'smtp//user:hunter2@host']) {
      assert.throws(
        () => read({ SMTP_URL: url }),
        (error: Error) => error instanceof ConfigError && !error.message.includes('hunter2'),
        url,
      );
    }
    for (const from of ['nobody', 'a@b, c@d', 'A <a@b> <c@d>', 'x\r\nBcc: y <a@b>', '<>']) {
      assert.throws(() => read({ MAIL_FROM: from }), ConfigError, from);
      assert.throws(() => read({ MAIL_REPLY_TO: from }), ConfigError, from);
    }
  });
});
