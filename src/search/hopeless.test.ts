import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isHopeless, isOddRef } from './hopeless.ts';

describe('isHopeless', () => {
  const hopeless: Record<string, string> = {
    'one character': 'x',
    'one character of two units': '💥',
    'a stop word': 'with',
    'a word of a hundred characters': `a ${'b'.repeat(100)}`,
    'an address of two hundred': `https://${'b'.repeat(192)}`,
    'too many alternatives': 'aa|bb|cc|dd|ee|ff',
    'an alternative that says nothing': 'foo|the',
    'too long a text': 'ab '.repeat(1366),
    'too many words': 'ab '.repeat(65),
  };
  for (const [what, search] of Object.entries(hopeless)) {
    it(`is ${what}`, () => assert.ok(isHopeless(search)));
  }

  const fine: Record<string, string> = {
    nothing: '',
    'an asterisk': '*',
    'two characters': 'ab',
    'a stop word written otherwise': 'With',
    'a stop word among others': 'with me',
    'a long address': `https://${'b'.repeat(150)}`,
    'five alternatives': 'aa|bb|cc|dd|ee',
    'sixty-four words': 'ab '.repeat(64),
  };
  for (const [what, search] of Object.entries(fine)) {
    it(`is not ${what}`, () => assert.ok(!isHopeless(search)));
  }

  it('lets an expression have as many bars as it likes', () => {
    assert.ok(!isHopeless('a|b|c|d|e|f|g', { regex: true }));
    assert.ok(isHopeless('a'.repeat(4097), { regex: true }));
  });
});

it('knows which names no ref has', () => {
  for (const ref of ['', 'main', 'feat/ä-1', 'v1.2+rc', 'a_b!']) assert.ok(!isOddRef(ref));
  for (const ref of ['--help', '-c'].map((text) => `${text}=x`)) assert.ok(isOddRef(ref));
  for (const ref of ['a b', 'HEAD~1', 'HEAD^', 'a:b', '@{u}', 'a\nb', '*']) assert.ok(isOddRef(ref));
});
