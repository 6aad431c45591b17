import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { dialects } from '../../../test/support/databases.ts';
import { seedPerson, seedProject } from '../../../test/support/seed.ts';
import { type CallOptions, startService, type TestService } from '../../../test/support/service.ts';
import { ApiError } from '../../platform/errors.ts';
import type { AuthRequirements } from '../../platform/http/api.ts';
import { readCredentials } from '../../platform/http/credentials.ts';
import { issueJobToken, revokeJobTokens } from './job-tokens.ts';
import { newToken, tokenHash } from './secret.ts';
import { insertToken } from './store.ts';

const UNAUTHORIZED = { message: '401 Unauthorized' };
const EXPIRED = {
  error: 'invalid_token',
  error_description: 'Token is expired. You can either do re-authorization or token refresh.',
};
const REVOKED = {
  error: 'invalid_token',
  error_description: 'Token was revoked. You have to re-authorize from the user.',
};
const tooSmall = (scope: string) => ({
  error: 'insufficient_scope',
  error_description: 'The request requires higher privileges than provided by the access token.',
  scope,
});

for (const kind of dialects) {
  describe(`authentication on ${kind}`, () => {
    let service: TestService;
    let ada: { id: number; token: string };
    let bob: { id: number; token: string };

    before(async () => {
      service = await startService({ kind });
      ada = await seedPerson(service.core, 'ada');
      bob = await seedPerson(service.core, 'bob');
    });
    after(() => service.close());

    async function token(
      userId: number,
      facts: { scopes?: string; expires_at?: string; revoked?: number } = {},
    ) {
      const secret = newToken('personal');
      await service.core.database.transaction((tx) =>
        insertToken(tx, {
          user_id: userId,
          name: 'x',
          token_hash: tokenHash(secret),
          scopes: facts.scopes ?? 'api',
          expires_at: facts.expires_at ?? null,
          revoked: facts.revoked ?? 0,
          created_at: 1,
          updated_at: 1,
        }),
      );
      return secret;
    }

    /** What a route that takes job tokens makes of a request. */
    async function probe({ token: secret = null, headers = {}, query = {} }: CallOptions) {
      const offered = readCredentials(
        { ...headers, ...(secret && { 'private-token': secret }) },
        query,
        true,
      );
      const needs: AuthRequirements = { scopes: ['api', 'read_api'], jobToken: true };
      try {
        const caller = await service.core.authenticator.authenticate(offered, needs);
        return { id: caller.user.id, job: caller.job, admin: caller.admin };
      } catch (error) {
        if (error instanceof ApiError) return { status: error.status, body: error.body };
        throw error;
      }
    }

    const today = () => new Date(service.core.clock.now()).toISOString().slice(0, 10);
    const user = async (options: CallOptions) => {
      const { status, body } = await service.api('GET', '/user', options);
      return status === 200 ? body.username : { status, body };
    };

    it('takes the token from each place that GitLab reads', async () => {
      const bearer = { authorization: `Bearer ${ada.token}` };
      assert.equal(await user({ token: ada.token }), 'ada');
      assert.equal(await user({ token: null, headers: bearer }), 'ada');
      assert.equal(await user({ token: null, headers: { authorization: `bearer ${ada.token}` } }), 'ada');
      assert.equal(await user({ token: null, query: { private_token: ada.token } }), 'ada');
      assert.equal(await user({ token: null, query: { access_token: ada.token } }), 'ada');
    });

    it('lets the parameter win over the header, and the header over the bearer', async () => {
      const headers = { authorization: `Bearer ${ada.token}` };
      assert.equal(await user({ token: bob.token, headers }), 'bob');
      assert.equal(await user({ token: bob.token, query: { private_token: ada.token } }), 'ada');
      assert.equal(await user({ token: '', headers, query: { private_token: '' } }), 'ada');
    });

    it('refuses what is missing, unknown or no way in', async () => {
      const refused = { status: 401, body: UNAUTHORIZED };
      const basic = Buffer.from(`ada:${ada.token}`).toString('base64');
      assert.deepEqual(await user({ token: null }), refused);
      assert.deepEqual(await user({ token: 'glpat-nobody-has-this-one' }), refused);
      assert.deepEqual(await user({ token: `${ada.token}x` }), refused);
      assert.deepEqual(await user({ token: null, headers: { 'job-token': ada.token } }), refused);
      assert.deepEqual(await user({ token: null, headers: { authorization: `Basic ${basic}` } }), refused);
    });

    it('says of a dead token how it died, expired before revoked, with a challenge', async () => {
      const cases = [
        [{ expires_at: today() }, EXPIRED],
        [{ expires_at: '2001-01-01', revoked: 1 }, EXPIRED],
        [{ revoked: 1 }, REVOKED],
        [{ revoked: 1, scopes: 'read_repository' }, REVOKED],
      ] as const;
      for (const [facts, expected] of cases) {
        const reply = await service.api('GET', '/user', { token: await token(ada.id, facts) });
        assert.equal(reply.status, 401);
        assert.deepEqual(reply.body, expected);
        assert.equal(
          reply.headers['www-authenticate'],
          `Bearer realm="Protected by OAuth 2.0", error="invalid_token", error_description="${expected.error_description}"`,
        );
      }
    });

    it('takes a token until the day before it expires', async () => {
      const tomorrow = new Date(service.core.clock.now() + 86_400_000).toISOString().slice(0, 10);
      assert.equal(await user({ token: await token(ada.id, { expires_at: tomorrow }) }), 'ada');
    });

    it('asks for the scope of the route', async () => {
      const cases = [
        ['read_api', 'GET', '/user', 200, null],
        ['read_user', 'GET', '/user', 200, null],
        ['read_user', 'GET', '/users', 200, null],
        ['read_repository', 'GET', '/user', 403, 'read_user api read_api'],
        ['read_user', 'GET', '/personal_access_tokens', 403, 'api read_api'],
        ['read_api', 'POST', '/users', 403, 'api read_api'],
        ['sudo', 'GET', '/user', 403, 'read_user api read_api'],
        ['self_rotate', 'GET', '/personal_access_tokens/self', 200, null],
      ] as const;
      for (const [scopes, method, path, status, accepted] of cases) {
        const reply = await service.api(method, path, { token: await token(ada.id, { scopes }) });
        assert.equal(reply.status, status, `${scopes} ${method} ${path}`);
        if (accepted) assert.deepEqual(reply.body, tooSmall(accepted));
        assert.equal(reply.headers['www-authenticate'], undefined);
      }
    });

    it('refuses blocked, banned and deactivated users, whatever their scope', async () => {
      const eve = await seedPerson(service.core, `eve`);
      const states = [
        ['blocked', 'Your account has been blocked.'],
        ['banned', 'Your account has been blocked.'],
        [
          'deactivated',
          'Your account has been deactivated by your administrator. Please log back in to reactivate your account.',
        ],
      ];
      const narrow = await token(eve.id, { scopes: 'read_repository' });
      for (const [state = '', reason] of states) {
        await service.core.db.updateTable('users').set({ state }).where('id', '=', eve.id).execute();
        for (const secret of [eve.token, narrow]) {
          const refused = { status: 403, body: { message: `403 Forbidden - ${reason}` } };
          assert.deepEqual(await user({ token: secret }), refused);
        }
      }
    });

    it('lets administrators act for others, by header or parameter, id or name', async () => {
      assert.equal(await user({ headers: { sudo: 'ADA' } }), 'ada');
      assert.equal(await user({ headers: { sudo: String(bob.id) } }), 'bob');
      assert.equal(await user({ query: { sudo: 'ada' }, headers: { sudo: 'bob' } }), 'ada');
      assert.equal(await user({ headers: { sudo: 'root' } }), 'root');
      const reply = await service.api('GET', '/application/settings', { headers: { sudo: 'ada' } });
      assert.equal(reply.status, 403, 'with the rights of the other, not with his own');
    });

    it('lets administrators act for blocked users, and without the scope of the route', async () => {
      const carl = await seedPerson(service.core, 'carl');
      await service.core.db
        .updateTable('users')
        .set({ state: 'blocked' })
        .where('id', '=', carl.id)
        .execute();
      assert.equal(await user({ headers: { sudo: 'carl' } }), 'carl');
      const secret = await token(1, { scopes: 'sudo' });
      assert.equal(await user({ token: secret, headers: { sudo: 'ada' } }), 'ada');
    });

    it('refuses sudo in the words of each reason', async () => {
      const noScope = await token(1, { scopes: 'api' });
      const cases: [CallOptions, number, unknown][] = [
        [{ token: null, headers: { sudo: 'ada' } }, 401, UNAUTHORIZED],
        [
          { token: ada.token, headers: { sudo: 'bob' } },
          403,
          { message: '403 Forbidden - Must be admin to use sudo' },
        ],
        [{ token: noScope, headers: { sudo: 'ada' } }, 403, tooSmall('sudo')],
        [
          { headers: { sudo: '123456' } },
          404,
          { message: "404 User with ID or username '123456' Not Found" },
        ],
        [
          { headers: { sudo: 'nobody' } },
          404,
          { message: "404 User with ID or username 'nobody' Not Found" },
        ],
      ];
      for (const [options, status, body] of cases) assert.deepEqual(await user(options), { status, body });
    });

    it('finds nobody by a name that no database keeps', async () => {
      const reply = await service.api('POST', '/users', { body: { sudo: 'a\0b' } });
      assert.equal(reply.status, 404);
    });

    it('takes a job token where the route allows it, from each place, until it is revoked', async () => {
      const project = await seedProject(service.core, 'built');
      const owner = { jobId: 77, userId: ada.id, projectId: project.id };
      const secret = await service.core.database.transaction((tx) => issueJobToken(tx, owner, 1));
      const basic = `Basic ${Buffer.from(`gitlab-ci-token:${secret}`).toString('base64')}`;
      const places: CallOptions[] = [
        { headers: { 'job-token': secret } },
        { headers: { authorization: `Bearer ${secret}` } },
        { headers: { authorization: basic } },
        { query: { job_token: secret } },
        { query: { 'job-token': secret } },
        { query: { token: secret } },
      ];
      for (const place of places) {
        const job = { id: 77, projectId: project.id };
        assert.deepEqual(await probe(place), { id: ada.id, job, admin: false }, JSON.stringify(place));
      }
      const header = { 'job-token': secret };
      assert.deepEqual(await user({ token: null, headers: header }), { status: 401, body: UNAUTHORIZED });
      const wrong = await probe({ token: 'glpat-wrong', headers: header });
      assert.deepEqual(
        wrong,
        { status: 401, body: UNAUTHORIZED },
        'a wrong token is not saved by a good one',
      );
      const narrow = await probe({ token: await token(bob.id, { scopes: 'read_user' }) });
      assert.deepEqual(narrow, { status: 403, body: tooSmall('api read_api') });
      await service.core.database.transaction((tx) => revokeJobTokens(tx, 77));
      assert.deepEqual(await probe({ headers: header }), { status: 401, body: UNAUTHORIZED });
    });

    it('gives a job of an administrator no administrator’s rights', async () => {
      const project = await seedProject(service.core, 'built-by-root');
      const owner = { jobId: 78, userId: 1, projectId: project.id };
      const secret = await service.core.database.transaction((tx) => issueJobToken(tx, owner, 1));
      const headers = { 'job-token': secret };
      const job = { id: 78, projectId: project.id };
      assert.deepEqual(await probe({ headers }), { id: 1, job, admin: false });
      assert.deepEqual(await probe({ headers: { ...headers, sudo: 'ada' } }), {
        status: 403,
        body: { message: '403 Forbidden - Must be admin to use sudo' },
      });
    });

    it('takes a token as the password of git, and a job token for its own user name', async () => {
      const { authenticator } = service.core;
      assert.equal((await authenticator.forGit('oauth2', ada.token))?.user.username, 'ada');
      assert.equal((await authenticator.forGit('gitlab-ci-token', ada.token))?.user.username, 'ada');
      const project = await seedProject(service.core, 'cloned');
      const owner = { jobId: 79, userId: bob.id, projectId: project.id };
      const secret = await service.core.database.transaction((tx) => issueJobToken(tx, owner, 1));
      assert.equal((await authenticator.forGit('gitlab-ci-token', secret))?.job?.projectId, project.id);
      await assert.rejects(authenticator.forGit('bob', secret), { status: 401 });
    });

    it('notes the last use and the day of activity', async () => {
      const dora = await seedPerson(service.core, 'dora');
      await service.api('GET', '/user', { token: dora.token });
      let noted = null;
      // The call does not wait for the note: a later one sees it.
      for (let tries = 0; tries < 50 && noted === null; tries++) {
        const reply = await service.api('GET', '/personal_access_tokens/self', { token: dora.token });
        noted = reply.body.last_used_at;
      }
      assert.equal(typeof noted, 'string');
      const { body } = await service.api('GET', '/user', { token: dora.token });
      assert.equal(body.last_activity_on, today());
    });
  });
}
