import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { WorkTree } from '../git/testing.ts';
import { type Forge, type History, makeHistory, openForge, type TestProject } from './testing.ts';

describe('reading a commit', () => {
  let forge: Forge;
  let work: WorkTree;
  let target: TestProject;
  let history: History;

  before(async () => {
    forge = await openForge();
    work = await forge.workTree();
    history = await makeHistory(work);
    await work.git('branch', 'v1.0.json', history.first);
    await work.git('tag', 'main-tag', history.side);
    target = await forge.project({ work });
  });
  after(() => forge[Symbol.asyncDispose]());

  const get = (path: string, query: Record<string, unknown> = {}) => target.commits('GET', path, { query });

  describe('GET commits/:sha', () => {
    it('finds it by id, short id, branch, tag, HEAD and ancestor', async () => {
      const names: [string, string][] = [
        [history.last, history.last],
        [history.last.toUpperCase(), history.last],
        [history.last.slice(0, 4), history.last],
        ['main', history.last],
        ['HEAD', history.last],
        ['side%2Fone', history.side],
        ['v1', history.merge],
        ['v1.0.json', history.first],
        ['old', history.first],
        ['main~1', history.binary],
      ];
      for (const [name, id] of names) {
        const { status, body } = await get(`/${name}`);
        assert.deepEqual([status, body.id], [200, id], name);
      }
    });

    it('has stats, status and pipeline, keys in GitLab’s order', async () => {
      const { body } = await get(`/${history.merge}`);
      assert.deepEqual(Object.keys(body).slice(-5), [
        'web_url',
        'stats',
        'status',
        'project_id',
        'last_pipeline',
      ]);
      assert.equal(body.project_id, target.project.id);
      assert.deepEqual([body.status, body.last_pipeline], [null, null]);
      assert.deepEqual(body.stats, { additions: 1, deletions: 0, total: 1 });
      assert.equal(body.parent_ids.length, 2);
    });

    it('leaves stats out when told so', async () => {
      const { body } = await get('/main', { stats: false });
      assert.ok(!('stats' in body));
      assert.deepEqual((await get('/main', { stats: 'maybe' })).body, { error: 'stats is invalid' });
    });

    for (const name of [
      'nowhere',
      '-x',
      '--all',
      'main:README.md',
      'a%20b',
      'main%5Ex',
      'f'.repeat(40),
      '0'.repeat(40),
      'x'.repeat(5000),
    ]) {
      it(`answers 404 for ${name.slice(0, 20)}`, async () => {
        const { status, body } = await get(`/${name}`);
        assert.deepEqual([status, body], [404, { message: '404 Commit Not Found' }]);
      });
    }

    it('does not take a tree or a blob for a commit', async () => {
      for (const rev of ['main^{tree}', 'main:README.md']) {
        const id = await work.git('rev-parse', rev);
        assert.equal((await get(`/${id}`)).status, 404, rev);
      }
    });

    it('matches no route with a slash that is not escaped', async () => {
      const { status, body } = await get('/side/one');
      assert.deepEqual([status, body], [404, { error: '404 Not Found' }]);
    });

    it('says 404 for every name in an empty repository', async () => {
      const empty = await forge.project();
      for (const name of ['main', 'HEAD', history.last]) {
        assert.equal((await empty.commits('GET', `/${name}`)).status, 404, name);
      }
    });
  });

  describe('GET commits/:sha/diff', () => {
    /** What stock git prints, cut into files as GitLab shows them. */
    async function gitDiff(...args: string[]) {
      const options = ['-M30%', '--full-index', '-p', '--no-commit-id', '-r', '--no-color', '--root'];
      const text = await work.git('diff-tree', ...options, ...args);
      return `\n${text}\n`
        .split('\ndiff --git ')
        .slice(1)
        .map((file) => {
          const at = file.search(/^@@ |^Binary /m);
          return at < 0 ? '' : `${file.slice(at).trimEnd()}\n`;
        });
    }

    it('shows what git shows against the first parent', async () => {
      const cases: [string, string[]][] = [
        [history.first, [history.first]],
        [history.renamed, [history.renamed]],
        [history.merge, [`${history.merge}^1`, history.merge]],
        [history.binary, [history.binary]],
        [history.last, [history.last]],
      ];
      for (const [id, args] of cases) {
        const { status, body } = await get(`/${id}/diff`);
        assert.equal(status, 200);
        const shown = body.map(({ diff }: { diff: string }) => (diff === '' ? '' : `${diff.trimEnd()}\n`));
        assert.deepEqual(shown, await gitDiff(...args), id);
      }
    });

    it('tells new, renamed, deleted, binary and changed modes', async () => {
      const [rename] = (await get(`/${history.renamed}/diff`)).body;
      assert.deepEqual(
        [rename.old_path, rename.new_path, rename.renamed_file, rename.diff],
        ['src/a.txt', 'src/b.txt', true, ''],
      );
      const bytes = (await get(`/${history.binary}/diff`)).body;
      assert.equal(bytes[0].diff, 'Binary files /dev/null and b/bin.dat differ\n');
      assert.deepEqual([bytes[0].new_file, bytes[0].a_mode, bytes[0].b_mode], [true, '0', '100644']);
      assert.equal(bytes[1].new_path, 'späße "x".txt');
      const [mode, gone] = (await get(`/${history.last}/diff`)).body;
      assert.deepEqual([mode.a_mode, mode.b_mode, mode.diff], ['100644', '100755', '']);
      assert.deepEqual(
        [gone.deleted_file, gone.b_mode, gone.old_path, gone.new_path],
        [true, '0', 'side.txt', 'side.txt'],
      );
      assert.deepEqual(Object.keys(gone), [
        ...['diff', 'collapsed', 'too_large', 'new_path', 'old_path', 'a_mode', 'b_mode'],
        ...['new_file', 'renamed_file', 'deleted_file', 'generated_file'],
      ]);
    });

    it('puts headers on texts with `unidiff`, and on nothing else', async () => {
      const bytes = (await get(`/${history.binary}/diff`, { unidiff: true })).body;
      assert.equal(bytes[0].diff, 'Binary files /dev/null and b/bin.dat differ\n');
      assert.match(bytes[1].diff, /^--- \/dev\/null\n\+\+\+ b\/späße "x"\.txt\n@@ /);
      const [mode, gone] = (await get(`/${history.last}/diff`, { unidiff: 1 })).body;
      assert.equal(mode.diff, '');
      assert.match(gone.diff, /^--- a\/side\.txt\n\+\+\+ \/dev\/null\n@@ -1 \+0,0 @@\n-side\n$/);
    });

    it('comes in pages with totals', async () => {
      const first = await get(`/${history.binary}/diff`, { per_page: 1 });
      assert.equal(first.body.length, 1);
      assert.deepEqual([first.headers['x-total'], first.headers['x-next-page']], ['2', '2']);
      const second = await get(`/${history.binary}/diff`, { per_page: 1, page: 2 });
      assert.equal(second.body[0].new_path, 'späße "x".txt');
      assert.equal(second.headers['x-next-page'], '');
      assert.deepEqual((await get('/main/diff', { page: 9 })).body, []);
      assert.deepEqual((await get('/main/diff', { page: 0 })).body, {
        error: 'page does not have a valid value',
      });
    });

    it('leaves out what is too large, and says so', async () => {
      const big = await forge.workTree();
      await big.save({ 'big.txt': `${'x'.repeat(99)}\n`.repeat(3000), 'small.txt': 'small\n' }, 'Big');
      const { commits } = await forge.project({ work: big });
      const { body } = await commits('GET', '/main/diff');
      assert.deepEqual([body[0].too_large, body[0].diff], [true, '']);
      assert.match(body[1].diff, /^@@ .*\n\+small\n$/s);
    });

    it('answers 404 for a commit that is not there', async () => {
      assert.deepEqual((await get('/nowhere/diff')).body, { message: '404 Commit Not Found' });
    });
  });

  describe('GET commits/:sha/refs', () => {
    const refs = async (path: string, query = {}) =>
      (await get(path, query)).body.map(
        ({ type, name }: { type: string; name: string }) => `${type} ${name}`,
      );

    it('lists branches and tags that contain it, as git does', async () => {
      const contains = async (kind: string, id: string) =>
        (await work.git(kind, '--contains', id, '--format=%(refname:short)')).split('\n').filter(Boolean);
      for (const id of [history.first, history.side, history.last]) {
        const branches = (await contains('branch', id)).map((name) => `branch ${name}`);
        const tags = (await contains('tag', id)).map((name) => `tag ${name}`);
        assert.deepEqual(await refs(`/${id}/refs`), [...branches, ...tags]);
        assert.deepEqual(await refs(`/${id}/refs`, { type: 'branch' }), branches);
        assert.deepEqual(await refs(`/${id}/refs`, { type: 'tag' }), tags);
      }
    });

    it('comes in pages, and shows a new branch at once', async () => {
      const { headers, body } = await get(`/${history.last}/refs`, { per_page: 1 });
      assert.deepEqual([body.length, headers['x-total']], [1, '1']);
      const root = { userId: 1, via: 'api' } as const;
      const update = { ref: 'refs/heads/another', old: null, new: history.last };
      await forge.service.core.refUpdates.update(target.project, [update], root);
      assert.deepEqual(await refs(`/${history.last}/refs`), ['branch another', 'branch main']);
    });

    it('refuses another type', async () => {
      const { status, body } = await get('/main/refs', { type: 'remote' });
      assert.deepEqual([status, body], [400, { error: 'type does not have a valid value' }]);
    });
  });

  it('counts the commits up to one', async () => {
    const count = async (...args: string[]) => Number(await work.git('rev-list', '--count', ...args));
    assert.deepEqual((await get('/main/sequence')).body, { count: await count('main') });
    const chain = await get('/main/sequence', { first_parent: true });
    assert.deepEqual(chain.body, { count: await count('--first-parent', 'main') });
    assert.equal((await get('/nowhere/sequence')).status, 404);
    assert.equal((await get('/main/sequence', { first_parent: 'x' })).status, 400);
  });
});
