import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import type { DialectName } from '../../src/platform/db/migrate.ts';
import type { RouteRecord } from '../../src/platform/http/route.ts';
import { type Reply, startService, type TestService } from '../support/service.ts';
import { AS_JOB, BYTES, CANARY, FRESH, HOSTILE, MEGABYTE, OF_DATABASES } from './values.ts';
import { addressOf, World } from './world.ts';

/** So many routes are called side by side, each in a world of its own. */
const LANES = 4;

/** For who works on a few: a pattern of their names. */
const ONLY = new RegExp(process.env['HOSTILE_ROUTES'] ?? '');

/** What the worlds do not have, or not for long. */
const NOT_THERE = new Set([
  'GET /topics/:topic_id',
  'GET /projects/:id/repository/tags/:tag_name/signature',
  'GET /projects/:id/repository/commits/:sha/signature',
  'POST /admin/events/:event_id/retry',
  'POST /projects/:id/merge_requests/:merge_request_iid/unapprove',
  'PUT /projects/:id/access_requests/:user_id/approve',
  'PUT /groups/:id/access_requests/:user_id/approve',
  'DELETE /projects/:id/access_requests/:user_id',
  'DELETE /groups/:id/access_requests/:user_id',
  'DELETE /projects/:id/share/:group_id',
  'DELETE /groups/:id/share/:group_id',
]);

/** After these a project refuses what it took before. */
const CHANGES_ALL = new Set([
  'POST /projects/:id/archive',
  'PUT /projects/:id',
  'PUT /projects/:id/transfer',
]);

/** Other addresses of a route, the costly ones: they are sent what that one does not know. */
const TWINS: readonly (readonly [RegExp, twinOf: string])[] = [
  [/^POST \/projects\/user\/:user_id$/, 'POST /projects'],
  [/repository\/archive\..+$/, 'GET /projects/:id/repository/archive'],
];

/** It takes a file, which is no value. */
const IN_OTHER_WAYS = new Set(['POST /projects/:id/wikis/attachments']);

/**
 * Every route, every parameter, everything that somebody might send: a 4xx in GitLab's shape or an ordinary answer, never a
 * stack, never a 5xx, and the next call is served. A file that a command line would have made must not be there. On SQLite with every
 * value, on PostgreSQL with those that databases treat each in its own way.
 */
export function refusesHostileInput(kind: DialectName): void {
  const values = kind === 'sqlite' ? HOSTILE : HOSTILE.filter(([what]) => OF_DATABASES.has(what));

  describe(`hostile input on ${kind}`, () => {
    let service: TestService;
    const problems: string[] = [];

    before(async () => {
      service = await startService({ kind, checkAnswer: undefined });
      await service.api('PUT', '/application/settings', { body: { search_rate_limit: 0 } });
    });
    after(() => service.close());

    it('never gets more than a refusal, on any route', async () => {
      const all = service.service.api.routes.filter((route) => ONLY.test(nameOf(route)));
      const routes = all.toSorted(byHarm);
      const lanes = Array.from({ length: LANES }, () => new World(service));
      await Promise.all(
        lanes.map(async (world) => {
          for (let route = routes.shift(); route; route = routes.shift()) {
            await world.restore(route);
            await attack(world, route);
            await meetSane(world, route);
            if (CHANGES_ALL.has(nameOf(route))) world.startOver();
          }
        }),
      );
      assert.deepEqual(problems, []);
      assert.equal((await service.api('GET', '/version', { token: null })).status, 401);
      assert.ok(!existsSync(CANARY), 'something ran a command');
    });

    async function attack(world: World, route: RouteRecord): Promise<void> {
      const known = twinOf(route)?.spec.params.properties ?? {};
      const names = Object.keys(route.spec.params.properties).filter((name) => !(name in known));
      for (const name of names) {
        // One megabyte is no news to a parameter of a route that has been sent one.
        const news = name === names[0] || name === names.at(-1);
        const sent = values.filter(([, value]) => news || value !== MEGABYTE);
        const harm = async ([what, value]: (typeof HOSTILE)[number]) => {
          const problem = problemOf(await send(world, route, name, value));
          if (problem) problems.push(`${nameOf(route)}: ${what} as ${name}: ${problem}`);
        };
        if (route.method === 'GET') await Promise.all(sent.map(harm));
        else for (const each of sent) await harm(each);
      }
    }

    function twinOf(route: RouteRecord): RouteRecord | undefined {
      const name = TWINS.find(([twin]) => twin.test(nameOf(route)))?.[1];
      return service.service.api.routes.find((each) => nameOf(each) === name);
    }

    /** Proves that the values before met the route itself: neither a 404 nor the check of another parameter kept them off. */
    async function meetSane(world: World, route: RouteRecord): Promise<void> {
      if (CHANGES_ALL.has(nameOf(route))) world.startOver();
      if (route.method !== 'GET') await world.restore(route);
      const { status, body, text } = await send(world, route);
      const missing = status === 404 && !NOT_THERE.has(nameOf(route));
      const unchecked = status === 400 && 'error' in (body ?? {}) && !IN_OTHER_WAYS.has(nameOf(route));
      if (missing || unchecked)
        problems.push(`${nameOf(route)}: sane values: ${status} ${text.slice(0, 300)}`);
    }
  });
}

/** Reads first: they find what nothing has changed yet. */
const ORDER = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'];
const byHarm = (a: RouteRecord, b: RouteRecord) => ORDER.indexOf(a.method) - ORDER.indexOf(b.method);

const nameOf = ({ method, path }: RouteRecord) => `${method} ${path}`;

/** Calls a route with sane values but for one parameter. */
function send(world: World, route: RouteRecord, name?: string, value?: unknown): Promise<Reply> {
  const bytes = BYTES[nameOf(route)];
  const inAddress = route.method === 'GET' || route.method === 'DELETE' || bytes !== undefined;
  const fresh = FRESH[nameOf(route)]?.(world) ?? {};
  const inPath: string[] = [];
  const path = addressOf(route.path, (each, prefix) => {
    inPath.push(each);
    return each === name ? value : (fresh[each] ?? world.sane(route, each, prefix));
  });
  const beside = Object.entries({ ...requiredOf(world, route), ...fresh });
  const sent = Object.fromEntries(beside.filter(([each]) => !inPath.includes(each)));
  if (name !== undefined && !inPath.includes(name)) sent[name] = inAddress ? inQuery(value) : value;
  const said = inAddress ? { ...bytes, query: sent } : { body: sent };
  return world.api(route.method, path, { ...said, ...asJob(world, route, bytes?.headers) });
}

function asJob(world: World, route: RouteRecord, headers: Record<string, string> = {}) {
  if (!AS_JOB.has(nameOf(route))) return {};
  const token = String(world.get('the token of a running job'));
  return { token: null, headers: { ...headers, 'job-token': token } };
}

/** The schema counts those with a default among the required. */
function requiredOf(world: World, route: RouteRecord): Record<string, unknown> {
  const { properties, required = [] } = route.spec.params;
  const names = required.filter((name) => !('default' in (properties[name] ?? {})));
  return Object.fromEntries(names.map((name) => [name, world.sane(route, name)]));
}

/** Query strings cannot hold a lone surrogate, nor a megabyte. */
const inQuery = (value: unknown) =>
  typeof value === 'string' ? value.toWellFormed().slice(0, 12_000) : value;

/** What is wrong with an answer, null when it is a success or a proper refusal. */
function problemOf({ status, headers, body, text }: Reply): string | null {
  const shown = `${status} ${text.slice(0, 300)}`;
  if (status >= 500) return shown;
  if (headers['x-injected'] !== undefined) return 'a header was injected';
  if (status < 400) return null;
  if (/FST_|node_modules|\.ts:\d|SQLITE|select .* from|fatal:/i.test(text)) return `tells too much: ${shown}`;
  if (body === null) return text === 'Bad Request' || text === '' ? null : `no JSON: ${shown}`;
  return 'message' in body || 'error' in body ? null : `not GitLab's shape: ${shown}`;
}
