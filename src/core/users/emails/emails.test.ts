import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { dialects } from '../../../../test/support/databases.ts';
import { type Person, seedUser } from '../../../../test/support/seed.ts';
import { startService, type TestService } from '../../../../test/support/service.ts';
import { systemClock } from '../../../platform/clock.ts';

const PAGE = '/-/profile/emails/confirmation';
const DAY_MS = 24 * 3600 * 1000;

for (const kind of dialects) {
  describe(`additional addresses on ${kind}`, () => {
    let service: TestService;
    let ann: Person;
    let number = 0;
    /** How far the service's clock is ahead. */
    let ahead = 0;

    before(async () => {
      const clock = { ...systemClock, now: () => systemClock.now() + ahead };
      service = await startService({ kind, clock });
    });
    after(() => service.close());

    const newcomer = async () => {
      ann = await seedUser(service.core, `ann${number++}`);
    };
    const call = (method: string, path: string, body?: unknown, token: string = ann.token) =>
      service.api(method, path, { token, ...(body !== undefined && { body }) });
    const add = async (email: string) => {
      const reply = await call('POST', '/user/emails', { email });
      assert.equal(reply.status, 201, reply.text);
      return reply.body as { id: number; email: string; confirmed_at: string | null };
    };
    /** The link of the newest mail to the address. */
    const linkTo = async (email: string): Promise<string> => {
      await service.core.events.idle();
      const mails = await service.api('GET', '/admin/mails', { query: { kind: 'confirm_email' } });
      assert.equal(mails.status, 200, mails.text);
      const mail = (mails.body as { id: number; to: string }[]).find(({ to }) => to === email);
      assert.ok(mail, `a mail to ${email}`);
      const { body } = await service.api('GET', `/admin/mails/${mail.id}`);
      const link = /\/-\/profile\/emails\/confirmation\?\S+/.exec(body.text)?.[0];
      assert.ok(link, body.text);
      return link;
    };
    const open = (method: 'GET' | 'POST', url: string) => service.service.server.inject({ method, url });
    const confirm = async (email: string) => (await open('POST', await linkTo(email))).statusCode;
    const confirmed = async () => {
      const { body } = await call('GET', '/user/emails');
      return (body as { email: string; confirmed_at: string | null }[]).flatMap((row) =>
        row.confirmed_at === null ? [] : row.email,
      );
    };
    const choose = (email: string) => call('PUT', '/notification_settings', { notification_email: email });

    it('are confirmed by the button behind the mailed link, not by looking at it', async () => {
      await newcomer();
      const email = `second${number}@example.com`;
      const made = await add(email);
      assert.deepEqual(made, { id: made.id, email, confirmed_at: null });
      const link = await linkTo(email);
      const page = await open('GET', link);
      assert.equal(page.statusCode, 200);
      assert.match(page.payload, /<form method="post"/);
      assert.match(String(page.headers['content-security-policy']), /default-src 'none'/);
      assert.deepEqual(await confirmed(), []);
      const refused = await choose(email);
      assert.deepEqual(
        [refused.status, refused.body],
        [400, { message: { notification_email: ['must be an email you have verified'] } }],
      );
      const token = new URL(link, service.baseUrl).searchParams.get('confirmation_token')!;
      const done = await service.service.server.inject({
        method: 'POST',
        url: PAGE,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        payload: new URLSearchParams({ confirmation_token: token }).toString(),
      });
      assert.deepEqual([done.statusCode, /is confirmed/.test(done.payload)], [200, true]);
      assert.deepEqual(await confirmed(), [email]);
      assert.equal((await open('POST', link)).statusCode, 200, 'twice is once');
      const { body } = await choose(email.toUpperCase());
      assert.equal(body.notification_email, email);
    });

    it('are chosen for notifications only by their owner; the main one comes back by an empty choice', async () => {
      await newcomer();
      const email = `chosen${number}@example.com`;
      await add(email);
      assert.equal(await confirm(email), 200);
      const other = await seedUser(service.core, `other${number}`);
      const body = { notification_email: email };
      assert.equal((await call('PUT', '/notification_settings', body, other.token)).status, 400);
      assert.equal((await choose('nobody@example.com')).status, 400);
      assert.equal((await choose(`${email}\r\nBcc: x@example.com`)).status, 400);
      const read = async () => (await call('GET', '/notification_settings')).body.notification_email;
      const main = ann.user.email;
      assert.equal((await choose(email)).body.notification_email, email);
      await call('PUT', '/notification_settings', { notification_email: null, level: 'watch' });
      assert.equal(await read(), email, 'null changes nothing');
      assert.equal((await choose('')).body.notification_email, main);
      await choose(email);
      assert.equal((await choose(main)).body.notification_email, main);
      await choose(email);
      const [row] = (await call('GET', '/user/emails')).body;
      assert.equal((await call('DELETE', `/user/emails/${row.id}`)).status, 204);
      assert.equal(await read(), main, 'an address that is gone gets no mail');
    });

    it('are listed, read and removed by their owner alone', async () => {
      await newcomer();
      const [one, two] = [await add(`a${number}@example.com`), await add(`b${number}@example.com`)];
      const list = await call('GET', '/user/emails');
      assert.deepEqual(list.body, [one, two]);
      assert.equal(list.headers['x-total'], '2');
      assert.deepEqual((await call('GET', `/user/emails/${two.id}`)).body, two);
      const other = await seedUser(service.core, `stranger${number}`);
      for (const method of ['GET', 'DELETE']) {
        const reply = await call(method, `/user/emails/${one.id}`, undefined, other.token);
        assert.deepEqual([reply.status, reply.body], [404, { message: '404 Email Not Found' }]);
      }
      assert.equal((await call('DELETE', `/user/emails/${one.id}`)).status, 204);
      assert.deepEqual((await call('GET', '/user/emails')).body, [two]);
      assert.equal((await open('POST', await linkTo(one.email))).statusCode, 404);
    });

    it('are refused when they are none, or somebody else’s', async () => {
      await newcomer();
      const taken = { message: { email: ['has already been taken'] } };
      const invalid = { message: { email: ['is invalid'] } };
      const mine = `mine${number}@example.com`;
      await add(mine);
      const cases: [unknown, unknown][] = [
        [{}, { error: 'email is missing' }],
        [{ email: '' }, { message: { email: ["can't be blank"] } }],
        [{ email: 'nobody' }, invalid],
        [{ email: 'a@example.com,b@example.com' }, invalid],
        [{ email: 'a@example.com\nBcc: b@example.com' }, invalid],
        [{ email: '"a b"@example.com' }, invalid],
        [{ email: `${'x'.repeat(300)}@example.com` }, invalid],
        [{ email: mine.toUpperCase() }, taken],
        [{ email: ann.user.email }, taken],
      ];
      for (const [body, answer] of cases) {
        const reply = await service.api('POST', `/users/${ann.user.id}/emails`, { body });
        assert.deepEqual([reply.status, reply.body], [400, answer], JSON.stringify(body));
      }
    });

    it('are refused once there are very many, and slowed down before', async () => {
      await newcomer();
      const path = `/users/${ann.user.id}/emails`;
      for (let made = 0; made < 50; made++) {
        const body = { email: `many${number}.${made}@example.com`, skip_confirmation: true };
        assert.equal((await service.api('POST', path, { body })).status, 201);
      }
      const one = await service.api('POST', path, { body: { email: `more${number}@example.com` } });
      assert.match(one.body.message.email[0], /limit of 50/);
      const asked = Array.from({ length: 11 }, () => call('POST', '/user/emails', { email: 'x' }));
      assert.ok((await Promise.all(asked)).some(({ status }) => status === 429));
    });

    it('are forgotten when nobody confirms them within three days', async () => {
      await newcomer();
      const email = `late${number}@example.com`;
      const { id } = await add(email);
      const link = await linkTo(email);
      ahead += 3 * DAY_MS + 1;
      assert.equal((await open('POST', link)).statusCode, 404);
      assert.deepEqual((await call('GET', '/user/emails')).body, []);
      assert.equal((await call('GET', `/user/emails/${id}`)).status, 404);
      const owner = await seedUser(service.core, `rightful${number}`);
      const again = await call('POST', '/user/emails', { email }, owner.token);
      assert.equal(again.status, 201, 'free for the one whose it is');
    });

    it('are managed by administrators, who may vouch for them', async () => {
      await newcomer();
      const path = `/users/${ann.user.id}/emails`;
      const email = `vouched${number}@example.com`;
      const { status, body } = await service.api('POST', path, {
        body: { email, skip_confirmation: 'true' },
      });
      assert.equal(status, 201);
      assert.notEqual(body.confirmed_at, null);
      assert.deepEqual((await service.api('GET', path)).body, [body]);
      assert.equal((await choose(email)).status, 200);
      assert.equal((await call('GET', path)).status, 403);
      assert.equal((await call('POST', path, { email: 'z@example.com' })).status, 403);
      assert.equal((await service.api('DELETE', `${path}/${body.id}`)).status, 204);
      const gone = await service.api('DELETE', `${path}/${body.id}`);
      assert.deepEqual([gone.status, gone.body], [404, { message: '404 Email Not Found' }]);
      const nobody = await service.api('GET', '/users/999999/emails');
      assert.deepEqual([nobody.status, nobody.body], [404, { message: '404 User Not Found' }]);
    });

    it('cannot become another user’s main address, but one’s own', async () => {
      await newcomer();
      const [kept, pending] = [`kept${number}@example.com`, `pending${number}@example.com`];
      await add(kept);
      await confirm(kept);
      await add(pending);
      const names = { name: 'X', username: `claimant${number}`, force_random_password: true };
      const refused = await service.api('POST', '/users', { body: { ...names, email: kept } });
      assert.deepEqual([refused.status, refused.body], [409, { message: 'Email has already been taken' }]);
      const link = await linkTo(pending);
      const made = await service.api('POST', '/users', { body: { ...names, email: pending } });
      assert.equal(made.status, 201, 'what nobody has confirmed is no claim');
      assert.equal((await open('POST', link)).statusCode, 404);
      const changed = await service.api('PUT', `/users/${ann.user.id}`, { body: { email: kept } });
      assert.equal(changed.status, 200, changed.text);
      assert.deepEqual((await call('GET', '/user/emails')).body, []);
    });

    it('know a made-up link for what it is', async () => {
      for (const token of ['', 'x', 'x'.repeat(5000), '%00', '<script>']) {
        const url = `${PAGE}?confirmation_token=${token}`;
        assert.equal((await open('POST', url)).statusCode, 404, token);
        const page = await open('GET', url);
        assert.equal(page.statusCode, 200);
        assert.ok(!page.payload.includes('<script>'));
      }
    });
  });
}
