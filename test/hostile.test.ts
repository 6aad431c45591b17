import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { RouteRecord } from '../src/platform/http/route.ts';
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

describe('hostile input', () => {
  let service: TestService;
  let project = 0;
  let group = 0;
  before(async () => {
    service = await startService({ checkAnswers: false });
    await service.api('POST', '/users', {
      body: { username: 'eve', name: 'Eve', email: 'eve@example.com', force_random_password: true },
    });
  });
  after(() => service.close());

  /** Made again whenever a call before has rightly deleted it. */
  async function fixtures(): Promise<void> {
    if ((await service.api('GET', `/projects/${project}`)).status !== 200) {
      const body = { name: `p${Math.random()}`, initialize_with_readme: true, visibility: 'public' };
      project = (await service.api('POST', '/projects', { body })).body.id;
      await service.api('POST', `/projects/${project}/repository/branches`, {
        body: { branch: 'other', ref: 'main' },
      });
    }
    if ((await service.api('GET', `/groups/${group}`)).status !== 200) {
      const body = { name: `g${Math.random()}`, path: `g${Math.random()}`, visibility: 'public' };
      group = (await service.api('POST', '/groups', { body })).body.id;
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
    return service.api(route.method, path, reads ? { query: sent } : { body: sent });
  }

  /** In a query string a value is text; a lone surrogate cannot be written there at all. */
  const encode = (value: unknown) => encodeURIComponent(String(value).toWellFormed().slice(0, 12_000));

  function check(route: RouteRecord, name: string, what: string, reply: Reply): void {
    const where = `${route.method} ${route.path}: ${what} as ${name} gave ${reply.status} ${reply.text.slice(0, 300)}`;
    assert.ok(reply.status < 500, where);
    assert.equal(reply.headers['x-injected'], undefined, where);
    if (reply.status < 400) return;
    assert.doesNotMatch(reply.text, /FST_|node_modules|\.ts:\d|SQLITE|select .* from|fatal:/i, where);
    if (reply.body === null) assert.ok(reply.text === 'Bad Request' || reply.text === '', where);
    else assert.ok('message' in reply.body || 'error' in reply.body, where);
  }

  it('never gets more than a refusal, on any route', async () => {
    for (const route of service.service.api.routes) {
      await fixtures();
      const names = Object.keys(route.spec.params.properties);
      for (const name of names) {
        for (const [what, value] of HOSTILE) {
          // One megabyte is no news to a parameter of a route that has been sent one.
          if (value === LONG && name !== names[0] && name !== names.at(-1)) continue;
          check(route, name, what, await send(route, name, cleaned(route, value)));
        }
      }
    }
    assert.equal((await service.api('GET', '/user')).status, 200);
    assert.ok(!existsSync(CANARY), 'something ran a command');
  });

  /** Query strings cannot hold a lone surrogate: it is sent as the bytes it would be. */
  function cleaned(route: RouteRecord, value: unknown): unknown {
    const reads = route.method === 'GET' || route.method === 'DELETE';
    return reads && typeof value === 'string' ? value.toWellFormed().slice(0, 12_000) : value;
  }
});
