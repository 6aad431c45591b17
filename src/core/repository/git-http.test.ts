import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Person, seedCommit, seedMember, seedProject, seedUser } from '../../../test/support/seed.ts';
import { startService, type TestService } from '../../../test/support/service.ts';
import { resolveRef } from '../../git/refs.ts';
import { openTestGit, type TestGit, type WorkTree } from '../../git/testing.ts';
import { newToken, tokenHash } from '../tokens/secret.ts';
import { insertToken } from '../tokens/store.ts';

describe('git over HTTP', () => {
  let service: TestService;
  let work: TestGit;
  let owner: Person;
  let developer: Person;
  let stranger: Person;
  let count = 0;

  before(async () => {
    service = await startService();
    work = await openTestGit();
    [owner, developer, stranger] = await Promise.all([
      seedUser(service.core, 'owner'),
      seedUser(service.core, 'dev'),
      seedUser(service.core, 'stranger'),
    ]);
  });

  after(async () => {
    await work[Symbol.asyncDispose]();
    await service.close();
  });

  async function project(
    options: { visibility?: 'private' | 'public'; files?: Record<string, string> } = {},
  ) {
    const made = await seedProject(service.core, `p${++count}`, {
      ownerId: owner.user.id,
      visibility: options.visibility ?? 'private',
    });
    await seedMember(service.core, made, developer.user, 30);
    if (options.files) await seedCommit(service.core, made, { branch: 'main', files: options.files });
    return made;
  }

  const address = (path: string, person?: { token: string } | null, name = 'oauth2') => {
    const credentials = person ? `${name}:${person.token}@` : '';
    return `${service.baseUrl.replace('://', `://${credentials}`)}/${path}`;
  };

  /** What git printed when it failed; a success is a failure of the test. */
  async function refusal(tree: WorkTree, ...args: string[]): Promise<string> {
    const outcome = await tree.git(...args).then(
      () => 'it worked',
      (error: Error) => error.message,
    );
    assert.notEqual(outcome, 'it worked');
    return outcome;
  }

  async function clone(path: string, person: Person | null = owner): Promise<WorkTree> {
    const tree = await work.workTree();
    await tree.git('fetch', '--quiet', address(path, person), '+refs/heads/*:refs/remotes/origin/*');
    return tree;
  }

  const at = async (made: { storage_path: string }, ref: string) =>
    resolveRef(service.core.repositoryOf(made), ref);

  it('clones and pushes with a token under any user name', async () => {
    const made = await project({ files: { 'a.txt': 'a\n' } });
    const tree = await clone(`${made.full_path}.git`);
    await tree.git('reset', '--hard', 'origin/main');
    const commit = await tree.save({ 'b.txt': 'b\n' });
    for (const name of ['oauth2', 'gitlab-ci-token', 'owner']) {
      await tree.git('push', address(`${made.full_path}.git`, owner, name), `HEAD:refs/heads/by-${name}`);
      assert.equal(await at(made, `refs/heads/by-${name}`), commit);
    }
  });

  it('takes a first push, makes its branch the default one, and tells of it once', async () => {
    const made = await project();
    const tree = await work.workTree();
    const commit = await tree.save({ 'a.txt': 'a\n' });
    await tree.git('push', '-o', 'ci.skip', address(`${made.full_path}.git`, owner), 'HEAD:refs/heads/trunk');
    const { default_branch: branch } = await service.core.db
      .selectFrom('projects')
      .select('default_branch')
      .where('id', '=', made.id)
      .executeTakeFirstOrThrow();
    assert.equal(branch, 'trunk');
    const events = await service.core.db
      .selectFrom('events')
      .select('payload')
      .where('stream', '=', `project:${made.id}`)
      .where('type', '=', 'ref.moved')
      .execute();
    assert.deepEqual(
      events.map(({ payload }) => JSON.parse(payload)),
      [
        {
          projectId: made.id,
          ref: 'refs/heads/trunk',
          oldOid: null,
          newOid: commit,
          origin: { userId: owner.user.id, via: 'push', pushOptions: ['ci.skip'] },
        },
      ],
    );
  });

  it('asks for credentials before it tells whether anything is there', async () => {
    const made = await project({ files: { a: 'a' } });
    const tree = await work.workTree();
    for (const path of [made.full_path, 'no/such']) {
      const url = `${service.baseUrl}/${path}.git/info/refs?service=git-upload-pack`;
      const answer = await fetch(url);
      assert.equal(answer.status, 401);
      assert.equal(answer.headers.get('www-authenticate'), 'Basic realm="GitLab"');
      assert.match(await answer.text(), /^HTTP Basic: Access denied/);
    }
    assert.match(
      await refusal(tree, 'ls-remote', address(`${made.full_path}.git`, stranger)),
      /not found|could not be found/,
    );
    assert.match(
      await refusal(tree, 'ls-remote', address('no/such.git', owner)),
      /not found|could not be found/,
    );
    assert.match(
      await refusal(tree, 'ls-remote', address(`${made.full_path}.git`, { token: 'wrong' })),
      /Authentication failed|401|terminal prompts/,
    );
  });

  it('lets anybody clone what is public, and nobody push without the right', async () => {
    const made = await project({ visibility: 'public', files: { a: 'a' } });
    const tree = await clone(`${made.full_path}.git`, null);
    await tree.git('reset', '--hard', 'origin/main');
    await tree.save({ b: 'b' });
    assert.match(
      await refusal(tree, 'push', address(`${made.full_path}.git`, stranger), 'HEAD:refs/heads/x'),
      /You are not allowed to push code to this project\./,
    );
    const anonymous = await fetch(
      `${service.baseUrl}/${made.full_path}.git/info/refs?service=git-receive-pack`,
    );
    assert.equal(anonymous.status, 401);
    await anonymous.body?.cancel();
  });

  it('leads a clone without .git to the address with it', async () => {
    const made = await project({ files: { a: 'a' } });
    const answer = await fetch(`${service.baseUrl}/${made.full_path}/info/refs?service=git-upload-pack`, {
      redirect: 'manual',
    });
    assert.equal(answer.status, 301);
    assert.equal(answer.headers.get('location'), `/${made.full_path}.git/info/refs?service=git-upload-pack`);
    const tree = await clone(made.full_path);
    assert.equal(await tree.git('rev-parse', 'origin/main'), await at(made, 'refs/heads/main'));
  });

  it('wants a scope that fits', async () => {
    const made = await project({ files: { a: 'a' } });
    const token = newToken('personal');
    await service.core.database.transaction((tx) =>
      insertToken(tx, {
        user_id: owner.user.id,
        name: 'reads',
        token_hash: tokenHash(token),
        scopes: 'read_repository',
        created_at: 0,
        updated_at: 0,
      }),
    );
    const tree = await work.workTree();
    await tree.git('ls-remote', address(`${made.full_path}.git`, { token }));
    await tree.save({ b: 'b' });
    await refusal(tree, 'push', address(`${made.full_path}.git`, { token }), 'HEAD:refs/heads/x');
    assert.equal(await at(made, 'refs/heads/x'), null);
  });

  it('refuses a blocked user and an archived project', async () => {
    const made = await project({ files: { a: 'a' } });
    const blocked = await seedUser(service.core, 'blocked');
    await service.core.db
      .updateTable('users')
      .set({ state: 'blocked' })
      .where('id', '=', blocked.user.id)
      .execute();
    const tree = await work.workTree();
    await tree.save({ b: 'b' });
    assert.match(
      await refusal(tree, 'ls-remote', address(`${made.full_path}.git`, blocked)),
      /Your account has been blocked|403/,
    );
    await service.core.db.updateTable('projects').set({ archived: 1 }).where('id', '=', made.id).execute();
    assert.match(
      await refusal(tree, 'push', address(`${made.full_path}.git`, owner), 'HEAD:refs/heads/x'),
      /archived|403/,
    );
  });

  it('begins pipelines for the first four refs of a large push', async () => {
    const made = await project({ files: { '.gitlab-ci.yml': 'test: { script: make }' } });
    const tree = await clone(`${made.full_path}.git`);
    const tags = [1, 2, 3, 4, 5, 6].map((n) => `origin/main:refs/tags/v${n}`);
    await tree.git('push', address(`${made.full_path}.git`, owner), ...tags);
    await service.core.events.idle();
    const { body } = await service.api('GET', `/projects/${made.id}/pipelines`, {
      token: owner.token,
      query: { scope: 'tags', sort: 'asc' },
    });
    assert.deepEqual(
      body.map(({ ref }: { ref: string }) => ref),
      ['v1', 'v2', 'v3', 'v4'],
    );
  });

  it('keeps developers off a protected branch and everybody off its history', async () => {
    const made = await project({ files: { a: 'a' } });
    await service.core.db
      .insertInto('protected_branches')
      .values({ project_id: made.id, name: 'release/*', created_at: 0 })
      .execute();
    const tree = await clone(`${made.full_path}.git`);
    await tree.git('reset', '--hard', 'origin/main');
    await tree.save({ b: 'b' });
    const push = (person: Person, ...refs: string[]) => [
      'push',
      address(`${made.full_path}.git`, person),
      ...refs,
    ];
    assert.match(
      await refusal(tree, ...push(developer, 'HEAD:refs/heads/release/1')),
      /GitLab: You are not allowed to push code to protected branches on this project\./,
    );
    await tree.git(...push(owner, 'HEAD:refs/heads/release/1'));
    await tree.git('reset', '--hard', 'origin/main');
    await tree.save({ c: 'c' });
    assert.match(
      await refusal(tree, ...push(owner, '+HEAD:refs/heads/release/1')),
      /GitLab: You are not allowed to force push code to a protected branch on this project\./,
    );
    assert.match(
      await refusal(tree, ...push(owner, ':refs/heads/release/1')),
      /GitLab: You can only delete protected branches using the web interface\./,
    );
    assert.match(
      await refusal(tree, ...push(owner, ':refs/heads/main')),
      /GitLab: The default branch of a project cannot be deleted\./,
    );
    await tree.git(...push(developer, 'HEAD:refs/heads/topic'));
    await tree.git(...push(developer, '+HEAD~1:refs/heads/topic'));
    await tree.git(...push(developer, ':refs/heads/topic'));
  });

  it('lets only maintainers make the first branch', async () => {
    const made = await project();
    const tree = await work.workTree();
    await tree.save({ a: 'a' });
    assert.match(
      await refusal(tree, 'push', address(`${made.full_path}.git`, developer), 'HEAD:refs/heads/main'),
      /GitLab: You are not allowed to push code to protected branches on this project\./,
    );
  });

  it('keeps tags that are protected, and takes notes but none of its own refs', async () => {
    const made = await project({ files: { a: 'a' } });
    await service.core.db
      .insertInto('protected_tags')
      .values({ project_id: made.id, name: 'v*', created_at: 0 })
      .execute();
    const tree = await clone(`${made.full_path}.git`);
    const push = (person: Person, ref: string) =>
      ['push', address(`${made.full_path}.git`, person), ref] as const;
    assert.match(
      await refusal(tree, ...push(developer, 'origin/main:refs/tags/v1')),
      /GitLab: You are not allowed to create this tag as it is protected\./,
    );
    await tree.git(...push(owner, 'origin/main:refs/tags/v1'));
    await tree.git(...push(developer, 'origin/main:refs/tags/free'));
    await tree.git(...push(developer, 'origin/main:refs/notes/semantic-release'));
    assert.match(await refusal(tree, ...push(owner, 'origin/main:refs/merge-requests/1/head')), /rejected/);
    assert.match(await refusal(tree, ...push(owner, 'origin/main:refs/other/x')), /cannot be pushed/);
  });

  it('moves what it can of a push that is not atomic, nothing of one that is', async () => {
    const made = await project({ files: { a: 'a' } });
    const tree = await clone(`${made.full_path}.git`);
    const push = (...args: string[]) => ['push', ...args, address(`${made.full_path}.git`, owner)];
    const refs = ['origin/main:refs/heads/one', 'origin/main:refs/heads/main/two'];
    await refusal(tree, ...push('--atomic'), ...refs);
    assert.equal(await at(made, 'refs/heads/one'), null);
    await refusal(tree, ...push(), ...refs);
    assert.notEqual(await at(made, 'refs/heads/one'), null);
  });

  it('serves a project under the path that it had before, and says where it is now', async () => {
    const made = await project({ files: { a: 'a' } });
    await service.core.db
      .insertInto('project_redirects')
      .values({ path: 'owner/old-name', project_id: made.id })
      .execute();
    const tree = await clone('owner/old-name.git');
    // One ref is refused, so that the push fails and shows what the service said.
    const refs = ['origin/main:refs/heads/x', 'origin/main:refs/heads/main/below'];
    const said = await refusal(tree, 'push', address('owner/old-name.git', owner), ...refs);
    assert.match(said, new RegExp(`Project 'owner/old-name' was moved to '${made.full_path}'`));
    assert.notEqual(await at(made, 'refs/heads/x'), null);
  });

  it('takes a push that is sent in pieces and compressed', async () => {
    const made = await project({ files: { a: 'a' } });
    const tree = await clone(`${made.full_path}.git`);
    await tree.git('reset', '--hard', 'origin/main');
    const big = Array.from({ length: 200_000 }, (_, line) => `${line * 7919}`).join('\n');
    const commit = await tree.save({ 'big.txt': big });
    await tree.git(
      '-c',
      'http.postBuffer=1000',
      'push',
      address(`${made.full_path}.git`, owner),
      'HEAD:refs/heads/main',
    );
    assert.equal(await at(made, 'refs/heads/main'), commit);
  });

  it('lets a job fetch with its token, and push where its project allows that', async () => {
    const made = await project({ files: { a: 'a' } });
    const token = newToken('job');
    await service.core.db
      .insertInto('job_tokens')
      .values({
        token_hash: tokenHash(token),
        job_id: 1,
        user_id: owner.user.id,
        project_id: made.id,
        created_at: 0,
      })
      .execute();
    const tree = await work.workTree();
    const url = address(`${made.full_path}.git`, { token }, 'gitlab-ci-token');
    await tree.git('fetch', url, 'main');
    assert.match(
      await refusal(tree, 'push', url, 'FETCH_HEAD:refs/heads/x'),
      /403|not allowed to upload code/,
    );
    await service.api('PUT', `/projects/${made.id}`, {
      body: { ci_push_repository_for_job_token_allowed: true },
    });
    await tree.git('push', url, 'FETCH_HEAD:refs/heads/x');
    assert.equal(await at(made, 'refs/heads/x'), await at(made, 'refs/heads/main'));
    const foreign = await project({ files: { b: 'b' } });
    const elsewhere = address(`${foreign.full_path}.git`, { token }, 'gitlab-ci-token');
    assert.match(await refusal(tree, 'push', elsewhere, 'FETCH_HEAD:refs/heads/x'), /403|not allowed/);
    const asUser = address(`${made.full_path}.git`, { token }, 'owner');
    assert.match(await refusal(tree, 'ls-remote', asUser), /Authentication failed|401|terminal prompts/);
  });

  it('ends its processes when the client goes away', async () => {
    // Too much for the buffers between git and a client that does not read, and nothing that could be compressed.
    const made = await project({
      visibility: 'public',
      files: { big: randomBytes(8_000_000).toString('latin1') },
    });
    const head = await at(made, 'refs/heads/main');
    const want = `want ${head} no-progress ofs-delta\n`;
    const body = `${(want.length + 4).toString(16).padStart(4, '0')}${want}00000009done\n`;
    const before = await processes();
    const gone = new AbortController();
    const answer = await fetch(`${service.baseUrl}/${made.full_path}.git/git-upload-pack`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-git-upload-pack-request' },
      body,
      signal: gone.signal,
    });
    assert.equal(answer.status, 200);
    assert.ok((await processes()) > before, 'the pack is still on its way');
    gone.abort();
    while ((await processes()) > before) await sleep(20);
  });

  async function processes(): Promise<number> {
    const gauge = service.service.metrics.registry.getSingleMetric('ingot_git_processes');
    const { values } = await gauge!.get();
    return values[0]?.value ?? 0;
  }

  it('answers nonsense like any address that is not there', async () => {
    const statusOf = async (path: string) => {
      const answer = await fetch(service.baseUrl + path);
      await answer.body?.cancel();
      return answer.status;
    };
    assert.equal(await statusOf('/x/info/refs'), 404);
    assert.equal(await statusOf('/%ff/%fe.git/info/refs?service=git-upload-pack'), 400);
    assert.equal(await statusOf('/a%00b/c.git/info/refs?service=git-upload-pack'), 404);
    assert.equal(await statusOf('/a/b.git/info/refs'), 403);
  });
});
