import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { commitTitle, commitTrailers } from './message.ts';
import { openTestGit } from './testing.ts';

describe('commit titles', () => {
  it('are the whole first line', () => {
    assert.equal(commitTitle('One\ntwo'), 'One');
    assert.equal(commitTitle('One\r\ntwo'), 'One');
    assert.equal(commitTitle('x'.repeat(300)), 'x'.repeat(300));
  });
  it('have words for a message that has none', () => {
    assert.equal(commitTitle(''), 'No commit message');
    assert.equal(commitTitle('\n\nlater'), 'No commit message');
  });
});

describe('trailers', () => {
  const messages = [
    'Title\n\nSigned-off-by: A <a@x>\n',
    'Title\n\nBody\n\nSigned-off-by: A <a@x>\nSigned-off-by: B <b@x>\nRefs: #1\n',
    'Title: not a trailer\n',
    'Signed-off-by: title <a@x>\nChange-Id: 1\n',
    'Title\n\nBody only\n',
    'Title\n\nBody\nKey: in a sentence block\n',
    'Title\n\nfree text\nSigned-off-by: A <a@x>\nmore free text\nand more\n',
    'Title\n\nfree\ntext\nthat\nis\nlong\nSigned-off-by: A <a@x>\n',
    'Title\n\nLong-value: one\n  two\n\tthree\nNext: x\n',
    'Title\n\n  indented: first\nKey: x\n',
    'Title\n\nKey : spaced\n',
    'Title\n\nKey:\nEmpty-ok: y\n',
    'Title\n\n(cherry picked from commit 1234)\nKey: v\n',
    'Title\n\nKey: v\n\n\n',
    'Title\n\nKey: v\n# comment\nOther: w\n',
    'Title\n\nKey: v\n\nlast paragraph\n',
    '\n\nTitle\nKey: v\n',
    'Title\n \nKey: v\n',
    'Title\n\nhttps://example.com/x\nKey: v\n',
    'Title\n\nBad key: v\nGood: w\n',
    'Title\n\n-dash: v\n',
    '',
    '\n',
  ];

  it('are those that git finds', async () => {
    await using host = await openTestGit();
    const work = await host.workTree();
    for (const message of messages) {
      const id = await work.commit(message, { allowEmpty: true });
      const format = '--format=%(trailers:only,unfold)';
      const printed = await work.git('log', '-1', format, id);
      const ours = [...commitTrailers(message)].flatMap(([key, values]) =>
        values.map((value) => `${key}: ${value}`),
      );
      const theirs = printed
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => line.trimEnd());
      assert.deepEqual(ours.map((line) => line.trimEnd()).sort(), theirs.sort(), JSON.stringify(message));
    }
  });
});
