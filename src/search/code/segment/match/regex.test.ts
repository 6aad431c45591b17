import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { InvalidPattern } from '../../code-index.ts';
import { CHUNK_BYTES } from '../chunks.ts';
import {
  assertSameHits,
  literal,
  randomNumbers,
  regex,
  scanAll,
  searchAll,
  TestSegments,
} from '../testing.ts';
import { compilePlan } from './plan.ts';

const PIECES = [
  'a',
  'b',
  'B',
  'k',
  's',
  '\u212a',
  'ſ',
  'é',
  'É',
  'σ',
  '编',
  '🚀',
  '1',
  '_',
  ' ',
  '\r',
  '\u2028',
  '-',
];
const CLASSES = [
  '.',
  '\\w',
  '\\W',
  '\\d',
  '\\s',
  '\\S',
  '[ab]',
  '[^ab]',
  '[k-s]',
  '[^\\W\\d]',
  '\\p{Lu}',
  '[é编🚀]',
  '[]',
  '[^]',
];
const ASSERTIONS = ['^', '$', '\\b', '\\B'];
const QUANTIFIERS = ['', '', '', '*', '+', '?', '{2}', '{1,3}', '{0}', '{2,}?'];

/** Expressions and texts of the same few characters. */
class RandomExpressions {
  readonly #next: () => number;

  constructor(seed: number) {
    this.#next = randomNumbers(seed);
  }

  text(): Buffer {
    const lines = Array.from({ length: 20 }, () =>
      Array.from({ length: this.#below(12) }, () => this.#pick(PIECES)).join(''),
    );
    return Buffer.from(lines.join('\n'));
  }

  expression(depth = 0): string {
    const alternatives = Array.from({ length: 1 + this.#below(depth === 0 ? 2 : 3) }, () => {
      return Array.from({ length: 1 + this.#below(4) }, () => this.#term(depth)).join('');
    });
    return alternatives.join('|');
  }

  #term(depth: number): string {
    const choice = this.#below(10);
    if (choice === 0) return this.#pick(ASSERTIONS);
    if (choice === 1 && depth < 2) return `(${this.expression(depth + 1)})${this.#pick(QUANTIFIERS)}`;
    if (choice < 5) return this.#pick(CLASSES) + this.#pick(QUANTIFIERS);
    return RegExp.escape(this.#pick(PIECES)) + this.#pick(QUANTIFIERS);
  }

  #pick(from: readonly string[]): string {
    return from[this.#below(from.length)]!;
  }

  #below(bound: number): number {
    return Math.floor(this.#next() * bound);
  }
}

describe('a regular expression', () => {
  it('matches in random texts exactly the lines that JavaScript matches', () => {
    using segments = new TestSegments();
    const random = new RandomExpressions(42);
    const blobs = Array.from({ length: 25 }, () => random.text());
    const segment = segments.build(blobs);
    let selective = 0;
    for (let i = 0; i < 400; i++) {
      const pattern = regex(random.expression(), i % 2 === 0);
      const found = searchAll(segment, pattern);
      assertSameHits(found, scanAll(blobs, pattern), pattern);
      if (found.size > 0 && found.size < blobs.length) selective++;
    }
    assert.ok(selective > 100, `${selective} expressions told blobs apart`);
  });

  it('finds with the index what it finds without', () => {
    using segments = new TestSegments();
    const words = ['foobar', 'foo baz', 'colour', 'color', 'xyz123', 'FooBar()', 'aaaa', 'Straße', 'STRASSE'];
    const blobs = words.map((word) => Buffer.from(`// ${word}\n`));
    const segment = segments.build(blobs);
    const sources = [
      'foo(bar|baz)',
      'colou?r',
      'foo\\w*\\(',
      '(foo|col)\\s?[bo]',
      'a{4}',
      'a{3,}$',
      '^// xyz',
      '[Ff]oo[Bb]ar',
      'stra(ß|ss)e',
      '(?:xyz)+\\d{3}',
      '(?<name>oo b)az',
      'o{1}ur',
    ];
    for (const source of sources) {
      for (const pattern of [regex(source), regex(source, true)]) {
        assertSameHits(searchAll(segment, pattern), scanAll(blobs, pattern), pattern);
      }
    }
  });

  it('rules out by its literals and by all of its alternatives', () => {
    using segments = new TestSegments();
    const segment = segments.build(['alpha beta', 'gamma delta', 'epsilon'].map((text) => Buffer.from(text)));
    const blobsOf = (source: string) => [...segment.candidates(compilePlan(regex(source))).blobs()];
    assert.deepEqual(blobsOf('alp(ha)'), [0]);
    assert.deepEqual(blobsOf('(alpha|delta)'), [0, 1]);
    assert.deepEqual(blobsOf('alpha.*delta'), []);
    assert.deepEqual(blobsOf('(?:epsi)+lon?'), [2]);
    assert.deepEqual(blobsOf('(alpha)?'), [0, 1, 2]);
    assert.deepEqual(blobsOf('(alpha|.)'), [0, 1, 2]);
  });

  it('never spans lines, and takes CRLF for a part of the line', () => {
    using segments = new TestSegments();
    const segment = segments.build([Buffer.from('one\r\ntwo\nthree')]);
    for (const source of ['one\\s*two', 'two\\nthree', '\\n', 'e$.t', 'one$']) {
      assert.equal(searchAll(segment, regex(source)).size, 0, source);
    }
    for (const source of ['one\\r$', '^two$', 'three$']) {
      assert.equal(searchAll(segment, regex(source)).size, 1, source);
    }
  });

  it('is refused when it cannot be read, or not be run in bounded time', () => {
    const refused = {
      '(': /Unterminated group/,
      '[b-a]': /Range out of order/,
      '\\q': /Invalid escape/,
      '(a)\\1': /backreferences/,
      'a(?=b)': /lookahead and lookbehind/,
      '(?<!a)b': /lookahead and lookbehind/,
      '(?i:a)': /modifiers/,
      'a{1000}{1000}': /Nothing to repeat/,
      '(a{1000}){1000}': /too large/,
      'a{1500}': /too large/,
      '((a{100}){100}){100}': /too large/,
      [Array.from({ length: 40 }, (_, i) => `[^${String.fromCharCode(0x3040 + i)}]`).join('')]: /too large/,
      ['('.repeat(2000)]: /longer than 1000/,
    };
    for (const [source, message] of Object.entries(refused)) {
      assert.throws(
        () => compilePlan(regex(source)),
        (error: Error) => error instanceof InvalidPattern && message.test(error.message),
        source,
      );
    }
  });

  it('ends on texts and expressions that keep a backtracking engine busy for ever', () => {
    using segments = new TestSegments();
    const line = `${'a'.repeat(8 * CHUNK_BYTES)}!\n`;
    const segment = segments.build([Buffer.from(line), Buffer.from(`é${line}`)]);
    const hits = { '(a+)+$': 0, '(.*)*x': 0, '(\\w+\\s?)*$': 2, '(a|aa)+b': 0, '(a*)*!?!{2}': 0 };
    for (const [source, expected] of Object.entries(hits)) {
      assert.equal(searchAll(segment, regex(source)).size, expected, source);
    }
  });
});

describe('a literal', () => {
  it('is no expression', () => {
    using segments = new TestSegments();
    const segment = segments.build([Buffer.from('a.b*c(d\n'), Buffer.from('aXbbc(d\n')]);
    assert.deepEqual([...searchAll(segment, literal('A.B*C(D')).keys()], [0]);
  });
});
