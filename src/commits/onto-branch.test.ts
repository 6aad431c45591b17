import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { dialects } from '../../test/support/databases.ts';
import { resolveRevision } from '../git/revision.ts';
import type { WorkTree } from '../git/testing.ts';
import { revertMessage } from './revert.ts';
import { type Forge, openForge, type TestProject } from './testing.ts';

const REASON =
  "Can't perform this action automatically. It may have already been done, or a more recent commit may have " +
  'updated some of this content. Please perform this action locally.';

for (const kind of dialects) {
  describe(`cherry-pick and revert on ${kind}`, () => {
    let forge: Forge;
    let work: WorkTree;
    let ids: { fix: string; clash: string; merge: string };

    before(async () => {
      forge = await openForge(kind);
      work = await forge.workTree();
      await work.save({ 'a.txt': 'one\ntwo\n', 'b.txt': 'b\n' }, 'First');
      await work.git('checkout', '--quiet', '-b', 'topic');
      const fix = await work.save({ 'c.txt': 'fixed\n' }, 'Fix it\n\nAt last.', {
        author: 'Bob',
        email: 'bob@x.org',
        zone: '-0330',
      });
      const clash = await work.save({ 'a.txt': 'one\nTOPIC\n' }, 'Clash');
      await work.git('checkout', '--quiet', '-b', 'side', 'topic');
      await work.save({ 'd.txt': 'd\n' }, 'Add d');
      await work.git('checkout', '--quiet', 'topic');
      await work.git('merge', '--quiet', '--no-ff', '-m', 'Merge side', 'side');
      const merge = await work.git('rev-parse', 'HEAD');
      await work.git('checkout', '--quiet', 'main');
      await work.save({ 'a.txt': 'one\nMAIN\n' }, 'Other two');
      ids = { fix, clash, merge };
    });
    after(() => forge[Symbol.asyncDispose]());

    const project = () => forge.project({ work });
    const pick = (target: TestProject, id: string, body: Record<string, unknown> = { branch: 'main' }) =>
      target.commits('POST', `/${id}/cherry_pick`, { body });
    const revert = (target: TestProject, id: string, body: Record<string, unknown> = { branch: 'main' }) =>
      target.commits('POST', `/${id}/revert`, { body });

    it('puts a commit on top of the branch, its author kept', async () => {
      const target = await project();
      const tip = await resolveRevision(target.repo, 'main');
      const { status, body } = await pick(target, ids.fix);
      assert.equal(status, 201);
      assert.deepEqual(body.parent_ids, [tip]);
      assert.equal(body.message, `Fix it\n\nAt last.\n\n(cherry picked from commit ${ids.fix})`);
      const original = (await target.commits('GET', `/${ids.fix}`)).body;
      for (const key of ['author_name', 'author_email', 'authored_date'])
        assert.equal(body[key], original[key]);
      assert.equal(body.committer_name, 'Administrator');
      assert.equal(await resolveRevision(target.repo, 'main'), body.id);
      assert.ok(!('stats' in body));
    });

    it('takes another message', async () => {
      const { body } = await pick(await project(), ids.fix, { branch: 'main', message: 'Mine' });
      assert.equal(body.message, 'Mine');
    });

    it('takes a merge relative to its first parent', async () => {
      const target = await project();
      const { body } = await pick(target, ids.merge);
      const diff = await target.commits('GET', `/${body.id}/diff`);
      assert.deepEqual(
        diff.body.map(({ new_path }: { new_path: string }) => new_path),
        ['d.txt'],
      );
      const back = await revert(target, body.id);
      assert.equal(back.status, 201);
    });

    it('only tells with `dry_run`, in the query too', async () => {
      const target = await project();
      const tip = await resolveRevision(target.repo, 'main');
      const dry = await pick(target, ids.fix, { branch: 'main', dry_run: true });
      assert.deepEqual([dry.status, dry.body], [200, { dry_run: 'success' }]);
      const query = await target.commits('POST', `/${ids.clash}/cherry_pick?dry_run=True`, {
        body: { branch: 'main' },
      });
      const message = `Commit cherry-pick failed: ${REASON}`;
      assert.deepEqual(
        [query.status, query.body],
        [400, { message, error_code: 'conflict', dry_run: 'error' }],
      );
      assert.equal(await resolveRevision(target.repo, 'main'), tip);
    });

    it('refuses a conflict and what is there already', async () => {
      const target = await project();
      const message = `Commit cherry-pick failed: ${REASON}`;
      assert.deepEqual((await pick(target, ids.clash)).body, { message, error_code: 'conflict' });
      assert.equal((await pick(target, ids.fix)).status, 201);
      const again = await pick(target, ids.fix);
      assert.deepEqual([again.status, again.body], [400, { message, error_code: 'empty' }]);
    });

    it('takes a commit back, once', async () => {
      const target = await project();
      const tip = (await resolveRevision(target.repo, 'main')) ?? '';
      const { status, body } = await revert(target, tip);
      assert.equal(status, 201);
      assert.equal(body.message, `Revert "Other two"\n\nThis reverts commit ${tip}`);
      assert.equal(body.author_name, 'Administrator');
      const again = await revert(target, tip);
      assert.deepEqual(again.body, { message: `Commit revert failed: ${REASON}`, error_code: 'empty' });
      const root = await work.git('rev-list', '--max-parents=0', 'main');
      assert.equal((await revert(await project(), root)).body.error_code, 'conflict');
    });

    it('takes back the very first commit', async () => {
      const fresh = await forge.workTree();
      const first = await fresh.save({ 'a.txt': 'a\n' }, 'First');
      const target = await forge.project({ work: fresh });
      assert.equal((await revert(target, first)).status, 201);
      assert.deepEqual((await target.commits('GET', '/main/diff')).body[0].deleted_file, true);
    });

    it('refuses parameters, names and missing things in GitLab’s words', async () => {
      const target = await project();
      const cases: [string, string, Record<string, unknown>, number, Record<string, string>][] = [
        ['no branch', ids.fix, {}, 400, { error: 'branch is missing, branch is empty' }],
        ['a blank branch', ids.fix, { branch: ' ' }, 400, { error: 'branch is empty' }],
        ['a list', ids.fix, { branch: ['main'] }, 400, { error: 'branch is invalid' }],
        [
          'a dry run that is neither',
          ids.fix,
          { branch: 'main', dry_run: 'x' },
          400,
          { error: 'dry_run is invalid' },
        ],
        ['no such commit', 'nowhere', { branch: 'main' }, 404, { message: '404 Commit Not Found' }],
        ['no such branch', ids.fix, { branch: 'nowhere' }, 404, { message: '404 Branch Not Found' }],
        [
          'a malformed branch',
          ids.fix,
          { branch: 'a..b' },
          400,
          { message: 'The branch refname is invalid' },
        ],
        ['an option', ids.fix, { branch: '--force' }, 400, { message: 'The branch refname is invalid' }],
        [
          'a full name',
          ids.fix,
          { branch: 'refs/heads/main' },
          400,
          { message: 'The branch refname is invalid' },
        ],
      ];
      for (const act of [pick, revert]) {
        for (const [name, id, body, status, expected] of cases) {
          const reply = await act(target, id, body);
          assert.deepEqual([reply.status, reply.body], [status, expected], name);
        }
      }
    });

    it('asks for the right to push before it looks for anything', async () => {
      const target = await project();
      const person = await forge.person(`reporter-${crypto.randomUUID().slice(0, 8)}`);
      await target.admit(person, 'reporter');
      const { status, body } = await target.commits('POST', '/nowhere/cherry_pick', {
        token: person.token,
        body: { branch: 'nowhere' },
      });
      assert.equal(status, 403);
      assert.deepEqual(body, { message: '403 Forbidden - You are not allowed to push into this branch' });
    });

    it('builds upon commits that land at the same time', async () => {
      const target = await project();
      const add = (path: string) =>
        target.commits('POST', '', {
          body: { branch: 'main', commit_message: path, actions: [{ action: 'create', file_path: path }] },
        });
      const replies = await Promise.all([pick(target, ids.fix), add('x'), pick(target, ids.merge), add('y')]);
      assert.deepEqual(
        replies.map(({ status }) => status),
        [201, 201, 201, 201],
      );
      assert.deepEqual((await target.commits('GET', '/main/sequence')).body, { count: 6 });
    });
  });
}

describe('the message of a revert', () => {
  const commit = (message: string) => ({
    id: 'a'.repeat(40),
    tree: '',
    parents: [],
    author: { name: '', email: '', date: 0, offset: '+00:00' },
    committer: { name: '', email: '', date: 0, offset: '+00:00' },
    message,
  });

  it('names the merge request that the commit merged', () => {
    const text = revertMessage({ commit: commit('Merge branch'), mergeRequest: { iid: 7 } });
    assert.equal(text, 'Revert "Merge branch"\n\nThis reverts merge request !7');
  });

  it('cuts a title of 100 letters and more at a word', () => {
    const title = (message: string) =>
      /^Revert "(.*)"\n/.exec(revertMessage({ commit: commit(message), mergeRequest: null }))?.[1];
    assert.equal(title('x'.repeat(99)), 'x'.repeat(99));
    assert.equal(title('x'.repeat(100)), `${'x'.repeat(78)}...`);
    assert.equal(title('word '.repeat(20)), `${'word '.repeat(15).trim()}...`);
    assert.equal(title('😀'.repeat(100)), `${'😀'.repeat(78)}...`);
  });
});
