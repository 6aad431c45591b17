import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Person, seedCommit, seedMember, seedProject, seedUser } from '../../../test/support/seed.ts';
import { startService, type TestService } from '../../../test/support/service.ts';
import { findEntry, readCommit } from '../../git/objects.ts';
import { resolveRef } from '../../git/refs.ts';
import { ApiError } from '../../platform/errors.ts';
import type { ProjectWithNamespace } from '../projects/find.ts';
import { type CommitAction, createCommit, type NewCommitInput } from './create-commit.ts';
import { insertProtectedBranch } from './protection-store.ts';

describe('a commit made of actions', () => {
  let service: TestService;
  let maintainer: Person;
  let developer: Person;
  let count = 0;

  before(async () => {
    service = await startService();
    maintainer = await seedUser(service.core, 'maintainer');
    developer = await seedUser(service.core, 'dev');
  });

  after(() => service.close());

  async function project({ empty = false, forkedFromId = null as number | null } = {}) {
    const made = await seedProject(service.core, `p${++count}`, { forkedFromId });
    await seedMember(service.core, made, maintainer.user, 40);
    await seedMember(service.core, made, developer.user, 30);
    const main = empty
      ? ''
      : await seedCommit(service.core, made, { branch: 'main', files: { a: 'a', b: 'b' } });
    return { made, main, repo: service.core.repositoryOf(made) };
  }

  type Rest = Partial<NewCommitInput> & { branch: string; actions: CommitAction[] };

  async function commit(made: ProjectWithNamespace, rest: Rest, person = maintainer): Promise<string> {
    const caller = { user: person.user, admin: false };
    const access = await service.core.access.project(caller, made);
    return createCommit(service.core, { caller, access, project: made, message: 'm', ...rest });
  }

  async function refusal(made: ProjectWithNamespace, rest: Rest, person?: Person) {
    const outcome = await commit(made, rest, person).then(
      () => 'made',
      (error: unknown) => error,
    );
    assert.ok(outcome instanceof ApiError, String(outcome));
    return [outcome.status, (outcome.body as { message: string }).message];
  }

  const create = (filePath: string, content = filePath): CommitAction => ({
    action: 'create',
    filePath,
    content,
  });

  it('is refused as missing when its project is deleted meanwhile', async () => {
    const { made, repo } = await project();
    await repo.remove();
    const answer = await refusal(made, { branch: 'main', actions: [create('c')] });
    assert.deepEqual(answer, [404, '404 Repository Not Found']);
  });

  it('starts a repository, its branch and nothing else', async () => {
    const { made, repo } = await project({ empty: true });
    const oid = await commit(made, { branch: 'trunk', actions: [create('a'), create('b')] });
    assert.equal(await resolveRef(repo, 'refs/heads/trunk'), oid);
    assert.deepEqual((await readCommit(repo, oid))?.parents, []);
  });

  it('is refused in order: right, start, branch, name, freshness, tree', async () => {
    const { made, main } = await project();
    const actions = [create('a')];
    assert.deepEqual(await refusal(made, { branch: 'x', startBranch: 'main', startSha: main, actions }), [
      400,
      "You can't pass both start_branch and start_sha",
    ]);
    assert.deepEqual(await refusal(made, { branch: 'x', startSha: 'abc', actions }), [
      400,
      "Invalid start_sha 'abc'",
    ]);
    const unknown = '1'.repeat(40);
    assert.deepEqual(await refusal(made, { branch: 'x', startSha: unknown, actions }), [
      400,
      `Cannot find start_sha '${unknown}'`,
    ]);
    assert.deepEqual(await refusal(made, { branch: 'x', actions }), [
      400,
      'You can only create or edit files when you are on a branch',
    ]);
    assert.deepEqual(await refusal(made, { branch: 'main', startSha: main, actions }), [
      400,
      "A branch called 'main' already exists. Switch to that branch in order to make changes",
    ]);
    assert.deepEqual(await refusal(made, { branch: 'a..b', startBranch: 'main', actions }), [
      400,
      "Something went wrong when we tried to create 'a..b' for you: Branch name is invalid",
    ]);
    // The first branch is protected from its first commit on.
    assert.deepEqual(await refusal(made, { branch: 'main', startSha: 'abc', actions }, developer), [
      403,
      '403 Forbidden - You are not allowed to push into this branch',
    ]);
  });

  it('leaves everything as it was when one action fails', async () => {
    const { made, main, repo } = await project();
    assert.deepEqual(await refusal(made, { branch: 'main', actions: [create('new'), create('a')] }), [
      400,
      'A file with this name already exists',
    ]);
    assert.equal(await resolveRef(repo, 'refs/heads/main'), main);
  });

  it('is refused for a file that has changed since, and only for that', async () => {
    const { made, main } = await project();
    const update = (filePath: string): CommitAction => ({
      action: 'update',
      filePath,
      content: `${filePath}2`,
      lastCommitId: main,
    });
    await commit(made, { branch: 'main', actions: [update('a')] });
    await commit(made, { branch: 'main', actions: [update('b')] });
    assert.deepEqual(await refusal(made, { branch: 'main', actions: [update('a')] }), [
      400,
      'The file has changed since you started editing it: a',
    ]);
    const unknown = { ...update('a'), lastCommitId: 'no such commit' };
    await commit(made, { branch: 'main', actions: [unknown] });
  });

  it('moves a branch elsewhere only by force, and a protected one not even so', async () => {
    const { made, main, repo } = await project();
    const side = await commit(made, { branch: 'side', startBranch: 'main', actions: [create('side')] });
    const forced = { branch: 'side', startSha: main, force: true, actions: [create('other')] };
    const oid = await commit(made, forced);
    assert.deepEqual((await readCommit(repo, oid))?.parents, [main]);
    assert.notEqual(oid, side);
    await insertProtectedBranch(service.core.db, { project_id: made.id, name: 'side', created_at: 0 });
    assert.deepEqual(await refusal(made, { ...forced, actions: [create('third')] }), [
      400,
      'You are not allowed to force push code to a protected branch on this project.',
    ]);
    assert.equal(await resolveRef(repo, 'refs/heads/side'), oid);
  });

  it('lets exactly one of many rivals make a branch', async () => {
    const { made } = await project();
    const rivals = Array.from({ length: 6 }, (_, index) =>
      commit(made, { branch: 'new', startBranch: 'main', actions: [create(`f${index}`)] }),
    );
    const results = await Promise.allSettled(rivals);
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
  });

  it('starts from another project of the fork network and brings its commits here', async () => {
    const { made } = await project();
    const fork = await project({ empty: true, forkedFromId: made.id });
    const oid = await commit(fork.made, {
      branch: 'topic',
      startBranch: 'main',
      startProject: made,
      actions: [create('c')],
    });
    assert.equal((await findEntry(fork.repo, oid, 'a'))?.type, 'blob');
    assert.equal(await resolveRef(service.core.repositoryOf(made), 'refs/heads/topic'), null);
  });

  it('takes names that the caller gives for the author, his own for the committer', async () => {
    const { made, repo } = await project();
    const author = { name: '  Zoe \n', email: 'zoe@example.com' };
    const oid = await commit(made, { branch: 'main', actions: [create('x')], author });
    const made2 = await readCommit(repo, oid);
    assert.deepEqual(
      [made2?.author.name, made2?.author.email, made2?.committer.email],
      ['Zoe', 'zoe@example.com', 'maintainer@example.com'],
    );
  });

  it('refuses what is no base64 and takes what is, padded or not', async () => {
    const { made } = await project();
    const encoded = (content: string): CommitAction => ({
      action: 'create',
      filePath: `f${++count}`,
      content,
      encoding: 'base64',
    });
    for (const bad of ['%%%%', 'QUJ', 'Q', 'QU=J', 'Q===']) {
      const outcome = commit(made, { branch: 'main', actions: [encoded(bad)] });
      if (bad === 'QUJ') await outcome;
      else await assert.rejects(outcome, ApiError, bad);
    }
    for (const good of ['', 'QQ==', 'QUI=', 'QUJD', 'QU\nJD\n']) {
      await commit(made, { branch: 'main', actions: [encoded(good)] });
    }
  });
});
