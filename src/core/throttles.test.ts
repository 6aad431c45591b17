import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { dialects } from '../../test/support/databases.ts';
import { seedUser } from '../../test/support/seed.ts';
import { type Reply, startService, type TestService } from '../../test/support/service.ts';

const AUTHENTICATED = 'throttle_authenticated_api';
const UNAUTHENTICATED = 'throttle_unauthenticated_api';

for (const kind of dialects) {
  describe(`throttles on ${kind}`, () => {
    let service: TestService;
    let ada: string;
    let bob: string;
    let now = Date.parse('2026-03-01T10:00:00Z');

    before(async () => {
      service = await startService({ kind, clock: { now: () => now } });
      ada = (await seedUser(service.core, 'ada')).token;
      bob = (await seedUser(service.core, 'bob')).token;
    });
    after(() => service.close());

    const set = async (changes: Record<string, unknown>) => {
      const reply = await service.api('PUT', '/application/settings', { body: changes });
      assert.equal(reply.status, 200, reply.text);
    };
    const user = (token: string | null) => service.api('GET', '/user', { token });
    const statuses = async (count: number, call: () => Promise<Reply>) => {
      const seen: number[] = [];
      for (let n = 0; n < count; n++) seen.push((await call()).status);
      return seen;
    };

    it('are off as they come, with GitLab’s quotas', async () => {
      const { body } = await service.api('GET', '/application/settings');
      assert.equal(body[`${AUTHENTICATED}_enabled`], false);
      assert.equal(body[`${AUTHENTICATED}_requests_per_period`], 7200);
      assert.equal(body[`${UNAUTHENTICATED}_requests_per_period`], 3600);
      await set({ [`${AUTHENTICATED}_requests_per_period`]: 1, [`${AUTHENTICATED}_period_in_seconds`]: 60 });
      assert.deepEqual(await statuses(3, () => user(ada)), [200, 200, 200]);
    });

    it('answer as GitLab does beyond the quota, each user by himself, until the period is over', async () => {
      await set({
        [`${AUTHENTICATED}_enabled`]: true,
        [`${AUTHENTICATED}_requests_per_period`]: 20,
        [`${AUTHENTICATED}_period_in_seconds`]: 30,
      });
      now += 3000;
      assert.deepEqual(new Set(await statuses(20, () => user(ada))), new Set([200]));
      const { status, text, headers } = await user(ada);
      assert.deepEqual([status, text], [429, 'Retry later\n']);
      assert.match(headers['content-type'] ?? '', /^text\/plain/);
      assert.equal(headers['ratelimit-name'], AUTHENTICATED);
      assert.equal(headers['ratelimit-limit'], '40');
      assert.equal(headers['ratelimit-observed'], '21');
      assert.equal(headers['ratelimit-remaining'], '0');
      assert.equal(headers['ratelimit-reset'], String(Date.parse('2026-03-01T10:00:30Z') / 1000));
      assert.equal(headers['ratelimit-resettime'], 'Sun, 01 Mar 2026 10:00:30 GMT');
      assert.equal(headers['retry-after'], '27');
      assert.equal((await user(bob)).status, 200);
      now += 27_000;
      assert.equal((await user(ada)).status, 200);
      await set({ [`${AUTHENTICATED}_enabled`]: false });
    });

    it('count calls of nobody known by their address, and let users through', async () => {
      await set({
        [`${UNAUTHENTICATED}_enabled`]: true,
        [`${UNAUTHENTICATED}_requests_per_period`]: 2,
        [`${UNAUTHENTICATED}_period_in_seconds`]: 3600,
        rate_limiting_response_text: 'Slowly, please',
      });
      const refused = await statuses(3, () => user('glpat-of-nobody'));
      assert.deepEqual(refused, [401, 401, 429]);
      const anonymous = await user(null);
      assert.deepEqual([anonymous.status, anonymous.text], [429, 'Slowly, please\n']);
      assert.equal(anonymous.headers['ratelimit-name'], UNAUTHENTICATED);
      assert.equal((await user(ada)).status, 200);
      await set({ [`${UNAUTHENTICATED}_enabled`]: false, rate_limiting_response_text: null });
      assert.equal((await user(null)).status, 401);
    });

    it('take no quota that would let nobody in', async () => {
      for (const name of [`${AUTHENTICATED}_requests_per_period`, `${UNAUTHENTICATED}_period_in_seconds`]) {
        const { status, body } = await service.api('PUT', '/application/settings', { body: { [name]: 0 } });
        assert.deepEqual([status, body], [400, { message: { [name]: ['must be greater than 0'] } }]);
      }
    });
  });
}
