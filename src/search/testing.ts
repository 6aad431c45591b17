import { type Person, seedUser } from '../../test/support/seed.ts';
import { type CallOptions, type Reply, startService, type TestService } from '../../test/support/service.ts';
import type { DialectName } from '../platform/db/migrate.ts';

/** A service to search in: things are made over its own routes, and found by several people. For tests. */
export class SearchBench {
  readonly service: TestService;

  private constructor(service: TestService) {
    this.service = service;
  }

  static async open(
    kind: DialectName = 'sqlite',
    options: Parameters<typeof startService>[0] = {},
  ): Promise<SearchBench> {
    return new SearchBench(await startService({ kind, ...options }));
  }

  person(username: string): Promise<Person> {
    return seedUser(this.service.core, username);
  }

  /** Makes or changes something; the answer must be a success. */
  async made(method: string, path: string, body?: unknown, options: CallOptions = {}) {
    const reply = await this.service.api(method, path, { ...options, body: body ?? {} });
    if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`);
    return reply.body;
  }

  /** Adds a member; `place` is `projects/1` or `groups/g`. */
  admit(place: string, { user }: Person, level: number) {
    return this.made('POST', `/${place}/members`, { user_id: user.id, access_level: level });
  }

  /** `place` is empty for everywhere. */
  search(place: string, query: Record<string, unknown>, options: CallOptions = {}): Promise<Reply> {
    return this.service.api('GET', `${place === '' ? '' : `/${place}`}/search`, { ...options, query });
  }

  /** What is found, by one field of each; an answer that is no success shows its body. */
  async found(
    place: string,
    query: Record<string, unknown>,
    field: string,
    person?: Person,
  ): Promise<unknown> {
    const reply = await this.search(place, query, person ? { token: person.token } : {});
    if (reply.status !== 200) return reply.body;
    return reply.body.map((item: Record<string, unknown>) => item[field]);
  }

  /** Every element by following `Link`, one on a page. */
  async pages(place: string, query: Record<string, unknown>, field: string): Promise<unknown[]> {
    const found: unknown[] = [];
    let reply = await this.search(place, { ...query, per_page: 1 });
    for (;;) {
      if (reply.status !== 200) throw new Error(reply.text);
      found.push(...reply.body.map((item: Record<string, unknown>) => item[field]));
      const next = /<[^>]*\/api\/v4([^>]+)>; rel="next"/.exec(reply.headers['link'] ?? '')?.[1];
      if (next === undefined) return found;
      reply = await this.service.api('GET', next);
    }
  }

  close(): Promise<void> {
    return this.service.close();
  }
}
