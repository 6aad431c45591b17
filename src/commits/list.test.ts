import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { WorkTree } from '../git/testing.ts';
import { type Forge, type History, makeHistory, openForge, type TestProject } from './testing.ts';

describe('GET commits', () => {
  let forge: Forge;
  let work: WorkTree;
  let target: TestProject;
  let history: History;

  before(async () => {
    forge = await openForge();
    work = await forge.workTree();
    history = await makeHistory(work);
    target = await forge.project({ work });
  });
  after(() => forge[Symbol.asyncDispose]());

  const list = (query: Record<string, unknown>) => target.commits('GET', '', { query });
  const ids = async (query: Record<string, unknown>): Promise<string[]> => {
    const { status, body } = await list(query);
    assert.equal(status, 200, JSON.stringify(body));
    return body.map(({ id }: { id: string }) => id);
  };
  const log = async (...args: string[]) =>
    (await work.git('log', '--format=%H', ...args)).split('\n').filter(Boolean);

  const sameAsGit: [name: string, query: Record<string, unknown>, args: string[]][] = [
    ['the default branch', {}, ['main']],
    ['an empty name as the default branch', { ref_name: '' }, ['main']],
    ['a branch', { ref_name: 'side/one' }, ['side/one']],
    ['an annotated tag', { ref_name: 'v1' }, ['v1']],
    ['a range', { ref_name: 'v1..main' }, ['v1..main']],
    ['a range of three dots', { ref_name: 'side/one...old' }, ['side/one...old']],
    ['an ancestor', { ref_name: 'main~2' }, ['main~2']],
    ['topological order', { order: 'topo' }, ['--topo-order', 'main']],
    ['first parents', { first_parent: 'true' }, ['--first-parent', 'main']],
    ['a path, renames followed', { path: 'src/b.txt' }, ['--follow', 'main', '--', 'src/b.txt']],
    ['a path without its renames', { path: 'src/b.txt', follow: false }, ['main', '--', 'src/b.txt']],
    ['a folder', { path: 'src', follow: false }, ['main', '--', 'src']],
    ['a path that was removed', { path: 'side.txt' }, ['main', '--', 'side.txt']],
    ['a path with odd letters', { path: 'späße "x".txt' }, ['main', '--', 'späße "x".txt']],
    ['a blank path as none', { path: ' ' }, ['main']],
    ['an author', { author: 'Bob' }, ['--author=Bob', 'main']],
    ['an author by mail', { author: '@x.org' }, ['--author=@x.org', 'main']],
    ['since, inclusive', { since: '2023-11-14T22:15:20Z' }, ['--since=2023-11-14T22:15:20Z', 'main']],
    ['until, inclusive', { until: '2023-11-14T22:15:20Z' }, ['--until=2023-11-14T22:15:20Z', 'main']],
    ['the second page', { page: 2, per_page: 2 }, ['--skip=2', '-2', 'main']],
    ['a parameter that is not known', { ref: 'old', nonsense: 1 }, ['main']],
  ];
  for (const [name, query, args] of sameAsGit) {
    it(`lists ${name} as git does`, async () => {
      const expected = await log(...args);
      assert.ok(expected.length > 0);
      assert.deepEqual(await ids(query), expected);
    });
  }

  it('takes a full and a short id', async () => {
    const expected = await log(history.merge);
    assert.deepEqual(await ids({ ref_name: history.merge }), expected);
    assert.deepEqual(await ids({ ref_name: history.merge.slice(0, 7) }), expected);
  });

  it('lists every commit with `all`, the newest page beginning with its oldest', async () => {
    const newest = await log('--all');
    assert.deepEqual(await ids({ all: true, ref_name: 'nowhere' }), newest.toReversed());
    assert.deepEqual(await ids({ all: true, per_page: 3 }), newest.slice(0, 3).toReversed());
  });

  it('is empty where there is nothing, and says so without a next page', async () => {
    for (const query of [
      { ref_name: 'nowhere' },
      { ref_name: 'nowhere', path: 'src' },
      { ref_name: 'nowhere..main' },
      { path: 'nowhere.txt' },
      { author: 'Nobody' },
      { author: 'BOB' },
      { page: 99 },
      { page: Number.MAX_SAFE_INTEGER },
      { path: '../../etc/passwd' },
    ]) {
      const { status, body, headers } = await list(query);
      assert.deepEqual([status, body, headers['x-next-page']], [200, [], ''], JSON.stringify(query));
    }
  });

  it('has the fields and dates of GitLab', async () => {
    const { body } = await list({ trailers: true, with_stats: true });
    const edit = body.find(({ title }: { title: string }) => title === 'Edit');
    assert.deepEqual(Object.keys(edit), [
      ...['id', 'short_id', 'created_at', 'parent_ids', 'title', 'message', 'author_name', 'author_email'],
      ...['authored_date', 'committer_name', 'committer_email', 'committed_date', 'trailers'],
      ...['extended_trailers', 'web_url', 'stats'],
    ]);
    assert.equal(edit.short_id, edit.id.slice(0, 8));
    assert.equal(edit.message, 'Edit\n\nSigned-off-by: Ann <ann@example.com>\n');
    assert.equal(edit.author_name, 'Ann');
    assert.equal(edit.committer_email, 'cid@example.com');
    assert.match(edit.created_at, /^2023-11-1\dT\d\d:\d\d:\d\d\.000\+01:00$/);
    assert.equal(edit.committed_date, edit.created_at);
    assert.deepEqual(edit.trailers, { 'Signed-off-by': 'Ann <ann@example.com>' });
    assert.deepEqual(edit.extended_trailers, { 'Signed-off-by': ['Ann <ann@example.com>'] });
    const path = target.project.full_path;
    assert.equal(edit.web_url, `${forge.service.baseUrl}/${path}/-/commit/${edit.id}`);
  });

  it('leaves trailers and stats out unless they are asked for', async () => {
    const { body } = await list({});
    for (const commit of body) {
      assert.deepEqual([commit.trailers, commit.extended_trailers], [{}, {}]);
      assert.ok(!('stats' in commit));
    }
  });

  it('counts lines as git does', async () => {
    const { body } = await list({ with_stats: true });
    for (const { id, stats } of body) {
      const parent = await work.git('rev-list', '--parents', '-1', id);
      const args = parent.includes(' ') ? [`${id}^1`, id] : ['--root', id];
      const text = await work.git('diff-tree', '-r', '-M', '--shortstat', '--no-commit-id', ...args);
      const count = (word: string) => Number(new RegExp(`(\\d+) ${word}`).exec(text)?.[1] ?? 0);
      const [additions, deletions] = [count('insertion'), count('deletion')];
      assert.deepEqual(stats, { additions, deletions, total: additions + deletions }, id);
    }
  });

  it('says that a full page has a next one, and a short one none', async () => {
    const total = (await log('main')).length;
    const full = await list({ per_page: total });
    assert.equal(full.headers['x-next-page'], '2');
    assert.match(full.headers['link'] ?? '', /rel="next".*rel="first"$/);
    assert.equal(full.headers['x-total'], undefined);
    const short = await list({ per_page: total + 1 });
    assert.equal(short.headers['x-next-page'], '');
    const [, link] = /^<([^>]+)>; rel="next"/.exec(full.headers['link'] ?? '') ?? [];
    assert.match(link ?? '', /\?id=\d+&order=default&page=2&per_page=\d+&trailers=false$/);
  });

  const refused: [query: Record<string, unknown>, body: Record<string, string>][] = [
    [{ page: 0 }, { error: 'page does not have a valid value' }],
    [
      { page: -1, per_page: 0 },
      { error: 'page does not have a valid value, per_page does not have a valid value' },
    ],
    [{ page: 0, since: 'soon' }, { error: 'page does not have a valid value' }],
    [{ page: 'a' }, { error: 'page is invalid' }],
    [{ per_page: '1e9' }, { error: 'per_page is invalid' }],
    [{ since: 'yesterday' }, { error: 'since is invalid' }],
    [{ until: '2023-02-31' }, { error: 'until is invalid' }],
    [{ order: 'date' }, { error: 'order does not have a valid value' }],
    [{ with_stats: 'maybe' }, { error: 'with_stats is invalid' }],
    [{ ref_name: '--output=/tmp/x' }, { message: 'ref_name is invalid' }],
    [{ ref_name: 'main:README.md' }, { message: 'ref_name is invalid' }],
    [{ ref_name: 'a b' }, { message: 'ref_name is invalid' }],
    [{ ref_name: 'a\\b' }, { message: 'ref_name is invalid' }],
  ];
  for (const [query, body] of refused) {
    it(`refuses ${JSON.stringify(query)}`, async () => {
      const reply = await list(query);
      assert.deepEqual([reply.status, reply.body], [400, body]);
    });
  }

  it('refuses a NUL byte before anything reads it', async () => {
    const reply = await target.commits('GET', '?ref_name=main%00');
    assert.equal(reply.status, 400);
  });

  it('shows a push at once, also by a page that was written before', async () => {
    const { repo, commits } = await forge.project({ work });
    const before = await commits('GET', '');
    const again = await commits('GET', '', { headers: { 'if-none-match': before.headers['etag'] ?? '' } });
    assert.equal(again.status, 304);
    const added = await work.save({ 'new.txt': 'new\n' }, 'Pushed');
    await repo.importFrom(work.path);
    const { status, body } = await commits('GET', '', {
      headers: { 'if-none-match': before.headers['etag'] ?? '' },
    });
    assert.deepEqual([status, body[0].id], [200, added]);
    const all = await commits('GET', '?all=true&per_page=1');
    assert.equal(all.body[0].id, added);
    await work.git('reset', '--quiet', '--hard', 'HEAD~1');
  });

  it('is empty for an empty repository', async () => {
    const { commits } = await forge.project();
    for (const query of ['', '?all=true', '?path=a', '?ref_name=main']) {
      const { status, body } = await commits('GET', query);
      assert.deepEqual([status, body], [200, []], query);
    }
  });

  it('asks git once for callers who come at the same time', async () => {
    const { commits } = await forge.project({ work });
    const started = () =>
      forge.service.service.metrics.registry.getSingleMetricAsString('ingot_git_processes_total');
    const runs = async () => Number(/command="log"\} (\d+)/.exec(await started())?.[1] ?? 0);
    const before = await runs();
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => commits('GET', '?per_page=5&order=topo')),
    );
    assert.equal(replies[0]?.body.length, 5);
    assert.equal(new Set(replies.map(({ text }) => text)).size, 1);
    assert.equal(await runs(), before + 1);
    await commits('GET', '?per_page=5&order=topo');
    assert.equal(await runs(), before + 1);
  });
});
