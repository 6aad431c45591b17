import assert from 'node:assert/strict';
import type { DialectName } from '../../src/platform/db/migrate.ts';
import { type CallOptions, type Reply, startService, type TestService } from '../support/service.ts';

export interface Who {
  id: number;
  username: string;
  token: string;
}

/** What somebody was sent, `kind` or `kind (reason)`. */
export type Letters = Record<string, string[]>;

/** A service with people in it, who call it as themselves and whose mail can be looked at. */
export class Forge {
  readonly service: TestService;
  readonly #names = new Map<number, string>();
  #read = 0;

  constructor(service: TestService) {
    this.service = service;
  }

  static async open(kind: DialectName, overrides: Parameters<typeof startService>[0] = {}): Promise<Forge> {
    return new Forge(await startService({ kind, ...overrides }));
  }

  async person(username: string, fields: object = {}): Promise<Who> {
    const password = 'correct-horse-1';
    const body = {
      username,
      name: username,
      email: `${username}@example.test`,
      password,
      skip_confirmation: true,
      ...fields,
    };
    const { id } = (await this.call('POST', '/users', { body })).body;
    const made = await this.call('POST', `/users/${id}/personal_access_tokens`, {
      body: { name: 'tests', scopes: ['api'] },
    });
    this.#names.set(id, username);
    return { id, username, token: made.body.token };
  }

  /** Calls and fails on an answer that is an error. */
  async call(method: string, path: string, options: CallOptions = {}): Promise<Reply> {
    const reply = await this.service.api(method, path, options);
    assert.ok(reply.status < 400, `${method} ${path}: ${reply.status} ${reply.text}`);
    return reply;
  }

  /** The same as somebody. */
  as(who: Who, method: string, path: string, body?: object): Promise<Reply> {
    return this.call(method, path, { token: who.token, ...(body && { body }) });
  }

  /** Everything that was sent since the last look, by who got it. */
  async letters(): Promise<Letters> {
    const { core } = this.service;
    await core.events.idle();
    assert.deepEqual(await core.events.failing(), []);
    const mails = await core.db
      .selectFrom('mails')
      .select(['id', 'user_id', 'kind', 'reason'])
      .where('id', '>', this.#read)
      .orderBy('id')
      .execute();
    this.#read = mails.at(-1)?.id ?? this.#read;
    const found: Letters = {};
    for (const { user_id, kind, reason } of mails) {
      found[this.#names.get(user_id) ?? 'root'] ??= [];
      found[this.#names.get(user_id) ?? 'root']!.push(`${kind} (${reason})`);
    }
    return Object.fromEntries(Object.entries(found).sort(([a], [b]) => a.localeCompare(b)));
  }

  close(): Promise<void> {
    return this.service.close();
  }
}
