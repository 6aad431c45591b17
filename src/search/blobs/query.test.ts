import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseBlobQuery } from './query.ts';

const filtersOf = (search: string) =>
  parseBlobQuery(search).filters.map(
    ({ kind, pattern, negated }) => `${negated ? '-' : ''}${kind}=${pattern}`,
  );

describe('a blob search', () => {
  it('is one phrase when it has no filters, its blanks made single', () => {
    assert.deepEqual(parseBlobQuery('  struct   task_struct '), { term: 'struct task_struct', filters: [] });
  });

  it('keeps quotes and everything that looks like an operator', () => {
    for (const search of ['"foo bar"', 'a->b[0]', '#97df14', '-foo', 'a | b', 'FILENAME:x', 'x-path:y']) {
      assert.deepEqual(parseBlobQuery(search), { term: search, filters: [] });
    }
  });

  it('takes out every filter, negated ones too, in lower case', () => {
    assert.deepEqual(
      parseBlobQuery('one filename:A*.TS path:src -extension:md two path:test').term,
      'one two',
    );
    assert.deepEqual(filtersOf('one filename:A*.TS path:src -extension:md two path:test'), [
      'filename=a*.ts',
      'path=src',
      '-extension=md',
      'path=test',
    ]);
  });

  it('leaves quoted blanks in a filter and takes its quotes away', () => {
    assert.deepEqual(filtersOf('x path:"my docs/a b"'), ['path=my docs/a b']);
    assert.deepEqual(parseBlobQuery('x path:"my docs/a b"').term, 'x');
  });

  it('drops further colons of a filter', () => {
    assert.deepEqual(filtersOf('filename:a:b:c x'), ['filename=abc']);
  });

  it('takes a filter without a value for text', () => {
    for (const search of ['path:', '-path:', 'path::', 'path:""']) {
      assert.deepEqual(parseBlobQuery(search), { term: search, filters: [] });
    }
  });

  it('has no text when there is nothing but filters, or nothing', () => {
    for (const search of ['extension:ts', '', ' \t']) assert.equal(parseBlobQuery(search).term, '');
  });

  it('reads the letter case only where it is told to', () => {
    const readsCase = true;
    const asked = { term: 'Foo', filters: [] };
    assert.deepEqual(parseBlobQuery('Foo case:yes', { readsCase }), { ...asked, caseSensitive: true });
    assert.deepEqual(parseBlobQuery('case:no Foo', { readsCase }), { ...asked, caseSensitive: false });
    assert.deepEqual(parseBlobQuery('Foo', { readsCase }), asked);
    for (const search of ['Foo case:maybe', 'Foo CASE:yes', '-case:yes', 'case:']) {
      assert.deepEqual(parseBlobQuery(search, { readsCase }), { term: search, filters: [] });
    }
    assert.equal(parseBlobQuery('Foo case:yes').term, 'Foo case:yes');
  });

  it('splits at blanks that an even number of quotes follows', () => {
    assert.deepEqual(filtersOf('path:"a b'), ['path=a']);
    assert.deepEqual(parseBlobQuery('path:"a b').term, 'b');
    assert.deepEqual(filtersOf('a" path:x'), ['path=x']);
  });

  it('reads a million quotes and blanks in one go', () => {
    const { term } = parseBlobQuery('" '.repeat(500_000));
    assert.equal(term.length, 999_999);
  });
});
