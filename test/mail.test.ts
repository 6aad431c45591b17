import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type MailServer, type ReceivedMail, startMailServer } from './support/mail-server.ts';
import { seedPerson } from './support/seed.ts';
import { startService, type TestService } from './support/service.ts';
import { testClock } from './support/test-events.ts';

const HOST = 'forge.test';

describe('mail of a whole service', () => {
  const clock = testClock();
  let server: MailServer;
  let bench: TestService;
  let ann: { id: number; token: string };
  let bob: { id: number; token: string };
  let project: { id: number; path_with_namespace: string };

  before(async () => {
    server = await startMailServer({ hideSTARTTLS: true });
    const smtpUrl = `smtp://127.0.0.1:${server.port}`;
    bench = await startService({ smtpUrl, mailFrom: 'forge@example.com', url: `https://${HOST}`, clock });
    [ann, bob] = [await seedPerson(bench.core, 'ann'), await seedPerson(bench.core, 'bob')];
    project = (await bench.api('POST', '/projects', { token: ann.token, body: { name: 'Door Söhne' } })).body;
    const member = { user_id: bob.id, access_level: 30 };
    await bench.api('POST', `/projects/${project.id}/members`, { token: ann.token, body: member });
  });
  after(async () => {
    await bench.close();
    await server.close();
  });

  const as = async (person: { token: string }, method: string, path: string, body?: object) => {
    const reply = await bench.api(method, `/projects/${project.id}${path}`, { token: person.token, body });
    assert.ok(reply.status < 300, `${method} ${path}: ${reply.status} ${reply.text}`);
    return reply;
  };

  /** What came since the last time; the last of it has this subject. */
  let seen = 0;
  async function mailsUntil(subject: string): Promise<ReceivedMail[]> {
    for (;;) {
      await server.until(seen + 1);
      const fresh = server.mails.slice(seen);
      if (fresh.some((mail) => mail.subject === subject)) {
        seen = server.mails.length;
        return fresh;
      }
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  /** Opens the link of a mail as a browser does, without a token. */
  const follow = (method: 'GET' | 'POST', link: string) =>
    bench.service.server.inject({ method, url: link.replace(`https://${HOST}`, '') });

  const linkIn = (mail: ReceivedMail): string =>
    /<(.+)>/.exec(mail.headers['list-unsubscribe'] ?? '')?.[1] ?? '';

  it('tells of an issue and of its comments in one thread', async () => {
    const title = 'Broken "door" <b>\u2028of</b> Grüße';
    await as(ann, 'POST', '/issues', { title, description: 'It *squeaks*.', assignee_ids: [bob.id] });
    const [mail] = await mailsUntil('Door Söhne | Broken "door" <b> of</b> Grüße (#1)');
    assert.equal(mail?.to, 'bob@example.com');
    assert.equal(mail?.headers['from'], '"ANN (@ann)" <forge@example.com>');
    assert.equal(mail?.headers['x-gitlab-notificationreason'], 'assigned');
    assert.match(mail?.html ?? '', /It <em>squeaks<\/em>\./);
    assert.match(mail?.html ?? '', /&lt;b&gt;/);

    await as(bob, 'POST', '/issues/1/notes', { body: 'Mine, thanks @ann' });
    const [answer] = await mailsUntil('Re: Door Söhne | Broken "door" <b> of</b> Grüße (#1)');
    assert.equal(answer?.to, 'ann@example.com');
    assert.equal(answer?.headers['in-reply-to'], mail?.headers['message-id']);
    assert.equal(answer?.headers['x-gitlab-notificationreason'], 'mentioned');
    assert.equal(answer?.headers['x-ingot-event'], 'new_note');
    assert.equal(answer?.headers['x-gitlab-project-path'], project.path_with_namespace);
    assert.equal(answer?.headers['auto-submitted'], 'auto-generated');
  });

  it('is left by its link, without logging in, and not by looking at it', async () => {
    await as(ann, 'POST', '/issues', { title: 'Window', assignee_ids: [bob.id] });
    const [mail] = await mailsUntil('Door Söhne | Window (#2)');
    const link = linkIn(mail!);
    assert.equal(mail?.headers['list-unsubscribe-post'], 'List-Unsubscribe=One-Click');
    assert.match(
      mail?.text ?? '',
      new RegExp(`Unsubscribe from this thread: ${link.replace(/[.?]/g, '\\$&')}`),
    );
    assert.equal((await follow('GET', link)).statusCode, 200);
    await as(ann, 'POST', '/issues/2/notes', { body: 'still told' });
    await mailsUntil('Re: Door Söhne | Window (#2)');
    assert.equal((await follow('POST', link)).statusCode, 200);
    assert.equal((await as(bob, 'GET', '/issues/2')).body.subscribed, false);
    await as(ann, 'POST', '/issues/2/notes', { body: 'not told' });
    await as(ann, 'POST', '/issues', { title: 'Next', assignee_ids: [bob.id] });
    const rest = await mailsUntil('Door Söhne | Next (#3)');
    assert.deepEqual(
      rest.map(({ subject }) => subject),
      ['Door Söhne | Next (#3)'],
    );
  });

  it('is left by its link too when the thing is gone', async () => {
    await as(ann, 'POST', '/issues', { title: 'Gone', assignee_ids: [bob.id] });
    const [mail] = await mailsUntil('Door Söhne | Gone (#4)');
    assert.equal((await as(ann, 'DELETE', '/issues/4')).status, 204);
    assert.equal((await follow('POST', linkIn(mail!))).statusCode, 200);
  });

  it('comes as a digest where its reader has chosen that, of what he may still see', async () => {
    const choose = (delivery: string) =>
      bench.api('PUT', '/notification_settings', { token: bob.token, body: { delivery } });
    const hidden = (await bench.api('POST', '/projects', { token: ann.token, body: { name: 'Hidden' } }))
      .body;
    const member = { user_id: bob.id, access_level: 30 };
    await bench.api('POST', `/projects/${hidden.id}/members`, { token: ann.token, body: member });
    const issue = { title: 'Secret', assignee_ids: [bob.id] };

    assert.equal((await choose('hourly')).status, 200);
    await as(ann, 'POST', '/issues', { title: 'Roof', assignee_ids: [bob.id] });
    await as(ann, 'POST', '/issues/5/notes', { body: 'It leaks' });
    await bench.api('POST', `/projects/${hidden.id}/issues`, { token: ann.token, body: issue });
    await bench.core.events.idle();
    const left = await bench.api('DELETE', `/projects/${hidden.id}/members/${bob.id}`, { token: ann.token });
    assert.equal(left.status, 204);
    assert.equal(server.mails.length, seen);

    clock.advance(3_600_000);
    const [digest, ...others] = await mailsUntil('Door Söhne | Hourly digest: 2 changes');
    assert.deepEqual(others, []);
    assert.match(
      digest?.text ?? '',
      /Roof \(#5\)\n.*\n\* .* ANN created issue #5 \(assigned to you\)\n\* .*It leaks/,
    );
    assert.doesNotMatch(`${digest?.text}${digest?.html}`, /Secret|Hidden/);

    assert.equal((await follow('POST', linkIn(digest!))).statusCode, 200);
    assert.equal((await as(bob, 'GET', '/issues/5')).body.subscribed, false);
    await choose('immediate');
  });
});
