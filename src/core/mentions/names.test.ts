import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MAX_NAMES, mentionedNames, newlyMentioned } from './names.ts';

describe('names in a text', () => {
  it('are what stands behind an @: users, groups with their path, all', () => {
    assert.deepEqual(mentionedNames('@ada, (@bob) and @Group/Sub-Group.x! cc:@all'), [
      'ada',
      'bob',
      'group/sub-group.x',
      'all',
    ]);
  });

  it('end before punctuation, and are told once whatever their case', () => {
    assert.deepEqual(mentionedNames('@ada. @ADA... @ada- @ada/ @bob//x **@cyd** (@dan_)'), [
      'ada',
      'bob',
      'cyd',
      'dan_',
    ]);
  });

  it('are not in addresses, paths or words', () => {
    assert.deepEqual(mentionedNames('me@example.com http://x.test/@ada a@b @@ada @ @-x'), []);
    assert.deepEqual(mentionedNames(null), []);
  });

  it('are left out in code and quotes', () => {
    const text = '`@a` ``x `@b` @c`` @d\n```\n@e\n```\n> @f\n>@g\n\n    @h\n~~~js\n@i\n```\n@j\n~~~\n@k';
    assert.deepEqual(mentionedNames(text), ['d', 'h', 'k']);
  });

  it('are bounded, and found in time that grows with the text', () => {
    const many = Array.from({ length: 10_000 }, (_, index) => `@user${index}`).join(' ');
    assert.equal(mentionedNames(many).length, MAX_NAMES);
    for (const hostile of ['@', '`', '``', '``a`', '@a/', '@@', '> @a', '@.'])
      assert.ok(mentionedNames(`@x ${hostile.repeat(200_000)}`).length <= MAX_NAMES);
  });

  it('can be told from those that were there before', () => {
    assert.deepEqual(newlyMentioned('for @ada', '@Ada @bob'), ['bob']);
    assert.deepEqual(newlyMentioned(null, '@bob'), ['bob']);
  });
});
