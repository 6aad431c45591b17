import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { GitbeakerRequestError, Gitlab } from '@gitbeaker/rest';
import { findProject } from '../src/core/projects/find.ts';
import { SearchBench } from '../src/search/testing.ts';
import { seedCommit } from './support/seed.ts';

type Client = InstanceType<typeof Gitlab<false>>;
/** The client's own types know each scope by itself; here they come out of a table. */
type SearchAll = (scope: string, search: string, options?: object) => Promise<Record<string, unknown>[]>;
const searchBy =
  (client: Client): SearchAll =>
  (scope, search, options = {}) =>
    client.Search.all(scope as 'issues', search, options) as never;

/** A real client over a real port, in every scope at every level. */
describe('gitbeaker on search', () => {
  let bench: SearchBench;
  let client: Client;
  const path = 'g/sub/p';

  before(async () => {
    bench = await SearchBench.open();
    const group = await bench.made('POST', '/groups', { name: 'g', path: 'g' });
    const sub = await bench.made('POST', '/groups', { name: 'sub', path: 'sub', parent_id: group.id });
    await bench.made('POST', '/projects', { name: 'Puffin', path: 'p', namespace_id: sub.id });
    client = new Gitlab({ host: bench.service.baseUrl, token: bench.service.rootToken });
    await fill(bench, path);
    await bench.service.service.codeSearch.idle();
  });
  after(() => bench.close());

  const all: SearchAll = (...asked) => searchBy(client)(...asked);
  const places = { everywhere: {}, group: { groupId: 'g' }, project: { projectId: path } };
  const refused = async (work: Promise<unknown>) => {
    const error: unknown = await work.then(
      () => assert.fail('was not refused'),
      (reason: unknown) => reason,
    );
    assert.ok(error instanceof GitbeakerRequestError, String(error));
    return [error.cause?.response.status, error.cause?.description];
  };

  const expected: [
    scope: string,
    search: string,
    where: (keyof typeof places)[],
    field: string,
    value: unknown,
  ][] = [
    ['projects', 'puffin', ['everywhere', 'group'], 'path_with_namespace', path],
    ['issues', 'PUFFIN issue', ['everywhere', 'group', 'project'], 'title', 'A puffin issue'],
    ['issues', '#1', ['everywhere', 'group', 'project'], 'iid', 1],
    ['merge_requests', 'puffin', ['everywhere', 'group', 'project'], 'source_branch', 'topic'],
    ['milestones', 'puffin', ['everywhere', 'group', 'project'], 'state', 'active'],
    ['users', 'robin', ['everywhere', 'group', 'project'], 'username', 'robin'],
    ['snippet_titles', 'puffin', ['everywhere'], 'file_name', 'a.txt'],
    ['snippet_blobs', 'burrow', ['everywhere'], 'title', 'Puffin snippet'],
    ['notes', 'puffin', ['project'], 'noteable_type', 'Issue'],
    ['blobs', 'puffins dive', ['everywhere', 'group', 'project'], 'path', 'docs/birds.md'],
    ['blobs', 'dive filename:birds*', ['everywhere', 'group', 'project'], 'startline', 1],
    ['wiki_blobs', 'puffin wiki', ['everywhere', 'group', 'project'], 'path', 'Birds.md'],
    ['commits', 'about puffins', ['everywhere', 'group', 'project'], 'title', 'All about puffins'],
  ];
  for (const [scope, search, where, field, value] of expected) {
    it(`finds ${scope} by ${search}`, async () => {
      for (const level of where) {
        const found = await all(scope, search, places[level]);
        assert.deepEqual(
          found.map((item) => item[field]),
          [value],
          level,
        );
      }
    });
  }

  it('reads all pages by following Link', async () => {
    const found = await all('issues', '', { perPage: 1 });
    assert.deepEqual(
      found.map(({ iid }) => iid),
      [2, 1],
    );
  });

  it('reads a page with what its headers say', async () => {
    const page = { projectId: path, page: 1, perPage: 1, maxPages: 1, showExpanded: true };
    const { data, paginationInfo } = (await all('blobs', 'dive', page)) as unknown as {
      data: unknown[];
      paginationInfo: Record<string, number | null>;
    };
    assert.equal(data.length, 1);
    assert.deepEqual([paginationInfo['total'], paginationInfo['next']], [2, 2]);
  });

  it('passes what narrows and orders', async () => {
    const closed = await all('issues', '', { projectId: path, state: 'closed' });
    assert.deepEqual(
      closed.map(({ iid }) => iid),
      [2],
    );
    const oldest = { orderBy: 'created_at', sort: 'asc' };
    const ordered = await all('issues', '', oldest);
    assert.deepEqual(
      ordered.map(({ iid }) => iid),
      [1, 2],
    );
    const onTopic = await all('blobs', 'topic only', {
      projectId: path,
      ref: 'topic',
    });
    assert.deepEqual(
      onTopic.map(({ ref }) => ref),
      ['topic'],
    );
  });

  it('is told what GitLab tells of mistakes', async () => {
    const noScope = [400, 'scope does not have a valid value'];
    assert.deepEqual(await refused(all('nonsense', 'abc')), noScope);
    assert.deepEqual(await refused(all('notes', 'abc')), noScope);
    assert.deepEqual(await refused(all('snippet_titles', 'abc', places.group)), noScope);
    assert.deepEqual(await refused(all('issues', 'abc', { groupId: 'nowhere' })), [
      404,
      '404 Group Not Found',
    ]);
    assert.deepEqual(await refused(all('issues', 'abc', { projectId: 'no/where' })), [
      404,
      '404 Project Not Found',
    ]);
    const stranger = new Gitlab({ host: bench.service.baseUrl, token: 'glpat-nobody' });
    assert.deepEqual(await refused(searchBy(stranger)('projects', 'abc')), [401, '401 Unauthorized']);
  });
});

async function fill(bench: SearchBench, path: string): Promise<void> {
  const place = `/projects/${encodeURIComponent(path)}`;
  const { core } = bench.service;
  const { project } = (await findProject(core.db, path))!;
  const files = { 'docs/birds.md': 'Puffins dive\n', 'other.md': 'They dive too\n' };
  await seedCommit(core, project, { branch: 'main', files, message: 'All about puffins\n' });
  await seedCommit(core, project, {
    branch: 'topic',
    from: 'main',
    files: { 'topic.md': 'On topic only\n' },
  });
  await bench.made('POST', `${place}/merge_requests`, {
    ...{ title: 'Puffin request', source_branch: 'topic', target_branch: 'main' },
  });
  await bench.made('POST', `${place}/issues`, { title: 'A puffin issue' });
  const other = await bench.made('POST', `${place}/issues`, { title: 'Another' });
  await bench.made('POST', `${place}/issues/1/notes`, { body: 'Look, a puffin' });
  await bench.made('PUT', `${place}/issues/${other.iid}`, { state_event: 'close' });
  await bench.made('POST', `${place}/milestones`, { title: 'Puffin season' });
  await bench.made('POST', `${place}/wikis`, { title: 'Birds', content: 'The Puffin wiki page' });
  await bench.made('POST', '/snippets', {
    ...{ title: 'Puffin snippet', files: [{ file_path: 'a.txt', content: 'a burrow' }] },
  });
  const robin = await bench.person('robin');
  await bench.admit('groups/g', robin, 30);
}
