import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { type Person, seedCommit, seedMember, seedProject, seedUser } from '../../../test/support/seed.ts';
import { startService, type TestService } from '../../../test/support/service.ts';

describe('files, folders and what lies between commits', () => {
  let service: TestService;
  let developer: Person;
  let count = 0;

  before(async () => {
    service = await startService();
    developer = await seedUser(service.core, 'dev');
  });

  after(() => service.close());

  async function project(files: Record<string, string> | null = { 'a.txt': 'one\ntwo\n' }) {
    const made = await seedProject(service.core, `p${++count}`);
    await seedMember(service.core, made, developer.user, 30);
    const main = files && (await seedCommit(service.core, made, { branch: 'main', files }));
    return { made, main: main ?? '', base: `/projects/${made.id}/repository` };
  }

  const call = (method: string, path: string, body?: unknown, token?: string) =>
    service.api(method, path, { body, ...(token && { token }) });
  const answer = async (method: string, path: string, body?: unknown, token?: string) => {
    const reply = await call(method, path, body, token);
    return [reply.status, reply.body];
  };
  const paths = (body: { path: string }[]) => body.map(({ path }) => path);

  describe('a file', () => {
    it('is shown with its contents and every fact, in the body and in headers', async () => {
      const { base, main } = await project({ 'dir/ä b.txt': 'hällo\n' });
      const content = Buffer.from('hällo\n');
      const path = `${base}/files/${encodeURIComponent('dir/ä b.txt')}`;
      const shown = await call('GET', `${path}?ref=main`);
      assert.equal(shown.status, 200);
      assert.deepEqual(shown.body, {
        file_name: 'ä b.txt',
        file_path: 'dir/ä b.txt',
        size: 7,
        encoding: 'base64',
        content_sha256: createHash('sha256').update(content).digest('hex'),
        ref: 'main',
        blob_id: createHash('sha1').update('blob 7\0').update(content).digest('hex'),
        commit_id: main,
        last_commit_id: main,
        execute_filemode: false,
        content: content.toString('base64'),
      });
      const head = await call('HEAD', `${path}?ref=main`);
      assert.equal(head.status, 200);
      assert.equal(head.text, '');
      assert.equal(head.headers['x-gitlab-blob-id'], shown.body.blob_id);
      assert.equal(head.headers['x-gitlab-size'], '7');
      assert.equal(head.headers['x-gitlab-last-commit-id'], main);
      assert.equal(head.headers['x-gitlab-content-sha256'], shown.body.content_sha256);
      const raw = await call('GET', `${path}/raw`);
      assert.deepEqual(raw.bytes, content);
      assert.equal(raw.headers['x-gitlab-commit-id'], main);
    });

    it('that is large is streamed raw', async () => {
      const text = 'x'.repeat(3 * 1024 * 1024);
      const { base, main } = await project({ 'big.txt': text });
      const raw = await call('GET', `${base}/files/big.txt/raw?ref=${main}`);
      assert.equal(raw.text.length, text.length);
      assert.equal(raw.headers['x-gitlab-size'], String(text.length));
    });

    it('that is not there is told apart from a ref that is not there', async () => {
      const { base } = await project();
      assert.deepEqual(await answer('GET', `${base}/files/none?ref=main`), [
        404,
        { message: '404 File Not Found' },
      ]);
      assert.deepEqual(await answer('GET', `${base}/files/a.txt?ref=none`), [
        404,
        { message: '404 Commit Not Found' },
      ]);
      assert.deepEqual(await answer('GET', `${base}/files/a.txt`), [
        400,
        { error: 'ref is missing, ref is empty' },
      ]);
      assert.deepEqual(await answer('GET', `${base}/files/..%2Fa.txt?ref=main`), [
        404,
        { message: '404 File Not Found' },
      ]);
      const empty = await project(null);
      assert.deepEqual(await answer('GET', `${empty.base}/files/a.txt/raw`), [
        404,
        { message: '404 Commit Not Found' },
      ]);
    });

    it('is created in an empty repository, changed and deleted, each in a commit', async () => {
      const { base } = await project(null);
      const path = `${base}/files/docs%2Fread%20me.md`;
      const created = { branch: 'main', commit_message: 'add', content: 'one' };
      assert.deepEqual(await answer('POST', path, created), [
        201,
        { file_path: 'docs/read me.md', branch: 'main' },
      ]);
      const changed = {
        branch: 'main',
        commit_message: 'change',
        content: Buffer.from([0, 1, 255]).toString('base64'),
        encoding: 'base64',
        execute_filemode: true,
        author_name: 'Zoe',
        author_email: 'zoe@example.com',
      };
      assert.deepEqual(await answer('PUT', path, changed), [
        200,
        { file_path: 'docs/read me.md', branch: 'main' },
      ]);
      const shown = await call('GET', `${path}?ref=main`);
      assert.equal(shown.body.content, changed.content);
      assert.equal(shown.body.execute_filemode, true);
      const tip = (await call('GET', `${base}/branches/main`)).body.commit;
      assert.deepEqual(
        [tip.message, tip.author_name, tip.author_email],
        ['change', 'Zoe', 'zoe@example.com'],
      );
      assert.equal(tip.parent_ids.length, 1);
      const removal = { branch: 'main', commit_message: 'remove' };
      assert.equal((await call('DELETE', path, removal)).status, 204);
      assert.equal((await call('GET', `${path}?ref=main`)).status, 404);
    });

    it('change is refused in the words of GitLab', async () => {
      const { base, main, made } = await project();
      const commit = { branch: 'main', commit_message: 'm', content: 'x' };
      const file = `${base}/files/a.txt`;
      const message = async (method: string, path: string, body: unknown, token?: string) => {
        const [status, told] = await answer(method, path, body, token);
        return [status, told.message];
      };
      assert.deepEqual(await message('POST', file, commit), [400, 'A file with this name already exists']);
      assert.deepEqual(await message('PUT', `${base}/files/none`, commit), [
        400,
        "A file with this name doesn't exist",
      ]);
      assert.deepEqual(await message('DELETE', `${base}/files/none`, commit), [
        400,
        "A file with this name doesn't exist",
      ]);
      assert.deepEqual(await message('POST', `${base}/files/..%2Fx`, commit), [
        400,
        'Path cannot include directory traversal',
      ]);
      assert.deepEqual(await message('POST', `${base}/files/.git%2Fconfig`, commit), [
        400,
        "invalid path: '.git/config'",
      ]);
      assert.deepEqual(await message('PUT', file, { ...commit, branch: 'none' }), [
        400,
        'You can only create or edit files when you are on a branch',
      ]);
      assert.deepEqual(await message('PUT', file, { ...commit, encoding: 'base64', content: '%%%' }), [
        400,
        'The content is not valid base64',
      ]);
      await seedCommit(service.core, made, { branch: 'main', files: { 'b.txt': 'b' } });
      assert.equal((await call('PUT', file, { ...commit, last_commit_id: main })).status, 200);
      assert.deepEqual(await message('PUT', file, { ...commit, last_commit_id: main }), [
        400,
        'You are attempting to update a file that has changed since you started editing it.',
      ]);
      assert.deepEqual(await message('DELETE', file, { ...commit, last_commit_id: main }), [
        400,
        'You are attempting to delete a file that has been previously updated.',
      ]);
      // The first branch is protected from its first commit on.
      assert.deepEqual(await message('PUT', file, commit, developer.token), [
        400,
        'You are not allowed to push into this branch',
      ]);
    });

    it('is committed to a new branch from another one', async () => {
      const { base, main } = await project();
      const commit = { branch: 'topic', start_branch: 'main', commit_message: 'm', content: 'x' };
      assert.equal((await call('POST', `${base}/files/b.txt`, commit)).status, 201);
      const tip = (await call('GET', `${base}/branches/topic`)).body.commit;
      assert.deepEqual(tip.parent_ids, [main]);
      assert.deepEqual(await answer('POST', `${base}/files/c.txt`, commit), [
        400,
        {
          message: "A branch called 'topic' already exists. Switch to that branch in order to make changes",
        },
      ]);
    });

    it('lands on the branch with all others that come at the same time', async () => {
      const { base } = await project(null);
      const names = Array.from({ length: 12 }, (_, index) => `f${index}.txt`);
      const replies = await Promise.all(
        names.map((name) =>
          call('POST', `${base}/files/${name}`, { branch: 'main', commit_message: name, content: name }),
        ),
      );
      assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([201]));
      const tree = await call('GET', `${base}/tree?per_page=100`);
      assert.deepEqual(paths(tree.body), names.toSorted());
    });
  });

  it('blame says with which commit each line came', async () => {
    const { base, main, made } = await project();
    const next = await seedCommit(service.core, made, { branch: 'main', files: { 'a.txt': null } }).then(() =>
      seedCommit(service.core, made, { branch: 'main', files: { 'a.txt': 'one\ntwo\nthree\n' } }),
    );
    const { body } = await call('GET', `${base}/files/a.txt/blame?ref=main`);
    assert.deepEqual(
      body.map((part: { commit: { id: string }; lines: string[] }) => [part.commit.id, part.lines]),
      [[next, ['one', 'two', 'three']]],
    );
    const old = await call('GET', `${base}/files/a.txt/blame?ref=${main}&range[start]=2&range[end]=2`);
    assert.deepEqual(
      old.body.map((part: { lines: string[] }) => part.lines),
      [['two']],
    );
    assert.equal(
      (await call('GET', `${base}/files/a.txt/blame?ref=main&range[start]=3&range[end]=1`)).status,
      400,
    );
    assert.equal((await call('GET', `${base}/files/a.txt/blame?ref=main&range[start]=3`)).status, 400);
  });

  it('a blob is found by its id alone', async () => {
    const { base } = await project();
    const { blob_id: id } = (await call('GET', `${base}/files/a.txt?ref=main`)).body;
    const shown = await call('GET', `${base}/blobs/${id}`);
    assert.deepEqual(shown.body, {
      size: 8,
      encoding: 'base64',
      content: Buffer.from('one\ntwo\n').toString('base64'),
      sha: id,
    });
    assert.equal((await call('GET', `${base}/blobs/${id}/raw`)).text, 'one\ntwo\n');
    assert.deepEqual(await answer('GET', `${base}/blobs/${'0'.repeat(40)}`), [
      404,
      { message: '404 Blob Not Found' },
    ]);
    assert.equal((await call('GET', `${base}/blobs/main:a.txt/raw`)).status, 404);
  });

  describe('folders', () => {
    const files = { 'z.txt': 'z', 'b/one.txt': '1', 'b/c/two.txt': '1', 'a.txt': 'a' };

    it('are listed before files, alone or with all that is below', async () => {
      const { base } = await project(files);
      const flat = await call('GET', `${base}/tree`);
      assert.deepEqual(paths(flat.body), ['b', 'a.txt', 'z.txt']);
      assert.deepEqual(
        { ...flat.body[1], id: undefined },
        { id: undefined, name: 'a.txt', type: 'blob', path: 'a.txt', mode: '100644' },
      );
      const deep = await call('GET', `${base}/tree?recursive=true`);
      assert.deepEqual(paths(deep.body), ['b', 'b/c', 'a.txt', 'b/c/two.txt', 'b/one.txt', 'z.txt']);
      const below = await call('GET', `${base}/tree?path=b/&recursive=true`);
      assert.deepEqual(paths(below.body), ['b/c', 'b/c/two.txt', 'b/one.txt']);
      const second = await call('GET', `${base}/tree?per_page=2&page=2`);
      assert.deepEqual(paths(second.body), ['z.txt']);
      assert.equal(second.headers['x-total'], '3');
    });

    it('are walked by position without losing files of the same contents', async () => {
      const { base } = await project(files);
      const found: string[] = [];
      let path: string | null = `${base}/tree?recursive=true&pagination=keyset&per_page=1`;
      while (path) {
        const page = await call('GET', path);
        found.push(...paths(page.body));
        path = /<[^>]*\/api\/v4([^>]+)>; rel="next"/.exec(page.headers['link'] ?? '')?.[1] ?? null;
      }
      assert.deepEqual(found, ['b', 'b/c', 'a.txt', 'b/c/two.txt', 'b/one.txt', 'z.txt']);
    });

    it('that are not there answer 404', async () => {
      const { base } = await project(files);
      assert.deepEqual(await answer('GET', `${base}/tree?ref=none`), [
        404,
        { message: '404 Tree Not Found' },
      ]);
      assert.deepEqual(await answer('GET', `${base}/tree?path=none`), [
        404,
        { message: '404 invalid revision or path Not Found' },
      ]);
      const empty = await project(null);
      assert.deepEqual(await answer('GET', `${empty.base}/tree`), [404, { message: '404 Tree Not Found' }]);
    });
  });

  it('two commits are compared from their common ancestor, or straight', async () => {
    const { base, main, made } = await project();
    const topic = await seedCommit(service.core, made, {
      branch: 'topic',
      from: 'main',
      files: { t: 't\n' },
    });
    const tip = await seedCommit(service.core, made, { branch: 'main', files: { m: 'm\n' } });
    const { body } = await call('GET', `${base}/compare?from=main&to=topic`);
    assert.equal(body.commit.id, topic);
    assert.deepEqual(
      body.commits.map(({ id }: { id: string }) => id),
      [topic],
    );
    assert.deepEqual(
      body.diffs.map(({ new_path: path, diff }: { new_path: string; diff: string }) => [path, diff]),
      [['t', '@@ -0,0 +1 @@\n+t\n']],
    );
    const straight = await call('GET', `${base}/compare?from=main&to=topic&straight=true`);
    assert.deepEqual(
      straight.body.diffs.map(({ new_path: path }: { new_path: string }) => path),
      ['m', 't'],
    );
    const same = await call('GET', `${base}/compare?from=main&to=${tip}`);
    assert.deepEqual([same.body.commit, same.body.compare_same_ref], [null, true]);
    assert.deepEqual(await answer('GET', `${base}/compare?from=none&to=main`), [
      404,
      { message: '404 Ref Not Found' },
    ]);
    const ancestor = await call('GET', `${base}/merge_base?refs[]=main&refs[]=topic`);
    assert.equal(ancestor.body.id, main);
    assert.deepEqual(await answer('GET', `${base}/merge_base?refs[]=main`), [
      400,
      { message: 'Provide at least 2 refs' },
    ]);
    assert.deepEqual(await answer('GET', `${base}/merge_base?refs[]=main&refs[]=none`), [
      400,
      { message: 'Could not find ref: none' },
    ]);
  });

  it('a commit of a fork is compared with its parent project', async () => {
    const { made, main } = await project();
    const fork = await seedProject(service.core, 'fork', {
      forkedFromId: made.id,
      ownerId: developer.user.id,
    });
    await service.core
      .repositoryOf(fork)
      .remove()
      .then(() => service.core.repositoryOf(fork).cloneFrom(service.core.repositoryOf(made)));
    const commit = await seedCommit(service.core, fork, { branch: 'main', files: { new: 'n\n' } });
    const compared = await call(
      'GET',
      `/projects/${made.id}/repository/compare?from=main&to=main&from_project_id=${fork.id}`,
    );
    assert.equal(compared.status, 200);
    assert.equal(compared.body.commits.length, 0);
    const back = await call(
      'GET',
      `/projects/${fork.id}/repository/compare?from=main&to=main&from_project_id=${made.id}`,
    );
    assert.deepEqual(
      back.body.commits.map(({ id, parent_ids: parents }: { id: string; parent_ids: string[] }) => [
        id,
        parents,
      ]),
      [[commit, [main]]],
    );
    const stranger = await project();
    assert.equal(
      (await call('GET', `${stranger.base}/compare?from=main&to=main&from_project_id=${made.id}`)).status,
      403,
    );
  });

  it('archives come in every format, whole or in part', async () => {
    const { base, main, made } = await project({ 'src/a.txt': 'a', 'b.txt': 'b' });
    const plain = await call('GET', `${base}/archive`);
    assert.equal(
      plain.headers['content-disposition'],
      `attachment; filename="${made.path}-main-${main}.tar.gz"`,
    );
    const list = (bytes: Buffer, ...args: string[]) =>
      execFileSync('tar', ['-t', ...args], { input: bytes })
        .toString()
        .trim()
        .split('\n');
    const folder = `${made.path}-main-${main}/`;
    assert.deepEqual(list(plain.bytes, '-z'), [
      folder,
      `${folder}b.txt`,
      `${folder}src/`,
      `${folder}src/a.txt`,
    ]);
    const part = await call('GET', `${base}/archive.tar?sha=main&path=src`);
    assert.deepEqual(list(part.bytes).at(-1), `${made.path}-main-${main}-src/src/a.txt`);
    const zip = await call('GET', `${base}/archive.zip`);
    assert.equal(zip.bytes.subarray(0, 2).toString(), 'PK');
    assert.equal((await call('HEAD', `${base}/archive.zip`)).status, 200);
    assert.deepEqual(await answer('GET', `${base}/archive?sha=none`), [
      404,
      { message: '404 File Not Found' },
    ]);
    assert.equal((await call('GET', `${base}/archive?format=exe`)).status, 406);
  });

  it('contributors are counted', async () => {
    const { base, made } = await project();
    await seedCommit(service.core, made, { branch: 'main', files: { b: 'b' } });
    const { body } = await call('GET', `${base}/contributors`);
    assert.deepEqual(body, [
      { name: 'Ann', email: 'ann@example.com', commits: 2, additions: 0, deletions: 0 },
    ]);
    const empty = await project(null);
    assert.deepEqual((await call('GET', `${empty.base}/contributors`)).body, []);
  });
});
