import assert from 'node:assert/strict';
import { type Person, seedMember, seedProject, seedUser } from '../../../test/support/seed.ts';
import {
  type CallOptions,
  type Reply,
  startService,
  type TestService,
} from '../../../test/support/service.ts';
import { Level } from '../../core/access/levels.ts';
import type { ProjectWithNamespace } from '../../core/projects/find.ts';
import type { Visibility } from '../../core/tables.ts';
import type { DialectName } from '../../platform/db/migrate.ts';

/** A service with people of several levels, and projects with nothing in them. For tests of issues, labels and milestones. */
export class IssueBench {
  readonly service: TestService;
  readonly dev: Person;
  readonly reporter: Person;
  readonly guest: Person;
  /** Member of nothing. */
  readonly stranger: Person;
  #projects = 0;

  private constructor(
    service: TestService,
    [dev, reporter, guest, stranger]: [Person, Person, Person, Person],
  ) {
    this.service = service;
    this.dev = dev;
    this.reporter = reporter;
    this.guest = guest;
    this.stranger = stranger;
  }

  static async open(kind: DialectName): Promise<IssueBench> {
    const service = await startService({ kind });
    const person = (name: string) => seedUser(service.core, name);
    return new IssueBench(service, [
      await person('dev'),
      await person('reporter'),
      await person('guest'),
      await person('stranger'),
    ]);
  }

  /** Of root, with the people as its members. */
  async project(visibility: Visibility = 'private', settings = '{}'): Promise<ProjectWithNamespace> {
    const { core } = this.service;
    const project = await seedProject(core, `tracked-${++this.#projects}`, { visibility, settings });
    await seedMember(core, project, this.dev.user, Level.developer);
    await seedMember(core, project, this.reporter.user, Level.reporter);
    await seedMember(core, project, this.guest.user, Level.guest);
    return project;
  }

  /** A group of root with a project below it, made through the API. */
  async group(path: string, visibility: Visibility = 'private', parentId?: number) {
    const parent = parentId === undefined ? {} : { parent_id: parentId };
    const group = await this.made('/groups', { name: path, path, visibility, ...parent });
    const project = await this.made('/projects', { name: 'app', namespace_id: group.id, visibility });
    return { group, project };
  }

  /** Posts, and gives the body of the answer once it is made sure that it was made. */
  async made(path: string, body: Record<string, unknown>, options: CallOptions = {}): Promise<Reply['body']> {
    const reply = await this.service.api('POST', path, { body, ...options });
    assert.equal(reply.status, 201, reply.text);
    return reply.body;
  }

  issue(project: { id: number }, body: Record<string, unknown> = {}, options: CallOptions = {}) {
    return this.made(`/projects/${project.id}/issues`, { title: 'Issue', ...body }, options);
  }

  async list(path: string, query: Record<string, unknown> = {}, token?: string): Promise<Reply['body']> {
    const reply = await this.service.api('GET', path, { query, ...(token !== undefined && { token }) });
    assert.equal(reply.status, 200, reply.text);
    return reply.body;
  }

  close(): Promise<void> {
    return this.service.close();
  }
}

/** Status and text of a refusal. */
export const answered = ({ status, body }: Reply) => [status, body?.message ?? body?.error];
