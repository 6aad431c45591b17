import assert from 'node:assert/strict';
import { type Person, seedCommit, seedMember, seedProject, seedUser } from '../../../test/support/seed.ts';
import {
  type CallOptions,
  type Reply,
  startService,
  type TestService,
} from '../../../test/support/service.ts';
import { Level } from '../../core/access/levels.ts';
import type { ProjectWithNamespace } from '../../core/projects/find.ts';
import { resolveRef } from '../../git/refs.ts';
import type { DialectName } from '../../platform/db/migrate.ts';

/** A service with people of three levels, and projects in which a branch waits to be merged. For tests. */
export class MergeRequestBench {
  readonly service: TestService;
  readonly dev: Person;
  readonly reporter: Person;
  readonly guest: Person;
  /** Projects made so far. */
  count = 0;

  private constructor(service: TestService, people: [Person, Person, Person]) {
    this.service = service;
    [this.dev, this.reporter, this.guest] = people;
  }

  static async open(kind: DialectName): Promise<MergeRequestBench> {
    const service = await startService({ kind });
    const { core } = service;
    const dev = await seedUser(core, 'dev');
    const reporter = await seedUser(core, 'reporter');
    return new MergeRequestBench(service, [dev, reporter, await seedUser(core, 'guest')]);
  }

  /** A project of root with a commit on `main` and one more on `topic`. */
  async prepare(settings: Record<string, unknown> = {}): Promise<ProjectWithNamespace> {
    const { core } = this.service;
    const project = await seedProject(core, `p${++this.count}`, { settings: JSON.stringify(settings) });
    await seedMember(core, project, this.dev.user, Level.developer);
    await seedMember(core, project, this.reporter.user, Level.reporter);
    await seedMember(core, project, this.guest.user, Level.guest);
    await seedCommit(core, project, { branch: 'main', files: { 'README.md': 'hello\n' } });
    await this.topic(project, 'topic');
    return project;
  }

  /** A branch off `main` with one commit, by default a file of its own name. */
  topic(project: ProjectWithNamespace, branch: string, files?: Record<string, string>): Promise<string> {
    return seedCommit(this.service.core, project, {
      branch,
      from: 'main',
      files: files ?? { [`${branch}.txt`]: 'one\ntwo\n' },
      message: `Add ${branch}\n\nBecause.\n`,
    });
  }

  at(project: { id: number }, rest = ''): string {
    return `/projects/${project.id}/merge_requests${rest}`;
  }

  open(
    project: { id: number },
    body: Record<string, unknown> = {},
    options: CallOptions = {},
  ): Promise<Reply> {
    const usual = { source_branch: 'topic', target_branch: 'main', title: 'Topic' };
    return this.service.api('POST', this.at(project), { body: { ...usual, ...body }, ...options });
  }

  /** The answer's body, once it is made sure that it was opened. */
  async opened(project: { id: number }, body: Record<string, unknown> = {}): Promise<Reply['body']> {
    const reply = await this.open(project, body);
    assert.equal(reply.status, 201, reply.text);
    return reply.body;
  }

  get(project: { id: number }, rest: string, options?: CallOptions): Promise<Reply> {
    return this.service.api('GET', this.at(project, rest), options);
  }

  put(
    project: { id: number },
    rest: string,
    body: Record<string, unknown>,
    options: CallOptions = {},
  ): Promise<Reply> {
    return this.service.api('PUT', this.at(project, rest), { body, ...options });
  }

  post(
    project: { id: number },
    rest: string,
    body: Record<string, unknown> = {},
    options: CallOptions = {},
  ): Promise<Reply> {
    return this.service.api('POST', this.at(project, rest), { body, ...options });
  }

  /** A fork of the project, owned by the developer. */
  async fork(project: ProjectWithNamespace): Promise<ProjectWithNamespace> {
    const { core } = this.service;
    const origin = { ownerId: this.dev.user.id, forkedFromId: project.id };
    const fork = await seedProject(core, `fork${++this.count}`, origin);
    await core.repositoryOf(fork).importFrom(core.repositoryOf(project).path);
    return fork;
  }

  /** Payloads of the events of one type about a project, oldest first. */
  async told(project: { id: number }, type: string): Promise<Record<string, unknown>[]> {
    const rows = await this.service.core.db
      .selectFrom('events')
      .select('payload')
      .where('type', '=', type)
      .where('stream', '=', `project:${project.id}`)
      .orderBy('id')
      .execute();
    return rows.map(({ payload }) => JSON.parse(payload));
  }

  tip(project: ProjectWithNamespace, ref: string): Promise<string | null> {
    return resolveRef(this.service.core.repositoryOf(project), ref);
  }
}

/** Status and text of a refusal. */
export const answered = ({ status, body }: Reply) => [status, body.message ?? body.error];
