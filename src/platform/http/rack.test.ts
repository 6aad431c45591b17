import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApiError } from '../errors.ts';
import { formEncode, parseFormEncoded } from './rack.ts';

const plain = (value: unknown) => JSON.parse(JSON.stringify(value));
const parsed = (text: string) => plain(parseFormEncoded(text));
const refused = (text: string) =>
  assert.throws(
    () => parseFormEncoded(text),
    (error) => error instanceof ApiError && error.status === 400,
  );

describe('parameters as Rack reads them', () => {
  it('reads scalars, the last of a repeated one wins', () => {
    assert.deepEqual(parsed('a=1&b=x+y&a=2&c'), { a: '2', b: 'x y', c: null });
  });

  it('nests hashes and lists', () => {
    assert.deepEqual(parsed('h[k]=v&h[l][m]=w&list[]=1&list[]=2'), {
      h: { k: 'v', l: { m: 'w' } },
      list: ['1', '2'],
    });
  });

  it('starts the next element of a list of hashes when a key repeats', () => {
    assert.deepEqual(
      parsed(
        'actions[][action]=create&actions[][file_path]=a&actions[][action]=delete&actions[][file_path]=b',
      ),
      {
        actions: [
          { action: 'create', file_path: 'a' },
          { action: 'delete', file_path: 'b' },
        ],
      },
    );
  });

  it('keeps escaped brackets, dots and non-ASCII text', () => {
    assert.deepEqual(parsed('a%5B%5D=1&p.q=%D1%8F&e=%2B'), { a: ['1'], 'p.q': 'я', e: '+' });
  });

  it('takes __proto__ for an ordinary name', () => {
    const params = parseFormEncoded('__proto__[polluted]=1');
    assert.equal(Object.getPrototypeOf(params), null);
    assert.equal(({} as Record<string, unknown>)['polluted'], undefined);
  });

  it('lets a later scalar replace a list', () => {
    assert.deepEqual(parsed('labels[]=a&labels=b'), { labels: 'b' });
  });

  it('treats names with unbalanced brackets as plain names', () => {
    assert.deepEqual(parsed('a[b=1&[c]=2&d]=3'), { 'a[b': '1', '[c]': '2', 'd]': '3' });
  });

  for (const [what, text] of [
    ['a bad escape', 'a=%zz'],
    ['a NUL', 'a=%00'],
    ['a NUL in a name', 'a%00b=1'],
    ['bytes that are no UTF-8', 'a=%ff%fe'],
    ['a list after a scalar', 'a=1&a[]=2'],
    ['a hash after a list', 'a[]=1&a[b]=2'],
    ['nesting without end', `a${'[b]'.repeat(40)}=1`],
    ['pairs without end', 'a&'.repeat(100_001)],
  ] as const) {
    it(`refuses ${what}`, () => refused(text));
  }

  it('writes them back sorted, in the manner of Rails', () => {
    assert.equal(
      formEncode({ z: 'a b', list: ['x', 'y'], n: null, h: { k: true }, gone: undefined }),
      'h%5Bk%5D=true&list%5B%5D=x&list%5B%5D=y&n=&z=a+b',
    );
  });
});
