import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { blame } from './blame.ts';
import { GitOutputLimit } from './process.ts';
import type { Repository } from './repository.ts';
import { openTestGit, type TestGit } from './testing.ts';

describe('blame', () => {
  let test: TestGit;
  let repo: Repository;
  let first: string;
  let second: string;

  before(async () => {
    test = await openTestGit();
    const work = await test.workTree();
    first = await work.save({
      'a.txt': 'one\ntwo\nthree\n',
      '-L1,2': 'odd name\n',
      'crlf.txt': 'a\r\nb\rc\n\xff\n',
      'empty.txt': '',
      'large.txt': `${'x'.repeat(1023)}\n`.repeat(40_000),
    });
    second = await work.save({ 'a.txt': 'one\nTWO\nthree\nfour' });
    repo = await test.import(work);
  });
  after(() => test[Symbol.asyncDispose]());

  it('groups neighbouring lines of one commit', async () => {
    assert.deepEqual(await blame(repo, { oid: second, path: 'a.txt' }), [
      { oid: first, lines: ['one'] },
      { oid: second, lines: ['TWO'] },
      { oid: first, lines: ['three'] },
      { oid: second, lines: ['four'] },
    ]);
  });

  it('asks about the version of the commit', async () => {
    const groups = await blame(repo, { oid: first, path: 'a.txt' });
    assert.deepEqual(groups, [{ oid: first, lines: ['one', 'two', 'three'] }]);
  });

  it('keeps to a range and gives nothing behind the end', async () => {
    const within = (start: number, end: number) =>
      blame(repo, { oid: second, path: 'a.txt', range: { start, end } });
    assert.deepEqual(await within(2, 2), [{ oid: second, lines: ['TWO'] }]);
    assert.deepEqual((await within(4, 99)).length, 1);
    assert.deepEqual(await within(5, 9), []);
  });

  it('leaves carriage returns and empty files as they are', async () => {
    assert.deepEqual((await blame(repo, { oid: second, path: 'crlf.txt' }))[0]?.lines.slice(0, 2), [
      'a\r',
      'b\rc',
    ]);
    assert.deepEqual(await blame(repo, { oid: second, path: 'empty.txt' }), []);
  });

  it('takes a path for a path', async () => {
    assert.deepEqual(await blame(repo, { oid: second, path: '-L1,2' }), [
      { oid: first, lines: ['odd name'] },
    ]);
  });

  it('answers 404 when there is no such file', async () => {
    for (const path of ['nope', '../a.txt', 'a.txt/b', '*.txt', 'a\0b']) {
      await assert.rejects(blame(repo, { oid: second, path }), { status: 404 }, path);
    }
  });

  it('refuses an answer beyond its bound', async () => {
    await assert.rejects(blame(repo, { oid: second, path: 'large.txt' }), GitOutputLimit);
  });
});
