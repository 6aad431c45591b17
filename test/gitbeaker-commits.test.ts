import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { GitbeakerRequestError, Gitlab } from '@gitbeaker/rest';
import { type Forge, makeHistory, openForge, type TestProject } from '../src/commits/testing.ts';

/** A real client over a real port: what it sends, and what it makes of the answers. */
describe('gitbeaker on commits', () => {
  let forge: Forge;
  let target: TestProject;
  let client: InstanceType<typeof Gitlab<false>>;
  let ids: Awaited<ReturnType<typeof makeHistory>>;
  let path: string;

  before(async () => {
    forge = await openForge();
    const work = await forge.workTree();
    ids = await makeHistory(work);
    target = await forge.project({ work });
    path = target.project.full_path;
    client = new Gitlab({ host: forge.service.baseUrl, token: forge.service.rootToken });
  });
  after(() => forge[Symbol.asyncDispose]());

  const statusOf = (error: unknown) =>
    error instanceof GitbeakerRequestError ? [error.cause?.response.status, error.cause?.description] : error;
  const refusal = (work: Promise<unknown>) =>
    work.then(
      () => assert.fail('was not refused'),
      (error: unknown) => statusOf(error),
    );

  it('lists all pages by following Link', async () => {
    const all = await client.Commits.all(path, { perPage: 2 });
    const { body } = await target.commits('GET', '');
    assert.deepEqual(
      all.map(({ id }) => id),
      body.map(({ id }: { id: string }) => id),
    );
  });

  it('reads one page with what its headers say', async () => {
    const { data, paginationInfo } = await client.Commits.all(path, {
      ...{ pagination: 'offset', page: 2, perPage: 2, maxPages: 1, showExpanded: true },
    } as const);
    assert.equal(data.length, 2);
    assert.deepEqual([paginationInfo.current, paginationInfo.perPage], [2, 2]);
    assert.deepEqual([paginationInfo.next, paginationInfo.previous], [3, 1]);
  });

  it('passes every filter', async () => {
    const list = async (options: Record<string, string | boolean>) =>
      (await client.Commits.all(path, options)).map(({ id }) => id);
    assert.deepEqual(await list({ refName: 'side/one', author: 'Bob' }), [ids.side]);
    assert.deepEqual(await list({ path: 'src/b.txt', refName: ids.renamed }), [ids.renamed, ids.first]);
    assert.equal((await list({ since: '2023-11-14T22:15:20Z', until: '2023-11-14T22:15:20Z' })).length, 1);
    assert.ok((await list({ all: true })).includes(ids.last));
    assert.ok(!(await list({ firstParent: true, order: 'topo' })).includes(ids.side));
    const [newest] = await client.Commits.all(path, {
      withStats: true,
      trailers: true,
      perPage: 1,
      maxPages: 1,
    });
    assert.deepEqual(newest?.stats, { additions: 0, deletions: 1, total: 1 });
  });

  it('reads a commit, its diff, refs and place', async () => {
    const commit = await client.Commits.show(path, 'side/one');
    assert.equal(commit.id, ids.side);
    assert.equal(commit['project_id'], target.project.id);
    const diff = await client.Commits.showDiff(path, ids.binary, { perPage: 1 });
    assert.deepEqual(
      diff.map(({ new_path }) => new_path),
      ['bin.dat', 'späße "x".txt'],
    );
    const refs = await client.Commits.allReferences(path, ids.merge, { perPage: 1 });
    assert.deepEqual(
      refs.map(({ type, name }) => `${type} ${name}`),
      ['branch main', 'tag v1'],
    );
    assert.deepEqual(await client.Commits.showSequence(path, ids.first), { count: 1 });
    assert.deepEqual(await refusal(client.Commits.showGPGSignature(path, 'main')), [
      404,
      '404 Signature Not Found',
    ]);
    assert.deepEqual(await refusal(client.Commits.show(path, 'nowhere')), [404, '404 Commit Not Found']);
    assert.deepEqual(await client.Commits.allMergeRequests(path, ids.merge), []);
  });

  it('creates a commit of many actions, picks it elsewhere and takes it back', async () => {
    const made = await client.Commits.create(
      path,
      'topic',
      'Many\n\nIn one.',
      [
        { action: 'create', filePath: 'a.bin', content: 'AAEC', encoding: 'base64' },
        { action: 'update', filePath: 'README.md', content: '# Bye\n' },
        { action: 'move', filePath: 'lib/b.txt', previousPath: 'src/b.txt' },
        { action: 'chmod', filePath: 'README.md', execute_filemode: false },
        { action: 'delete', filePath: 'bin.dat' },
      ],
      { startBranch: 'main', authorName: 'Cleo', authorEmail: 'cleo@example.com' },
    );
    assert.deepEqual([made.title, made.author_name, made.parent_ids?.[0]], ['Many', 'Cleo', ids.last]);
    assert.ok((made['stats'] as { total: number }).total > 0);

    const dry = await client.Commits.cherryPick(path, made.id, 'main', { dryRun: true });
    assert.deepEqual(dry, { dry_run: 'success' });
    const picked = await client.Commits.cherryPick(path, made.id, 'main');
    assert.ok(
      (picked['message'] as string).startsWith(
        `${made['message']}\n\n(cherry picked from commit ${made.id})`,
      ),
    );
    const [status, text] = (await refusal(client.Commits.cherryPick(path, made.id, 'main'))) as [
      number,
      string,
    ];
    assert.equal(status, 400);
    assert.match(text, /^Commit cherry-pick failed/);

    const reverted = await client.Commits.revert(path, picked.id, 'main');
    assert.equal(reverted['message'], `Revert "Many"\n\nThis reverts commit ${picked.id}`);
    assert.equal(((await refusal(client.Commits.revert(path, picked.id, 'main'))) as [number])[0], 400);
  });

  it('comments on a commit and on a line', async () => {
    await client.Commits.createComment(path, ids.side, 'Plain');
    const inline = await client.Commits.createComment(path, ids.side, 'Inline', {
      ...{ path: 'side.txt', line: 1, lineType: 'new' },
    });
    assert.deepEqual([inline.note, inline.line, inline.line_type], ['Inline', 1, 'new']);
    const comments = await client.Commits.allComments(path, ids.side);
    assert.deepEqual(
      comments.map(({ note }) => note),
      ['Plain', 'Inline'],
    );
  });

  it('leads a discussion', async () => {
    const { CommitDiscussions } = client;
    const thread = await CommitDiscussions.create(path, ids.side, 'Why?', {
      position: {
        baseSha: ids.renamed,
        startSha: ids.renamed,
        headSha: ids.side,
        positionType: 'text',
        newPath: 'side.txt',
        newLine: '1',
      },
    });
    const id = thread['id'] as string;
    const note = await CommitDiscussions.addNote(path, ids.side, id, 'Because');
    await CommitDiscussions.editNote(path, ids.side, id, note.id, { body: 'Because!' });
    const shown = await CommitDiscussions.show(path, ids.side, id);
    assert.deepEqual(
      shown.notes?.map(({ body }) => body),
      ['Why?', 'Because!'],
    );
    await CommitDiscussions.removeNote(path, ids.side, id, note.id);
    const all = await CommitDiscussions.all(path, ids.side);
    assert.equal(all.length, 3);
    assert.deepEqual(all, await client.Commits.allDiscussions(path, ids.side));
    assert.equal(all.find((one) => one['id'] === id)?.notes?.length, 1);
  });

  it('sets and lists statuses', async () => {
    const status = await client.Commits.editStatus(path, ids.last, 'success', {
      ...{ name: 'ci/test', coverage: 12.5, targetUrl: 'https://ci.example.com', description: 'Fine' },
    });
    const [listed] = await client.Commits.allStatuses(path, ids.last, { all: true });
    assert.deepEqual(listed, status);
    const commit = await client.Commits.show(path, ids.last, { stats: false });
    assert.equal(commit['status'], 'success');
    assert.equal((commit.last_pipeline as { sha: string }).sha, ids.last);
    assert.ok(!('stats' in commit));
  });
});
