import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { tokenHash } from '../src/core/tokens/secret.ts';
import { insertToken } from '../src/core/tokens/store.ts';
import type { RouteRecord } from '../src/platform/http/route.ts';
import { dialects } from './support/databases.ts';
import { type Reply, startService, type TestService } from './support/service.ts';

/**
 * Every route, every parameter, everything that somebody might send: a 4xx in GitLab's shape or an ordinary answer, never a
 * stack, never a 5xx, and the next call is served. A file that a command line would have made must not be there.
 */

const CANARY = join(tmpdir(), `ingot-canary-${process.pid}`);
const LONG = 'x'.repeat(1024 * 1024);

const HOSTILE: [string, unknown][] = [
  ['NUL', 'a\0b'],
  ['half a surrogate', 'a\ud800b'],
  ['dots', '../../../etc/passwd'],
  ['an absolute path', '/etc/passwd'],
  ['an option', `--output=${CANARY}`],
  ['a command', `$(touch ${CANARY})`],
  ['a git folder', '.GIT/config'],
  ['a ref that climbs', 'refs/heads/../../x'],
  ['a line break', 'a\r\nX-Injected: 1'],
  ['a megabyte', LONG],
  ['a huge number', '99999999999999999999999'],
  ['a negative number', -1],
  ['infinity', 1e308],
  ['a hash', { a: { b: 1 } }],
  ['a list', [[], [null]]],
  ['a list of nothing', [null]],
  ['nothing', ''],
  ['null', null],
  ['a quote', `'; drop table users; --`],
  ['a pattern', '%_*[a-z](((('],
];

/** What a route needs to get past its other parameters. */
const SANE: Record<string, unknown> = {
  branch: 'main',
  ref: 'main',
  ref_name: 'main',
  branch_name: 'other',
  sha: 'main',
  start_branch: 'main',
  file_path: 'README.md',
  commit_message: 'hostile',
  message: 'hostile',
  note: 'hostile',
  body: 'hostile',
  state: 'success',
  from: 'main',
  to: 'main',
  title: 'hostile',
  source_branch: 'other',
  target_branch: 'main',
  content: 'x',
  actions: [{ action: 'create', file_path: 'hostile', content: 'x' }],
  user_id: 2,
  access_level: 30,
  email: 'hostile@example.com',
  username: 'hostile',
  password: 'hostile-passphrase',
  scopes: ['api'],
  name: 'hostile',
  path: 'hostile',
  refs: ['main', 'main'],
};

for (const kind of dialects)
  describe(`hostile input on ${kind}`, () => {
    let service: TestService;
    let project = 0;
    let group = 0;
    let token = '';

    /** A token of its own kind of root: some routes rightly revoke the one they are called with. */
    async function freshToken(): Promise<void> {
      token = `glpat-hostile-${Math.random()}`;
      const now = Date.now();
      await service.core.database.transaction((tx) =>
        insertToken(tx, {
          user_id: 1,
          name: 'hostile',
          token_hash: tokenHash(token),
          scopes: 'api,sudo,admin_mode',
          created_at: now,
          updated_at: now,
        }),
      );
    }

    const api: TestService['api'] = (method, path, options) =>
      service.api(method, path, { token, ...options });

    before(async () => {
      service = await startService({ kind, checkAnswers: false });
      await freshToken();
      await api('POST', '/users', {
        body: { username: 'eve', name: 'Eve', email: 'eve@example.com', force_random_password: true },
      });
    });
    after(() => service.close());

    /** Made again whenever a call before has rightly deleted it. */
    async function fixtures(): Promise<void> {
      if ((await api('GET', '/user')).status !== 200) await freshToken();
      if ((await api('GET', `/projects/${project}`)).status !== 200) {
        const body = { name: `p${Math.random()}`, initialize_with_readme: true, visibility: 'public' };
        project = (await api('POST', '/projects', { body })).body.id;
        await api('POST', `/projects/${project}/issues`, { body: { title: 'hostile' } });
        await api('POST', `/projects/${project}/labels`, { body: { name: 'hostile', color: '#fff' } });
        await api('POST', `/projects/${project}/milestones`, { body: { title: 'hostile' } });
        await api('POST', `/projects/${project}/repository/branches`, {
          body: { branch: 'other', ref: 'main' },
        });
      }
      if ((await api('GET', `/groups/${group}`)).status !== 200) {
        const body = { name: `g${Math.random()}`, path: `g${Math.random()}`, visibility: 'public' };
        group = (await api('POST', '/groups', { body })).body.id;
      }
    }

    const sane = (route: RouteRecord, name: string): unknown => {
      if (name === 'id')
        return route.path.startsWith('/groups') ? group : route.path.startsWith('/projects') ? project : 2;
      const schema = route.spec.params.properties[name] as { type?: string; enum?: unknown[] } | undefined;
      if (SANE[name] !== undefined && (schema?.enum?.includes(SANE[name]) ?? true)) return SANE[name];
      if (schema?.enum) return schema.enum[0];
      return schema?.type === 'integer' ? 1 : 'x';
    };

    function send(route: RouteRecord, name: string, value: unknown): Promise<Reply> {
      const inPath = (match: string) => (name === match ? encode(value) : encode(sane(route, match)));
      const path = route.path
        .replace(/:(\w+)/g, (_, match: string) => inPath(match))
        .replace('*', () => inPath('*'));
      const required = (route.spec.params.required ?? []).filter((each) => !route.path.includes(`:${each}`));
      const others = Object.fromEntries(required.map((each) => [each, sane(route, each)]));
      const sent = route.path.includes(`:${name}`) ? others : { ...others, [name]: value };
      const reads = route.method === 'GET' || route.method === 'DELETE';
      return api(route.method, path, reads ? { query: sent } : { body: sent });
    }

    /** In a query string a value is text; a lone surrogate cannot be written there at all. */
    const encode = (value: unknown) => encodeURIComponent(String(value).toWellFormed().slice(0, 12_000));

    /** What is wrong with an answer, null when it is a success or a proper refusal. */
    function problemOf({ status, headers, body, text }: Reply): string | null {
      const shown = `${status} ${text.slice(0, 300)}`;
      if (status >= 500) return shown;
      if (headers['x-injected'] !== undefined) return 'a header was injected';
      if (status < 400) return null;
      if (/FST_|node_modules|\.ts:\d|SQLITE|select .* from|fatal:/i.test(text))
        return `tells too much: ${shown}`;
      if (body === null) return text === 'Bad Request' || text === '' ? null : `no JSON: ${shown}`;
      return 'message' in body || 'error' in body ? null : `not GitLab's shape: ${shown}`;
    }

    it('never gets more than a refusal, on any route', async () => {
      const problems: string[] = [];
      for (const route of service.service.api.routes) {
        await fixtures();
        const names = Object.keys(route.spec.params.properties);
        for (const name of names) {
          for (const [what, value] of HOSTILE) {
            // One megabyte is no news to a parameter of a route that has been sent one.
            if (value === LONG && name !== names[0] && name !== names.at(-1)) continue;
            const reply = await send(route, name, cleaned(route, value));
            const problem = problemOf(reply);
            if (problem) problems.push(`${route.method} ${route.path}: ${what} as ${name}: ${problem}`);
          }
        }
      }
      assert.deepEqual(problems, []);
      await fixtures();
      assert.equal((await api('GET', '/user')).status, 200);
      assert.ok(!existsSync(CANARY), 'something ran a command');
    });

    /** Query strings cannot hold a lone surrogate: it is sent as the bytes it would be. */
    function cleaned(route: RouteRecord, value: unknown): unknown {
      const reads = route.method === 'GET' || route.method === 'DELETE';
      return reads && typeof value === 'string' ? value.toWellFormed().slice(0, 12_000) : value;
    }
  });
