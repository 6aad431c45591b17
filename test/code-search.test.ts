import assert from 'node:assert/strict';
import { readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { ProjectWithNamespace } from '../src/core/projects/find.ts';
import { findProjectById } from '../src/core/projects/store.ts';
import { openTestGit, type TestGit, type WorkTree } from '../src/git/testing.ts';
import { createLog } from '../src/platform/log.ts';
import { searchBlobs, searchWikiBlobs } from '../src/search/blobs/search.ts';
import { openService, type Service } from '../src/service.ts';
import { createTestDatabase, forEachDatabase } from './support/databases.ts';
import { ROOT_TOKEN, startService, type TestService } from './support/service.ts';

type Searched = Pick<Service, 'core' | 'codeSearch' | 'metrics'>;

const FIRST_PAGE = { page: 1, perPage: 100, offset: 0 };

/** `path:startline` of each hit, and of how many places git answered. */
async function look(
  { core, codeSearch, metrics }: Searched,
  project: { id: number },
  search: string,
  { ref = '', wiki = false } = {},
) {
  const projects = [(await findProjectById(core.db, project.id))!];
  const asked = { projects, search, ref, page: FIRST_PAGE, counted: true };
  const gitBefore = await countByGit(metrics);
  const { items } = await (wiki ? searchWikiBlobs : searchBlobs)(core, codeSearch.search, asked);
  const byGit = (await countByGit(metrics)) - gitBefore;
  return { hits: items.map((item) => `${item.path}:${item.startline}`), byGit };
}

async function countByGit(metrics: Searched['metrics']): Promise<number> {
  const found = await metrics.registry.getSingleMetric('ingot_search_places_total')?.get();
  return found?.values.find(({ labels }) => labels['by'] === 'git')?.value ?? 0;
}

forEachDatabase((kind) => {
  describe('the code index of a running service', () => {
    let running: TestService;
    let git: TestGit;
    let work: WorkTree;
    let project: { id: number; path_with_namespace: string };

    /** What the index says; git must not be asked. */
    async function indexed(search: string, options: { ref?: string; wiki?: boolean; in?: number } = {}) {
      await running.service.codeSearch.idle();
      const { hits, byGit } = await look(running.service, { id: options.in ?? project.id }, search, options);
      assert.equal(byGit, 0, 'git was asked');
      return hits;
    }

    const push = (...args: string[]) => work.git('push', '--quiet', 'origin', ...args);

    before(async () => {
      running = await startService({ kind });
      git = await openTestGit();
      work = await git.workTree();
      const made = await running.api('POST', '/projects', { body: { name: 'Code' } });
      project = made.body;
      const address = `${running.baseUrl}/${project.path_with_namespace}.git`;
      await work.git('remote', 'add', 'origin', address.replace('//', `//root:${ROOT_TOKEN}@`));
      await work.save({ 'src/a.c': 'int main() {\n  return frobnicate();\n}\n', 'README.md': 'Read me\n' });
      await push('main');
    });
    after(async () => {
      await running.close();
      await git[Symbol.asyncDispose]();
    });

    it('finds what was pushed, at once by git and then by the index', async () => {
      const { hits } = await look(running.service, project, 'FROBNICATE');
      assert.deepEqual(hits, ['src/a.c:1']);
      assert.deepEqual(await indexed('frobnicate'), ['src/a.c:1']);
      assert.deepEqual(await indexed('readme'), ['README.md:1']);
    });

    it('follows pushes, forced ones too', async () => {
      await work.save({ 'src/b.c': '// frobnicate again\n' });
      await push('main');
      assert.deepEqual(await indexed('frobnicate'), ['src/a.c:1', 'src/b.c:1']);
      await work.git('reset', '--quiet', '--hard', 'HEAD~1');
      await work.save({ 'src/c.c': '// frobnicate otherwise\n' });
      await running.api('DELETE', `/projects/${project.id}/protected_branches/main`);
      await push('--force', 'main');
      assert.deepEqual(await indexed('frobnicate'), ['src/a.c:1', 'src/c.c:1']);
    });

    it('leaves other branches to git, with the same hits', async () => {
      await work.git('checkout', '--quiet', '-b', 'topic/x');
      await work.save({ 'src/topic.c': 'frobnicate here\n' });
      await push('topic/x');
      assert.deepEqual(await indexed('frobnicate'), ['src/a.c:1', 'src/c.c:1']);
      const expected = ['src/a.c:1', 'src/c.c:1', 'src/topic.c:1'];
      const sha = await work.git('rev-parse', 'HEAD');
      for (const ref of ['topic/x', sha, sha.slice(0, 9)]) {
        assert.deepEqual(await look(running.service, project, 'frobnicate', { ref }), {
          hits: expected,
          byGit: 2,
        });
      }
      for (const ref of ['nowhere', 'a b', '--all', 'main:src', '*']) {
        assert.deepEqual(await look(running.service, project, 'frobnicate', { ref }), { hits: [], byGit: 0 });
      }
    });

    it('answers by the index for any name of the commit that it holds', async () => {
      const sha = await work.git('rev-parse', 'main');
      for (const ref of ['main', 'heads/main', sha]) {
        assert.deepEqual(await indexed('frobnicate', { ref }), ['src/a.c:1', 'src/c.c:1']);
      }
    });

    it('follows the default branch when it is switched', async () => {
      await running.api('PUT', `/projects/${project.id}`, { body: { default_branch: 'topic/x' } });
      assert.deepEqual(await indexed('frobnicate'), ['src/a.c:1', 'src/c.c:1', 'src/topic.c:1']);
      await running.api('PUT', `/projects/${project.id}`, { body: { default_branch: 'main' } });
      assert.deepEqual(await indexed('frobnicate'), ['src/a.c:1', 'src/c.c:1']);
    });

    it('stays right over a rename, a transfer, another visibility and the archive', async () => {
      const group = (
        await running.api('POST', '/groups', { body: { name: 'G', path: 'g', visibility: 'internal' } })
      ).body;
      const path = `/projects/${project.id}`;
      const expected = ['src/a.c:1', 'src/c.c:1'];
      for (const [method, address, body] of [
        ['PUT', path, { name: 'Other', path: 'other' }],
        ['PUT', `${path}/transfer`, { namespace: group.id }],
        ['PUT', path, { visibility: 'internal' }],
        ['POST', `${path}/archive`, {}],
        ['POST', `${path}/unarchive`, {}],
      ] as const) {
        const { status, text } = await running.api(method, address, { body });
        assert.ok(status < 300, `${method} ${address}: ${status} ${text}`);
        assert.deepEqual(await indexed('frobnicate'), expected);
      }
    });

    it('holds a fork without a blob more', async () => {
      const before = running.service.codeSearch.status();
      const fork = (
        await running.api('POST', `/projects/${project.id}/fork`, {
          body: { path: 'forked', name: 'Forked' },
        })
      ).body;
      assert.deepEqual(await indexed('frobnicate', { in: fork.id }), ['src/a.c:1', 'src/c.c:1']);
      const { indexed_blobs: blobs, indexed_projects: projects } = running.service.codeSearch.status();
      assert.deepEqual([blobs, projects], [before.indexed_blobs, before.indexed_projects + 1]);
      assert.equal((await running.api('DELETE', `/projects/${fork.id}`)).status, 202);
      await running.service.codeSearch.idle();
      assert.equal(running.service.codeSearch.status().indexed_projects, before.indexed_projects);
    });

    it('holds wikis apart from code', async () => {
      const wiki = await running.api('POST', `/projects/${project.id}/wikis`, {
        body: { title: 'Home page', content: 'How to frobnicate\n' },
      });
      assert.equal(wiki.status, 201, wiki.text);
      assert.deepEqual(await indexed('frobnicate', { wiki: true }), ['Home-page.md:1']);
      assert.deepEqual(await indexed('home PAGE', { wiki: true }), ['Home-page.md:1']);
      assert.deepEqual(await indexed('', { wiki: true }), []);
      assert.deepEqual(await indexed('frobnicate'), ['src/a.c:1', 'src/c.c:1']);
    });

    it('shows administrators how it is', async () => {
      await running.service.codeSearch.idle();
      const { status, body } = await running.api('GET', '/admin/search/status');
      assert.equal(status, 200);
      assert.equal(body.state, 'idle');
      assert.equal(body.pending_projects, 0);
      assert.ok(body.indexed_blobs > 3 && body.bytes > 0 && body.segments > 0, JSON.stringify(body));
      assert.deepEqual([body.running, body.failing], [[], []]);
      const user = await running.api('POST', '/users', {
        body: { username: 'ann', name: 'Ann', email: 'ann@example.com', password: 'a-long-pass-phrase' },
      });
      const token = await running.api('POST', `/users/${user.body.id}/personal_access_tokens`, {
        body: { name: 't', scopes: ['api'] },
      });
      const refused = await running.api('GET', '/admin/search/status', { token: token.body.token });
      assert.equal(refused.status, 403);
    });

    it('bears what no search should hold', async () => {
      const texts = [
        '\0',
        'a\0b',
        '"'.repeat(5),
        `path:"zz b`,
        'x'.repeat(1_000_000),
        'a '.repeat(5000),
        '-e',
        '--all',
        '\\',
      ];
      for (const text of texts) {
        const { hits } = await look(running.service, project, text);
        assert.deepEqual(hits, [], text.slice(0, 20));
        await look(running.service, project, text, { ref: 'topic/x' });
      }
      assert.deepEqual(await indexed('frobnicate'), ['src/a.c:1', 'src/c.c:1']);
    });
  });
});

describe('a code index that is gone', () => {
  it('is made again, and meanwhile git answers', async (test) => {
    const database = await createTestDatabase('sqlite');
    const open = async () => {
      const service = await openService({
        dataDir: database.dir,
        log: createLog('silent'),
        fsync: false,
        rootToken: ROOT_TOKEN,
      });
      await service.listen({ host: '127.0.0.1', port: 0 });
      return service;
    };
    const first = await open();
    const made = await first.server.inject({
      method: 'POST',
      url: '/api/v4/projects',
      headers: { 'private-token': ROOT_TOKEN },
      payload: { name: 'p', initialize_with_readme: true },
    });
    const project: ProjectWithNamespace = made.json();
    await first.codeSearch.idle();
    assert.deepEqual(await look(first, project, '# p'), { hits: ['README.md:1'], byGit: 0 });
    await first.close();
    await rm(join(database.dir, 'code-index'), { recursive: true });

    const second = await open();
    test.after(async () => {
      await second.close();
      await database.drop();
    });
    assert.deepEqual((await look(second, project, '# p')).hits, ['README.md:1']);
    await second.codeSearch.idle();
    assert.deepEqual(await look(second, project, '# p'), { hits: ['README.md:1'], byGit: 0 });
  });

  it('is made again at once where one of its files proves unreadable', async (test) => {
    const running = await startService();
    test.after(() => running.close());
    const { body: project } = await running.api('POST', '/projects', {
      body: { name: 'p', initialize_with_readme: true },
    });
    const { codeSearch } = running.service;
    await codeSearch.idle();
    const segments = join(running.dataDir, 'code-index', '1', 'index', 'segments');
    for (const search of ['# p', 'readme']) {
      for (const file of await readdir(segments)) {
        const { size } = await stat(join(segments, file));
        await writeFile(join(segments, file), Buffer.alloc(size, 'x'), { flag: 'r+' });
      }
      assert.deepEqual((await look(running.service, project, search)).hits, ['README.md:1']);
      await codeSearch.idle();
      assert.deepEqual(await look(running.service, project, search), { hits: ['README.md:1'], byGit: 0 });
    }
  });

  it('is not missed by searches of one project when it is turned off', async (test) => {
    const running = await startService({ codeIndex: false });
    test.after(() => running.close());
    const made = await running.api('POST', '/projects', {
      body: { name: 'p', initialize_with_readme: true },
    });
    assert.equal(running.service.codeSearch.search.enabled, false);
    assert.deepEqual(await look(running.service, made.body, '# p'), { hits: ['README.md:1'], byGit: 2 });
    const { body } = await running.api('GET', '/admin/search/status');
    assert.deepEqual([body.enabled, body.state, body.indexed_blobs], [false, 'idle', 0]);
  });
});
