import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CallOptions, type Reply, startService, type TestService } from '../../test/support/service.ts';
import { Level } from '../core/access/levels.ts';
import type { Actor } from '../core/caller.ts';
import { insertMember } from '../core/members/store.ts';
import { createProject, type NewProject } from '../core/projects/create.ts';
import type { ProjectWithNamespace } from '../core/projects/find.ts';
import type { User } from '../core/tables.ts';
import { newToken, tokenHash } from '../core/tokens/secret.ts';
import { insertToken } from '../core/tokens/store.ts';
import { createUser } from '../core/users/create.ts';
import { findUser } from '../core/users/store.ts';
import type { Repository } from '../git/repository.ts';
import { WorkTree } from '../git/testing.ts';
import type { DialectName } from '../platform/db/migrate.ts';

/** A whole service with projects whose history stock git has made: what the tests of this room begin with. */
export interface Forge extends AsyncDisposable {
  service: TestService;
  root: Actor;
  /** A new, empty work tree of stock git. */
  workTree(): Promise<WorkTree>;
  /** A project of root's; with `work` it has everything that the work tree has. */
  project(input?: NewProject & { work?: WorkTree }): Promise<TestProject>;
  /** Somebody with a token. */
  person(name: string): Promise<Person>;
}

export interface Person {
  user: User;
  token: string;
}

export interface TestProject {
  project: ProjectWithNamespace;
  repo: Repository;
  /** Calls `/projects/:id` + path. */
  call(method: string, path: string, options?: CallOptions): Promise<Reply>;
  /** The same below `repository/commits`. */
  commits(method: string, path: string, options?: CallOptions): Promise<Reply>;
  admit(person: Person, level: keyof typeof Level): Promise<void>;
}

export async function openForge(kind: DialectName = 'sqlite'): Promise<Forge> {
  const service = await startService({ kind });
  const { core } = service;
  const user = await findUser(core.db, 1);
  if (!user) throw new Error('the service has no first user');
  const root: Actor = { user, admin: true };
  const folder = await mkdtemp(join(tmpdir(), 'ingot-commits-'));
  let count = 0;
  return {
    service,
    root,
    workTree: () => WorkTree.create(join(folder, `w${++count}`)),
    async project({ work, ...input } = {}) {
      const project = await createProject(core, root, { name: `project-${++count}`, ...input });
      const repo = core.repositoryOf(project);
      if (work) await repo.importFrom(work.path);
      return testProject(service, project, repo);
    },
    person: (name) => makePerson(service, name),
    async [Symbol.asyncDispose]() {
      await service.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function testProject(service: TestService, project: ProjectWithNamespace, repo: Repository): TestProject {
  const call = (method: string, path: string, options?: CallOptions) =>
    service.api(method, `/projects/${project.id}${path}`, options);
  return {
    project,
    repo,
    call,
    commits: (method, path, options) => call(method, `/repository/commits${path}`, options),
    async admit({ user }, level) {
      await service.core.database.transaction((tx) =>
        insertMember(tx, {
          user_id: user.id,
          project_id: project.id,
          namespace_id: null,
          access_level: Level[level],
          expires_at: null,
          requested_at: null,
          created_by_id: null,
          created_at: service.core.clock.now(),
        }),
      );
    },
  };
}

async function makePerson({ core }: TestService, name: string): Promise<Person> {
  const token = newToken('personal');
  const now = core.clock.now();
  return core.database.transaction(async (tx) => {
    const user = await createUser(tx, { username: name, name, email: `${name}@example.com` }, now);
    await insertToken(tx, {
      user_id: user.id,
      name: 'test',
      token_hash: tokenHash(token),
      scopes: 'api',
      created_at: now,
      updated_at: now,
    });
    return { user, token };
  });
}

/** Ids of a history that has what histories have: a merge, a rename, binary files, odd names, a change of mode. */
export interface History {
  first: string;
  renamed: string;
  side: string;
  merge: string;
  binary: string;
  last: string;
}

export async function makeHistory(work: WorkTree): Promise<History> {
  const first = await work.save({ 'src/a.txt': 'one\ntwo\nthree\n', 'README.md': '# Hello\n' }, 'First\n');
  await work.git('mv', 'src/a.txt', 'src/b.txt');
  const renamed = await work.commit('Rename\n\nBecause it reads better.\n');
  await work.git('checkout', '--quiet', '-b', 'side/one');
  const side = await work.save({ 'side.txt': 'side\n' }, 'On the side', {
    author: 'Bob',
    email: 'bob@x.org',
  });
  await work.git('checkout', '--quiet', 'main');
  await work.save({ 'src/b.txt': 'one\n2\nthree\nfour\n' }, 'Edit\n\nSigned-off-by: Ann <ann@example.com>\n');
  await work.git('merge', '--quiet', '--no-ff', '-m', 'Merge side', 'side/one');
  const merge = await work.git('rev-parse', 'HEAD');
  await work.git('tag', '-a', '-m', 'Version 1', 'v1');
  const binary = await work.save(
    { 'bin.dat': Buffer.from([0, 1, 2, 0xff]), 'späße "x".txt': 'ü\n' },
    'Bytes',
  );
  await work.git('update-index', '--chmod=+x', 'README.md');
  await work.git('rm', '--quiet', 'side.txt');
  await work.git('commit', '--quiet', '-m', 'Executable, and one file less');
  const last = await work.git('rev-parse', 'HEAD');
  await work.git('branch', 'old', first);
  return { first, renamed, side, merge, binary, last };
}
