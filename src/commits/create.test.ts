import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { dialects } from '../../test/support/databases.ts';
import { findEntry, readBlob } from '../git/objects.ts';
import type { Repository } from '../git/repository.ts';
import { resolveRevision } from '../git/revision.ts';
import { type Forge, openForge, type Person, type TestProject } from './testing.ts';

type Body = Record<string, unknown>;

async function fileAt(repo: Repository, rev: string, path: string): Promise<string | null> {
  const oid = await resolveRevision(repo, rev);
  const entry = oid && (await findEntry(repo, oid, path));
  return entry ? ((await readBlob(repo, entry.oid))?.toString() ?? null) : null;
}

async function modeAt(repo: Repository, rev: string, path: string): Promise<string | undefined> {
  const oid = await resolveRevision(repo, rev);
  return oid === null ? undefined : (await findEntry(repo, oid, path))?.mode;
}

const add = (path: string, content = `${path}\n`) => ({ action: 'create', file_path: path, content });
const commit = (...actions: Body[]) => ({ branch: 'main', commit_message: 'Change', actions });

for (const kind of dialects) {
  describe(`POST commits on ${kind}`, () => {
    let forge: Forge;

    before(async () => {
      forge = await openForge(kind);
    });
    after(() => forge[Symbol.asyncDispose]());

    /** A project with one commit: `README.md` and `run.sh`. */
    async function started(): Promise<
      TestProject & { post: (body: Body, person?: Person) => ReturnType<TestProject['call']> }
    > {
      const target = await forge.project();
      const post = (body: Body, person?: Person) =>
        target.commits('POST', '', { body, ...(person && { token: person.token }) });
      const { status } = await post({
        ...commit(add('README.md', '# Hi\n'), add('run.sh')),
        commit_message: 'First',
      });
      assert.equal(status, 201);
      return { ...target, post };
    }

    it('begins an empty repository', async () => {
      const { commits, repo } = await forge.project();
      const reply = await commits('POST', '', { body: commit(add('a/b.txt', 'ü\n')) });
      assert.equal(reply.status, 201);
      assert.deepEqual(reply.body.parent_ids, []);
      assert.deepEqual(reply.body.stats, { additions: 1, deletions: 0, total: 1 });
      assert.deepEqual([reply.body.status, reply.body.last_pipeline], [null, null]);
      assert.equal(await fileAt(repo, 'main', 'a/b.txt'), 'ü\n');
    });

    it('applies every kind of action in one commit', async () => {
      const { post, repo } = await started();
      const { status, body } = await post(
        commit(
          add('new.txt'),
          { action: 'update', file_path: 'README.md', content: 'changed\n' },
          { action: 'move', file_path: 'bin/run.sh', previous_path: 'run.sh' },
          { action: 'chmod', file_path: 'bin/run.sh', execute_filemode: true },
          { action: 'create', file_path: 'bytes', encoding: 'base64', content: 'AAEC/w==' },
          { action: 'create', file_path: '/nul', content: 'a\0b' },
          { action: 'create', file_path: 'short-lived' },
          { action: 'delete', file_path: 'short-lived' },
        ),
      );
      assert.equal(status, 201);
      assert.equal(body.parent_ids.length, 1);
      assert.equal(await fileAt(repo, 'main', 'README.md'), 'changed\n');
      assert.equal(await fileAt(repo, 'main', 'bin/run.sh'), 'run.sh\n');
      assert.equal(await modeAt(repo, 'main', 'bin/run.sh'), '100755');
      assert.equal(await fileAt(repo, 'main', 'run.sh'), null);
      assert.equal(await fileAt(repo, 'main', 'nul'), 'a\0b');
      assert.equal(await fileAt(repo, 'main', 'short-lived'), null);
      assert.deepEqual(body.stats, { additions: 2, deletions: 1, total: 3 });
    });

    it('takes a move with other content, and one that empties the file', async () => {
      const { post, repo } = await started();
      const move = (file_path: string, previous_path: string, content: string) => ({
        action: 'move',
        file_path,
        previous_path,
        content,
      });
      assert.equal(
        (await post(commit(move('a', 'README.md', 'other'), move('b', 'run.sh', '')))).status,
        201,
      );
      assert.deepEqual([await fileAt(repo, 'main', 'a'), await fileAt(repo, 'main', 'b')], ['other', '']);
    });

    it('takes urlencoded and multipart forms as Rails nests them', async () => {
      const { commits, repo } = await started();
      const payload = [
        ['branch', 'main'],
        ['commit_message', 'Form'],
        ['actions[][action]', 'create'],
        ['actions[][file_path]', 'f1'],
        ['actions[][content]', 'one'],
        ['actions[][action]', 'chmod'],
        ['actions[][file_path]', 'f1'],
        ['actions[][execute_filemode]', 'true'],
        ['stats', 'false'],
      ];
      const urlencoded = await commits('POST', '', {
        payload: new URLSearchParams(payload).toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      });
      assert.equal(urlencoded.status, 201, urlencoded.text);
      assert.ok(!('stats' in urlencoded.body));
      assert.equal(await modeAt(repo, 'main', 'f1'), '100755');
      const parts = payload.map(
        ([name, value]) =>
          `--x\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value === 'f1' ? 'f2' : value}\r\n`,
      );
      const multipart = await commits('POST', '', {
        payload: `${parts.join('')}--x--\r\n`,
        headers: { 'content-type': 'multipart/form-data; boundary=x' },
      });
      assert.equal(multipart.status, 201, multipart.text);
      assert.equal(await fileAt(repo, 'main', 'f2'), 'one');
    });

    it('makes a branch from another branch, from a commit, and moves one by force', async () => {
      const { post, repo } = await started();
      const first = await resolveRevision(repo, 'main');
      const from = (extra: Body) => post({ ...commit(add('x')), branch: 'topic', ...extra });
      const made = await from({ start_branch: 'main' });
      assert.deepEqual([made.status, made.body.parent_ids], [201, [first]]);
      const again = await from({ start_branch: 'main' });
      assert.deepEqual(
        [again.status, again.body.message],
        [400, "A branch called 'topic' already exists. Switch to that branch in order to make changes"],
      );
      const forced = await from({ start_sha: first, force: true });
      assert.deepEqual([forced.status, forced.body.parent_ids], [201, [first]]);
    });

    it('keeps the given author, and the caller as committer', async () => {
      const { post } = await started();
      const { body } = await post({ ...commit(add('x')), author_name: ' Bob ', author_email: 'bob@x.org' });
      assert.deepEqual(
        [body.author_name, body.author_email, body.committer_name, body.committer_email],
        ['Bob', 'bob@x.org', 'Administrator', 'admin@example.com'],
      );
    });

    it('takes no actions for an empty commit', async () => {
      const { post } = await started();
      const { status, body } = await post(commit());
      assert.deepEqual([status, body.stats.total], [201, 0]);
    });

    it('notices that a file has changed since', async () => {
      const { post, repo } = await started();
      const known = await resolveRevision(repo, 'main');
      const update = { action: 'update', file_path: 'README.md', content: 'mine', last_commit_id: known };
      assert.equal(
        (await post(commit({ action: 'update', file_path: 'README.md', content: 'theirs' }))).status,
        201,
      );
      const { status, body } = await post(commit(update));
      assert.deepEqual(
        [status, body.message],
        [400, 'The file has changed since you started editing it: README.md'],
      );
    });

    const malformed: [name: string, body: Body, error: string][] = [
      ['nothing', {}, 'branch is missing, branch is empty, commit_message is missing, actions is missing'],
      ['a blank branch', { ...commit(), branch: ' ' }, 'branch is empty'],
      ['a text for actions', { ...commit(), actions: '[{}]' }, 'actions is invalid'],
      ['an object for actions', { ...commit(), actions: { a: 1 } }, 'actions is invalid'],
      ['a text for an action', { ...commit(), actions: ['create'] }, 'actions[0] is invalid'],
      ['null for an action', { ...commit(), actions: [add('a'), null] }, 'actions[1] is invalid'],
      ['null for the kind', commit({ action: null, file_path: 'a' }), 'actions[0][action] is empty'],
      [
        'another kind',
        commit({ action: 'rename', file_path: 'a' }),
        'actions[0][action] does not have a valid value',
      ],
      ['no kind', commit({ file_path: 'a' }), 'actions[0][action] is missing, actions[0][action] is empty'],
      ['no path', commit({ action: 'delete' }), 'actions[0][file_path] is missing'],
      [
        'a move from nowhere',
        commit({ action: 'move', file_path: 'a' }),
        'actions[0][previous_path] is missing',
      ],
      [
        'an update without content',
        commit(add('a'), { action: 'update', file_path: 'a' }),
        'actions[1][content] is missing',
      ],
      [
        'a chmod without a mode',
        commit({ action: 'chmod', file_path: 'a' }),
        'actions[0][execute_filemode] is missing',
      ],
      [
        'a mode that is none',
        commit({ action: 'chmod', file_path: 'a', execute_filemode: 'x' }),
        'actions[0][execute_filemode] is invalid',
      ],
      [
        'another encoding',
        commit({ ...add('a'), encoding: 'hex' }),
        'actions[0][encoding] does not have a valid value',
      ],
      [
        'an object for content',
        commit({ ...add('a'), content: {} } as Body),
        'actions[0][content] is invalid',
      ],
      [
        'two starts',
        { ...commit(), start_branch: 'a', start_sha: 'b' },
        'start_branch, start_sha are mutually exclusive',
      ],
    ];
    it('refuses malformed parameters in GitLab’s words', async () => {
      const { post } = await started();
      for (const [name, body, error] of malformed) {
        const reply = await post(body);
        assert.deepEqual([reply.status, reply.body], [400, { error }], name);
      }
    });

    const refused: [name: string, body: Body, message: string | RegExp][] = [
      ['a file that exists', commit(add('README.md')), 'A file with this name already exists'],
      ['no such file', commit({ action: 'delete', file_path: 'no' }), "A file with this name doesn't exist"],
      [
        'a move of nothing',
        commit({ action: 'move', file_path: 'b', previous_path: 'no' }),
        "A file with this name doesn't exist",
      ],
      ['a blank path', commit(add('')), 'You must provide a file path'],
      ['a way out', commit(add('../x')), 'Path cannot include directory traversal'],
      ['the repository’s own folder', commit(add('.git/config')), "invalid path: '.git/config'"],
      ['two slashes', commit(add('a//b')), "invalid path: 'a//b'"],
      ['no base64', commit({ ...add('a', 'a$b'), encoding: 'base64' }), /base64/],
      [
        'no such start',
        { ...commit(add('a')), branch: 'b', start_branch: 'no' },
        'You can only create or edit files when you are on a branch',
      ],
      [
        'a branch from nothing',
        { ...commit(add('a')), branch: 'b' },
        'You can only create or edit files when you are on a branch',
      ],
      ['a short start', { ...commit(add('a')), branch: 'b', start_sha: 'abc' }, "Invalid start_sha 'abc'"],
      [
        'an unknown start',
        { ...commit(add('a')), branch: 'b', start_sha: '1'.repeat(40) },
        `Cannot find start_sha '${'1'.repeat(40)}'`,
      ],
      [
        'a bad name',
        { ...commit(add('a')), branch: '-x', start_branch: 'main' },
        "Something went wrong when we tried to create '-x' for you: Branch name is invalid",
      ],
      [
        'a name that reads as a commit’s id',
        { ...commit(add('a')), branch: 'f'.repeat(40), start_branch: 'main' },
        'You cannot create a branch with a 40-character hexadecimal branch name.',
      ],
      ['two dots', { ...commit(add('a')), branch: 'a..b', start_branch: 'main' }, /Branch name is invalid$/],
    ];
    it('refuses what cannot be done in GitLab’s words, and changes nothing', async () => {
      const { post, repo } = await started();
      const before = await resolveRevision(repo, 'main');
      for (const [name, body, message] of refused) {
        const reply = await post({ ...body, actions: [add('first'), ...(body['actions'] as Body[])] });
        assert.equal(reply.status, 400, name);
        if (typeof message === 'string') assert.deepEqual(reply.body, { message }, name);
        else assert.match(reply.body.message, message, name);
      }
      assert.equal(await resolveRevision(repo, 'main'), before);
    });

    it('is for those who may push to the branch, asked before anything about it is told', async () => {
      const { post, admit } = await started();
      const [guest, reporter, developer, maintainer] = await Promise.all(
        ['guest', 'reporter', 'developer', 'maintainer'].map(async (level) => {
          const person = await forge.person(`${level}-${crypto.randomUUID().slice(0, 8)}`);
          await admit(person, level as 'guest');
          return person;
        }),
      );
      const stranger = await forge.person(`stranger-${crypto.randomUUID().slice(0, 8)}`);
      const body = { ...commit(add('x')), branch: 'nowhere' };
      const onMain = commit(add('from-main'));
      const pushText = { message: '403 Forbidden - You are not allowed to push into this branch' };
      assert.deepEqual((await post(body, stranger)).body, { message: '404 Project Not Found' });
      assert.deepEqual((await post(body, guest)).body, { message: '403 Forbidden' });
      assert.deepEqual((await post(body, reporter)).body, pushText);
      assert.deepEqual((await post(onMain, developer)).body, pushText);
      assert.equal((await post({ ...body, start_branch: 'main' }, developer)).status, 201);
      assert.equal((await post(onMain, maintainer)).status, 201);
    });

    it('lets two make the same branch at once: one of them does', async () => {
      const { post } = await started();
      const make = (path: string) => post({ ...commit(add(path)), branch: 'race', start_branch: 'main' });
      const replies = await Promise.all([make('a'), make('b')]);
      assert.deepEqual(replies.map(({ status }) => status).sort(), [201, 400]);
    });

    it('lets many commit to one branch at once: all do, one on top of the other', async () => {
      const { post, commits } = await started();
      const replies = await Promise.all(Array.from({ length: 8 }, (_, i) => post(commit(add(`many/${i}`)))));
      assert.deepEqual(
        replies.map(({ status }) => status),
        Array(8).fill(201),
      );
      assert.deepEqual((await commits('GET', '/main/sequence')).body, { count: 9 });
    });

    it('lets two create the same file at once: one of them does', async () => {
      const { post } = await started();
      const replies = await Promise.all([post(commit(add('same'))), post(commit(add('same')))]);
      assert.deepEqual(replies.map(({ status }) => status).sort(), [201, 400]);
    });

    it('tells the other rooms that the branch moved', async () => {
      const { post, project } = await started();
      const { body } = await post(commit(add('x')));
      await forge.service.core.events.idle();
      const moves = await forge.service.core.events.readSince(0, ['ref.moved'], 1000);
      const own = moves.filter(({ payload }) => payload.projectId === project.id);
      assert.deepEqual(own.map(({ payload }) => payload.newOid).at(-1), body.id);
      assert.deepEqual(own.at(-1)?.payload.origin, { userId: 1, via: 'api' });
    });
  });
}
