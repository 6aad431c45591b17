import { setTimeout as sleep } from 'node:timers/promises';
import { tokenHash } from '../../src/core/tokens/secret.ts';
import { insertToken } from '../../src/core/tokens/store.ts';
import type { RouteRecord } from '../../src/platform/http/route.ts';
import type { Reply, TestService } from '../support/service.ts';
import type { Maker, Thing } from './thing.ts';
import { THINGS } from './things.ts';
import { SANE } from './values.ts';

const LAST_PARAMETER = /\/:\w+$/;

/** What most others stand in. */
const ROOTS = new Set(['/users/:id', '/groups/:id', '/namespaces/:id', '/projects/:id']);

/** Parameters that name something made, wherever they stand. */
const REFERENCES: Record<string, string> = {
  user_id: '/users/:id',
  group_id: '/namespaces/:id',
  namespace: '/namespaces/:id',
  project_id: '/projects/:id',
  to_project_id: '/projects/:id',
  target_project_id: '/projects/:id',
  target_group_id: '/groups/:id',
  target_issue_iid: '/projects/:id/issues/:issue_iid',
};

/** Things of one's own, made again when a call before has rightly deleted them, and a token of root to call with. */
export class World implements Maker {
  readonly #service: TestService;
  readonly #made = new Map<string, string | number>();
  #token = '';

  constructor(service: TestService) {
    this.#service = service;
  }

  get(template: string): string | number | undefined {
    return this.#made.get(template);
  }

  api(method: string, path: string, options: Parameters<TestService['api']>[2] = {}): Promise<Reply> {
    return this.#service.api(method, path, { token: this.#token, ...options });
  }

  /** Makes what the route needs and is not there; all of it anew where that cannot be, as in an archived project. */
  async restore(route: RouteRecord): Promise<void> {
    if ((await this.api('GET', '/user')).status !== 200) await this.#newToken();
    try {
      await this.#restoreThings(route);
    } catch {
      this.startOver();
      await this.#restoreThings(route);
    }
  }

  /** Leaves everything behind: what is there still is no longer as a route would want it. */
  startOver(): void {
    this.#made.clear();
  }

  /** Of a parameter in the path of a route, or beside it. */
  sane(route: RouteRecord, name: string, template?: string): unknown {
    const thing = template === undefined ? undefined : this.#made.get(template);
    if (thing !== undefined) return thing;
    const made = this.#made.get(REFERENCES[name] ?? '');
    if (made !== undefined) return made;
    const schema = route.spec.params.properties[name] as { type?: string; enum?: unknown[] } | undefined;
    if (SANE[name] !== undefined && (schema?.enum?.includes(SANE[name]) ?? true)) return SANE[name];
    if (schema?.enum) return schema.enum[0];
    return schema?.type === 'integer' ? 1 : 'x';
  }

  async #restoreThings(route: RouteRecord): Promise<void> {
    for (const thing of THINGS) {
      const { at, needed } = thing;
      const stands = ROOTS.has(at) || route.path.startsWith(at) || at.startsWith(`${route.path}/:`);
      const matters = stands || needed?.test(route.path) === true;
      const isThere = this.#made.has(at) && (!matters || (await this.#isThere(thing)));
      if (!isThere) await this.#make(thing);
    }
  }

  async #isThere({ at, isThere }: Thing): Promise<boolean> {
    if (isThere) return isThere(this);
    return (await this.api('GET', this.#address(at))).status === 200;
  }

  async #make(thing: Thing): Promise<void> {
    const { at, key, also = {} } = thing;
    const made = await this.#madeOf(thing);
    this.#made.set(at, made[key]!);
    for (const [name, other] of Object.entries(also)) this.#made.set(name, made[other]!);
  }

  async #madeOf(thing: Thing): Promise<Record<string, string | number>> {
    const { at, make, post, listed } = thing;
    if (make) return { ...(await make(this)) };
    const collection = at.replace(LAST_PARAMETER, '');
    const within = collection.slice(0, collection.lastIndexOf('/'));
    for (const body of thing.changes?.(this) ?? []) await this.send('PUT', within, body);
    const body = typeof thing.body === 'function' ? thing.body(this) : thing.body;
    const made = body && (await this.send('POST', post ?? collection, body));
    return listed ? this.#firstOf(listed) : made;
  }

  /** Some come about only after the answer, by an event. */
  async #firstOf(list: string) {
    for (let tries = 0; tries < 200; tries++) {
      const [first] = await this.send('GET', list);
      if (first) return first;
      await sleep(50);
    }
    throw new Error(`GET ${list}: nothing`);
  }

  async send(method: string, template: string, body?: object) {
    const path = this.#address(template);
    const reply = await this.api(method, path, { ...(body && { body }) });
    if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`);
    return reply.body;
  }

  #address(template: string): string {
    return addressOf(
      template,
      (name, prefix) => this.#made.get(prefix) ?? this.#made.get(REFERENCES[name] ?? '') ?? SANE[name],
    );
  }

  /** Some routes rightly revoke the token that they are called with. */
  async #newToken(): Promise<void> {
    this.#token = `glpat-hostile-${Math.random()}`;
    const now = Date.now();
    await this.#service.core.database.transaction((tx) =>
      insertToken(tx, {
        user_id: 1,
        name: 'hostile',
        token_hash: tokenHash(this.#token),
        scopes: 'api,sudo,admin_mode',
        created_at: now,
        updated_at: now,
      }),
    );
  }
}

/** Fills the parameters of a template; each is told the template up to it. */
export function addressOf(template: string, fill: (name: string, prefix: string) => unknown): string {
  return template.replace(/:(\w+)|\*/g, (match, name: string | undefined, at: number) =>
    encoded(fill(name ?? '*', template.slice(0, at + match.length))),
  );
}

/** In an address a value is text; a lone surrogate cannot be written there at all. */
const encoded = (value: unknown) => encodeURIComponent(String(value).toWellFormed().slice(0, 12_000));
