import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { issueReferences } from './references.ts';

describe('references to issues', () => {
  const found = (text: string) =>
    issueReferences(text, 'http://forge.test').map(
      ({ path, iid, closes }) => `${closes ? '!' : ''}${path ?? ''}#${iid}`,
    );

  it('are numbers behind a hash, of this or of another project', () => {
    assert.deepEqual(found('see #1, (#2) and a/b-c.d#3 or other#4.'), ['#1', '#2', 'a/b-c.d#3', 'other#4']);
    assert.deepEqual(found('http://forge.test/a/b/-/issues/5 (http://forge.test/a/b/issues/6)'), [
      'a/b#5',
      'a/b#6',
    ]);
    assert.deepEqual(found('&#39; /a#1 a//b#1 #x #1x #12345678901 http://else.test/a/b/-/issues/5'), []);
  });

  it('close behind the words that say so, and in lists behind them', () => {
    assert.deepEqual(found('Closes #1'), ['!#1']);
    assert.deepEqual(found('fixes: #1, #2 and a/b#3. See #4'), ['!#1', '!#2', '!a/b#3', '#4']);
    assert.deepEqual(found('Resolving issues #1, and #2\n\nImplements http://forge.test/a/b/-/issues/5'), [
      '!#1',
      '!#2',
      '!a/b#5',
    ]);
    assert.deepEqual(found('discloses #1 closes# 2 closer #3 Closes with #4'), ['#1', '#3', '#4']);
  });

  it('are not looked for in code', () => {
    assert.deepEqual(found('`Closes #1` #2\n```\nCloses #3\n~~~\n```\nCloses #4'), ['#2', '!#4']);
  });

  it('are found in hostile texts as fast as in others', () => {
    for (const text of [
      'a/'.repeat(500_000),
      '#1 '.repeat(300_000),
      `${'x'.repeat(900_000)}#1`,
      '`'.repeat(999_999),
    ]) {
      assert.ok(issueReferences(text, 'http://forge.test').length <= 500);
    }
  });
});
