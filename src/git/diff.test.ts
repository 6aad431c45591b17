import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type DiffFile, diffCommit, diffTrees } from './diff.ts';
import { DiffParser } from './diff-parser.ts';
import type { Repository } from './repository.ts';
import { commitStats } from './stats.ts';
import { openTestGit, type TestGit, type WorkTree } from './testing.ts';

const brief = ({ collapsed: _, ...file }: DiffFile) =>
  `${file.oldPath}>${file.newPath} ${file.aMode}>${file.bMode}${file.newFile ? ' new' : ''}${file.renamedFile ? ' renamed' : ''}${file.deletedFile ? ' deleted' : ''}${file.binary ? ' binary' : ''}${file.tooLarge ? ' large' : ''}`;

describe('diffs', () => {
  let host: TestGit;
  let work: WorkTree;
  before(async () => {
    host = await openTestGit();
    work = await host.workTree();
    await work.save({ base: 'base\n' });
  });
  after(() => host[Symbol.asyncDispose]());

  async function diffOf(commit: string, repo?: Repository) {
    return diffCommit(repo ?? (await host.import(work)), commit);
  }

  it('of a root commit compare with nothing', async () => {
    const { files } = await diffOf(await work.git('rev-list', '--max-parents=0', 'HEAD'));
    assert.deepEqual(files.map(brief), ['base>base 0>100644 new']);
    assert.equal(files[0]?.diff, '@@ -0,0 +1 @@\n+base\n');
  });

  it('begin at the first @@ and tell when the last line has no end', async () => {
    await work.save({ t: 'one\ntwo' });
    const { files } = await diffOf(await work.save({ t: 'one\n2\n' }));
    assert.equal(files[0]?.diff, '@@ -1,2 +1,2 @@\n one\n-two\n\\ No newline at end of file\n+2\n');
  });

  it('tell renames, deletions, modes, empty files, links and submodules', async () => {
    const long = 'line\n'.repeat(50);
    await work.save({ a: long, gone: 'x\n', mode: 'm\n', file: 'f\n', empty0: '' });
    await work.git('mv', 'a', 'b');
    await work.git('rm', '-q', 'gone', 'file');
    await work.git('update-index', '--chmod=+x', 'mode');
    await work.write('empty', '');
    await work.run(['add', 'empty']);
    const target = (await work.run(['hash-object', '-w', '--stdin'], { input: 'target' })).toString().trim();
    await work.git('update-index', '--add', '--cacheinfo', `120000,${target},file`);
    await work.git(
      'update-index',
      '--add',
      '--cacheinfo',
      `160000,${await work.git('rev-parse', 'HEAD')},sub`,
    );
    await work.git('commit', '-q', '-m', 'many');
    const commit = await work.git('rev-parse', 'HEAD');
    await work.git('reset', '-q', '--hard', 'HEAD~1');
    await work.git('update-ref', 'refs/heads/many', commit);
    const { files } = await diffOf(commit);
    assert.deepEqual(files.map(brief), [
      'a>b 100644>100644 renamed',
      'empty>empty 0>100644 new',
      'file>file 100644>0 deleted',
      'file>file 0>120000 new',
      'gone>gone 100644>0 deleted',
      'mode>mode 100644>100755',
      'sub>sub 0>160000 new',
    ]);
    const diff = (path: string) => files.filter((file) => file.newPath === path).map((file) => file.diff);
    assert.deepEqual(diff('b'), ['']);
    assert.deepEqual(diff('mode'), ['']);
    assert.deepEqual(diff('empty'), ['']);
    assert.deepEqual(diff('file'), [
      '@@ -1 +0,0 @@\n-f\n',
      '@@ -0,0 +1 @@\n+target\n\\ No newline at end of file\n',
    ]);
    assert.match(diff('sub')[0]!, /^@@ -0,0 \+1 @@\n\+Subproject commit [0-9a-f]{40}\n$/);
  });

  it('of a merge compare with its first parent', async () => {
    await work.git('checkout', '-q', '-b', 'topic');
    await work.save({ topic: 't\n' });
    await work.git('checkout', '-q', 'main');
    await work.save({ trunk: 't\n' });
    await work.git('merge', '-q', '--no-ff', '-m', 'merge', 'topic');
    const { files } = await diffOf(await work.git('rev-parse', 'HEAD'));
    assert.deepEqual(files.map(brief), ['topic>topic 0>100644 new']);
  });

  it('find renames from 30 % on, and no copies', async () => {
    const lines = Array.from({ length: 100 }, (_, n) => `some line number ${n}\n`);
    const changed = lines.map((line, n) => (n < 62 ? `wholly different ${n * 7}\n` : line));
    await work.save({ from: lines.join('') });
    await work.git('rm', '-q', 'from');
    const renamed = await diffOf(await work.save({ to: changed.join('') }));
    assert.deepEqual(renamed.files.map(brief), ['from>to 100644>100644 renamed']);
    const copied = await diffOf(await work.save({ copy: changed.join('') }));
    assert.deepEqual(copied.files.map(brief), ['copy>copy 0>100644 new']);
  });

  it('say which binary files differ', async () => {
    const bytes = Buffer.from([0, 1, 2, 255]);
    const added = await diffOf(await work.save({ 'bin ary': bytes }));
    assert.equal(added.files[0]?.diff, 'Binary files /dev/null and b/bin ary differ\n');
    const changed = await diffOf(await work.save({ 'bin ary': Buffer.concat([bytes, bytes]) }));
    assert.equal(changed.files[0]?.diff, 'Binary files a/bin ary and b/bin ary differ\n');
    assert.equal(changed.files[0]?.binary, true);
    // git looks at the first 8,000 bytes only
    const late = await diffOf(await work.save({ late: Buffer.concat([Buffer.alloc(9000, 'x\n'), bytes]) }));
    assert.equal(late.files[0]?.diff, 'Binary files late and late differ\n');
  });

  it('read names with quotes, line breaks, tabs, arrows and bytes that are no UTF-8', async () => {
    const names = [
      'qu"ote',
      'tab\tbed',
      'new\nline',
      '\x01\x02',
      'back\\slash',
      'ünï',
      ' lead',
      'a => b',
      'x\n@@ -1 +1 @@\n+evil',
    ];
    const commit = await work.save(Object.fromEntries(names.map((name) => [name, `${name.length}\n`])));
    const { files } = await diffOf(commit);
    assert.deepEqual(files.map((file) => file.newPath).sort(), [...names].sort());
    for (const file of files) assert.equal(file.diff, `@@ -0,0 +1 @@\n+${file.newPath.length}\n`);
    const blob = await work.git('rev-parse', 'HEAD:base');
    const line = Buffer.concat([Buffer.from(`100644 ${blob} 0\tcaf`), Buffer.from([0xe9, 0])]);
    await work.run(['update-index', '-z', '--index-info'], { input: line });
    await work.git('commit', '-q', '-m', 'latin name');
    const latin = await diffOf(await work.git('rev-parse', 'HEAD'));
    assert.deepEqual(
      latin.files.map((file) => file.newPath),
      ['caf\ufffd'],
    );
    await work.git('reset', '-q', '--hard', 'HEAD~1');
  });

  it('replace bytes that are no UTF-8 and keep carriage returns', async () => {
    const { files } = await diffOf(
      await work.save({ crlf: Buffer.from('caf\xe9\r\ndiff --git a/x b/x\r\n', 'latin1') }),
    );
    assert.equal(files.length, 1);
    assert.equal(files[0]?.diff, '@@ -0,0 +1,2 @@\n+caf\ufffd\r\n+diff --git a/x b/x\r\n');
  });

  it('leave out the text of a patch of 200 KB, not its file', async () => {
    const near = `${'x'.repeat(204_700)}\n`;
    const commit = await work.save({ large: 'long line '.repeat(30_000), near, one: '1\n' });
    const { files, overflow } = await diffOf(commit);
    assert.deepEqual(
      files.map(({ newPath, tooLarge }) => `${newPath} ${tooLarge}`),
      ['large true', 'near false', 'one false'],
    );
    assert.equal(files[0]?.diff, '');
    assert.equal(overflow, false);
  });

  it('stop at 1000 files', async () => {
    const entries = Array.from({ length: 1005 }, (_, n) => [`many/${String(n).padStart(4, '0')}`, `${n}\n`]);
    const commit = await work.save(Object.fromEntries(entries));
    const { files, overflow } = await diffOf(commit);
    assert.equal(files.length, 1000);
    assert.equal(overflow, true);
    assert.equal(files.at(-1)?.newPath, 'many/0999');
  });

  it('stop at 50,000 lines over all', async () => {
    const text = 'x\n'.repeat(20_000);
    const { files, overflow } = await diffOf(
      await work.save({ 'lines/a': text, 'lines/b': text, 'lines/c': text, 'lines/d': '1\n' }),
    );
    assert.deepEqual(
      files.map(({ newPath }) => newPath),
      ['lines/a', 'lines/b'],
    );
    assert.equal(overflow, true);
  });

  it('compare any two trees', async () => {
    await work.save({ x1: '1\n', base: 'again\n' });
    const repo = await host.import(work);
    const tree = await work.git('rev-parse', 'HEAD~1^{tree}');
    const { files } = await diffTrees(repo, tree, await work.git('rev-parse', 'HEAD'));
    const names = (await work.git('diff', '--name-only', 'HEAD~1', 'HEAD')).split('\n');
    assert.deepEqual(
      files.map(({ newPath }) => newPath),
      names,
    );
    assert.deepEqual((await diffTrees(repo, tree, tree)).files, []);
    assert.equal((await diffTrees(repo, null, tree)).overflow, true);
    assert.throws(() => diffTrees(repo, '--output=/tmp/x', tree), /not an object id/);
    await assert.rejects(diffCommit(repo, 'f'.repeat(40)));
  });

  it('are the same however the bytes are cut', async () => {
    const commit = await work.save({ cut: 'a\nb\nc\n', base: 'other\n' });
    const args = ['diff-tree', '--no-commit-id', '-r', '--raw', '-p', '--full-index', commit];
    const output = await work.run(args);
    const limits = { files: 10, lines: 100, bytes: 1000, patchBytes: 500 };
    const whole = new DiffParser(limits);
    whole.push(output);
    const bytewise = new DiffParser(limits);
    for (const byte of output) bytewise.push(Buffer.from([byte]));
    assert.deepEqual(bytewise.end(), whole.end());
  });

  it('count lines as git diff --shortstat against the first parent', async () => {
    const repo = await host.import(work);
    const commits = (await work.git('rev-list', 'main')).split('\n');
    const stats = await commitStats(repo, commits);
    const empty = await work.git('hash-object', '-t', 'tree', '/dev/null');
    for (const commit of commits) {
      const parent = (await work.git('rev-parse', `${commit}^@`)).split('\n')[0] || empty;
      const numbers = (await work.git('diff', '--shortstat', parent, commit)).match(/\d+ (?=ins|del)/g) ?? [];
      const { additions, deletions } = stats.get(commit)!;
      const total = numbers.reduce((sum, text) => sum + Number(text), 0);
      assert.equal(additions + deletions, total, commit);
    }
    assert.deepEqual(await commitStats(repo, commits), stats);
    assert.deepEqual(await commitStats(repo, ['--all', '']), new Map());
  });
});
