import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fold, matchesText, referenceIn, textQuery } from './terms.ts';

describe('textQuery', () => {
  const cases: [search: string, expected: ReturnType<typeof textQuery>][] = [
    ['', { kind: 'everything' }],
    [' \t\n ', { kind: 'everything' }],
    ['Foo  bar', { kind: 'parts', terms: ['foo', 'bar'] }],
    ['of the bar', { kind: 'parts', terms: ['the', 'bar'] }],
    ['"really bar" baz', { kind: 'parts', terms: ['really bar', 'baz'] }],
    ['foo"really bar"', { kind: 'parts', terms: ['foo"really', 'bar"'] }],
    ['"ab" abc', { kind: 'parts', terms: ['abc'] }],
    ['ab', { kind: 'whole', text: 'ab' }],
    ['AB  cd', { kind: 'whole', text: 'ab cd' }],
    ['"ab"', { kind: 'whole', text: '"ab"' }],
    ['foo FOO foo', { kind: 'parts', terms: ['foo'] }],
    ['100% _x_ \\d+', { kind: 'parts', terms: ['100%', '_x_', '\\d+'] }],
    ['💥💥', { kind: 'whole', text: '💥💥' }],
  ];
  for (const [search, expected] of cases) {
    it(`reads ${JSON.stringify(search)}`, () => assert.deepEqual(textQuery(search), expected));
  }

  it('takes words of any length where that is asked for', () => {
    assert.deepEqual(textQuery('a bc', 1), { kind: 'parts', terms: ['a', 'bc'] });
  });
});

describe('matchesText', () => {
  const matches = (search: string, ...texts: (string | null)[]) => matchesText(textQuery(search), texts);

  it('wants every term in the same text', () => {
    assert.ok(matches('foo bar', 'a bar and a foo', null));
    assert.ok(!matches('foo bar', 'foo', 'bar'));
  });

  it('finds pieces of words in any letter case of any alphabet', () => {
    assert.ok(matches('обновл', 'ОБНОВЛЕНИЕ'));
    assert.ok(matches('ÄRGER', 'kleines ärgernis'));
    assert.ok(matches('ΟΔΟΣ', 'οδος'));
    assert.ok(!matches('argernis', 'ärgernis'));
  });

  it('takes percent signs, underscores and backslashes as they are', () => {
    assert.ok(matches('50%_\\', 'at 50%_\\ of'));
    assert.ok(!matches('f__', 'foo'));
  });

  it('compares what is too short with whole texts', () => {
    assert.ok(matches('ab', 'AB'));
    assert.ok(!matches('ab', 'abc'));
  });
});

it('reads the number at the end of a search', () => {
  assert.equal(referenceIn('#12', '#'), 12);
  assert.equal(referenceIn('see #12 ', '#'), 12);
  assert.equal(referenceIn('!12', '#'), null);
  assert.equal(referenceIn('!12', '#!'), 12);
  assert.equal(referenceIn('#12 more', '#'), null);
  assert.equal(referenceIn('12', '#'), null);
  assert.equal(referenceIn(`#${'9'.repeat(16)}`, '#'), null);
});

it('folds to the same text whichever case is given', () => {
  for (const text of ['Straße', 'ΣΊΣΥΦΟΣ', 'Ёлка', 'Ÿ'])
    assert.equal(fold(text.toUpperCase().toLowerCase()), fold(text.toUpperCase()));
});
