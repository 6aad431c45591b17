import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { EMPTY_TREE } from './objects.ts';
import { isAllowedName } from './path-rules.ts';
import type { Repository } from './repository.ts';
import { openTestGit, type TestGit } from './testing.ts';
import { editTree, type TreeAction, TreeEditError } from './tree-edit.ts';

const bytes = (text: string) => Buffer.from(text);

describe('tree edits', () => {
  let host: TestGit;
  let repo: Repository;
  let base: string;

  before(async () => {
    host = await openTestGit();
    const work = await host.workTree();
    await work.save({
      'a.txt': 'a',
      'a/b/c.txt': 'c',
      'a/d.txt': 'd',
      'run.sh': '#!',
      'a-b': 'sorts between',
    });
    const blob = await work.git('rev-parse', 'HEAD:a.txt');
    await work.git('update-index', '--chmod=+x', 'run.sh');
    await work.git('update-index', '--add', '--cacheinfo', `120000,${blob},link`);
    await work.git(
      'update-index',
      '--add',
      '--cacheinfo',
      `160000,${await work.git('rev-parse', 'HEAD')},sub`,
    );
    const line = Buffer.concat([Buffer.from(`100644 ${blob} 0\tcaf`), Buffer.from([0xe9, 0])]);
    await work.run(['update-index', '-z', '--index-info'], { input: line });
    base = await work.git('write-tree');
    await work.git('update-ref', 'refs/heads/odd', await work.git('commit-tree', base, '-m', 'odd'));
    repo = await host.import(work);
  });
  after(() => host[Symbol.asyncDispose]());

  /** Mode, name and content of every file, as git lists them. */
  async function listing(tree: string): Promise<string[]> {
    const output = await repo.run(['ls-tree', '-r', '-z', tree]);
    const lines = output.toString('utf8').split('\0').slice(0, -1);
    return Promise.all(
      lines.map(async (line) => {
        const [mode, type, oid, name] = line.split(/[ \t]/) as [string, string, string, string];
        const text = type === 'blob' ? (await repo.run(['cat-file', 'blob', oid])).toString() : '';
        return `${mode} ${name} ${text}`;
      }),
    );
  }
  const untouched = ['120000 link a', '160000 sub ', '100644 caf\ufffd a'];
  async function edited(...actions: TreeAction[]): Promise<string[]> {
    const lines = await listing(await editTree(repo, base, actions));
    for (const line of untouched) assert.ok(lines.includes(line), line);
    assert.equal((await repo.run(['fsck', '--strict'])).toString().includes('error'), false);
    return lines.filter((line) => !untouched.includes(line));
  }
  const original = [
    '100644 a-b sorts between',
    '100644 a.txt a',
    '100644 a/b/c.txt c',
    '100644 a/d.txt d',
    '100755 run.sh #!',
  ];
  const without = (...names: string[]) =>
    original.filter((line) => !names.some((name) => line.includes(` ${name} `)));

  it('create files, in new folders too', async () => {
    const lines = await edited(
      { action: 'create', path: 'n/e/w.txt', content: bytes('w') },
      { action: 'create', path: '/x', content: bytes(''), executable: true },
    );
    assert.deepEqual(lines, [...without('run.sh'), '100644 n/e/w.txt w', '100755 run.sh #!', '100755 x ']);
  });

  it('update and keep the mode', async () => {
    const lines = await edited({ action: 'update', path: 'run.sh', content: bytes('new') });
    assert.deepEqual(lines, [...without('run.sh'), '100755 run.sh new']);
  });

  it('move with and without new content, keeping the mode', async () => {
    const plain = await edited({ action: 'move', previousPath: 'run.sh', path: 'bin/go' });
    assert.deepEqual(plain, [...without('run.sh'), '100755 bin/go #!']);
    const emptied = await edited({ action: 'move', previousPath: 'run.sh', path: 'go', content: bytes('') });
    assert.deepEqual(emptied, [...without('run.sh'), '100755 go ']);
  });

  it('drop folders that become empty', async () => {
    assert.deepEqual(await edited({ action: 'delete', path: 'a/b/c.txt' }), without('a/b/c.txt'));
    const both = await edited({ action: 'delete', path: 'a/b/c.txt' }, { action: 'delete', path: 'a/d.txt' });
    assert.deepEqual(both, without('a/b/c.txt', 'a/d.txt'));
    const replaced = await edited(
      { action: 'delete', path: 'a/b/c.txt' },
      { action: 'create', path: 'a/b', content: bytes('now a file') },
    );
    assert.deepEqual(replaced, [
      ...without('a/b/c.txt', 'a/d.txt', 'run.sh'),
      '100644 a/b now a file',
      '100644 a/d.txt d',
      '100755 run.sh #!',
    ]);
  });

  it('change the mode and nothing else', async () => {
    const lines = await edited(
      { action: 'chmod', path: 'run.sh', executable: false },
      { action: 'chmod', path: 'a/d.txt', executable: true },
    );
    assert.deepEqual(lines, [...without('run.sh', 'a/d.txt'), '100755 a/d.txt d', '100644 run.sh #!']);
  });

  it('see what earlier actions did', async () => {
    const lines = await edited(
      { action: 'create', path: 'n', content: bytes('1') },
      { action: 'chmod', path: 'n', executable: true },
      { action: 'update', path: 'n', content: bytes('2') },
      { action: 'move', previousPath: 'n', path: 'm' },
      { action: 'create', path: 'n', content: bytes('3') },
      { action: 'delete', path: 'n' },
    );
    assert.deepEqual(lines, [...without('run.sh'), '100755 m 2', '100755 run.sh #!']);
  });

  it('clean paths', async () => {
    const lines = await edited({ action: 'create', path: '/./q/../z/./../y', content: bytes('clean') });
    assert.deepEqual(lines, [...original, '100644 y clean']);
  });

  it("refuse in GitLab's words and write nothing", async () => {
    const exists = 'A file with this name already exists';
    const missing = "A file with this name doesn't exist";
    const content = bytes('x');
    const cases: [TreeAction, string][] = [
      [{ action: 'create', path: 'a.txt', content }, exists],
      [{ action: 'create', path: 'a.txt/below', content }, exists],
      [{ action: 'create', path: 'sub/below', content }, exists],
      [{ action: 'create', path: 'a', content }, 'A directory with this name already exists'],
      [{ action: 'update', path: 'nope', content }, missing],
      [{ action: 'update', path: 'a', content }, missing],
      [{ action: 'update', path: 'a/b/nope/c', content }, missing],
      [{ action: 'update', path: 'sub', content }, missing],
      [{ action: 'delete', path: 'nope' }, missing],
      [{ action: 'delete', path: 'a' }, missing],
      [{ action: 'chmod', path: 'nope', executable: true }, missing],
      [{ action: 'chmod', path: 'link', executable: true }, missing],
      [{ action: 'move', previousPath: 'nope', path: 'x' }, missing],
      [{ action: 'move', previousPath: 'a.txt', path: 'run.sh' }, exists],
      [{ action: 'move', previousPath: 'a.txt', path: 'a.txt' }, exists],
      [{ action: 'move', previousPath: 'a.txt', path: 'a.txt/x' }, exists],
      [{ action: 'create', path: '', content }, 'You must provide a file path'],
      [{ action: 'create', path: ' ', content }, 'You must provide a file path'],
      [{ action: 'create', path: '../x', content }, 'Path cannot include directory traversal'],
      [{ action: 'create', path: 'a/../../x', content }, 'Path cannot include directory traversal'],
      [{ action: 'create', path: 'a//b', content }, "invalid path: 'a//b'"],
      [{ action: 'create', path: 'a/', content }, "invalid path: 'a/'"],
      [{ action: 'create', path: '.git/config', content }, "invalid path: '.git/config'"],
      [{ action: 'create', path: 'x\0y', content }, "invalid path: 'x\0y'"],
      [{ action: 'create', path: 'x'.repeat(256), content }, `invalid path: '${'x'.repeat(256)}'`],
    ];
    for (const [action, message] of cases)
      await assert.rejects(
        editTree(repo, base, [{ action: 'create', path: 'fine', content: bytes('unwritten') }, action]),
        (error) => error instanceof TreeEditError && error.message === message,
        `${action.action} ${JSON.stringify(action.path)}`,
      );
    const oid = (await repo.run(['hash-object', '--stdin'], { input: 'unwritten' })).toString().trim();
    await assert.rejects(repo.run(['cat-file', '-e', oid]));
  });

  it('begin and end with nothing', async () => {
    const first = await editTree(repo, null, [{ action: 'create', path: 'a', content: bytes('1') }]);
    assert.deepEqual(await listing(first), ['100644 a 1']);
    assert.equal(await editTree(repo, first, [{ action: 'delete', path: 'a' }]), EMPTY_TREE);
    assert.equal(await editTree(repo, null, []), EMPTY_TREE);
    assert.equal(await editTree(repo, base, []), base);
    await repo.run(['cat-file', '-e', EMPTY_TREE]);
  });

  it('take ten thousand actions', async () => {
    const actions: TreeAction[] = Array.from({ length: 10_000 }, (_, n) => ({
      action: 'create',
      path: `many/${n % 100}/${n}`,
      content: bytes(`${n}`),
    }));
    const tree = await editTree(repo, base, actions);
    const names = (await repo.run(['ls-tree', '-r', '--name-only', `${tree}:many`])).toString().split('\n');
    assert.equal(names.length, 10_001);
    assert.equal((await repo.run(['cat-file', 'blob', `${tree}:many/34/1234`])).toString(), '1234');
  });
});

describe('names in a tree', () => {
  it('are not .git in any disguise', () => {
    const names = [
      '.git',
      '.GIT',
      '.Git ',
      '.git.',
      '.git . .',
      'git~1',
      'GIT~1',
      'git~1.',
      '.g\u200cit',
      '\ufeff.git',
      '.git\u202e',
    ];
    names.push(
      '.git::$INDEX_ALLOCATION',
      '.git:x',
      'GIT~1::$DATA',
      '.git\\config',
      'x\\.git',
      'a\\GIT~1\\b',
      '',
      'a\0b',
      '\ud800',
    );
    for (const name of names) assert.equal(isAllowedName(name), false, JSON.stringify(name));
  });
  it('may be nearly anything else', () => {
    for (const name of [
      '.gitignore',
      '.github',
      'git',
      'git~2',
      '.gitx',
      'a.git',
      'x\\y',
      'new\nline',
      '-rf',
      '日本',
      ' ',
    ])
      assert.equal(isAllowedName(name), true, JSON.stringify(name));
  });
});
