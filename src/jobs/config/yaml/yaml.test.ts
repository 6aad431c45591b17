import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { resolvePlain } from './scalars.ts';
import { nodesOf, type Yaml, YamlTooBig } from './value.ts';
import { YamlReader } from './yaml.ts';

const map = (entries: Record<string, Yaml>): Yaml => new Map(Object.entries(entries));

describe('plain words', () => {
  // written down from Ruby's Psych, which GitLab reads with
  const cases: [string, Yaml][] = [
    ...[
      ['1_000', 1000],
      ['1,000', 1000],
      ['0o17', '0o17'],
      ['017', 15],
      ['0x1F', 31],
      ['0b11', 3],
    ],
    ...[
      ['1:30', 5400],
      ['12e3', '12e3'],
      ['1e3', '1e3'],
      ['+1', 1],
      ['-1', -1],
      ['00', 0],
      ['-0', 0],
    ],
    ...[
      ['08', '08'],
      ['019', '019'],
      ['1__0', '1__0'],
      ['_1', '_1'],
      ['1,', '1,'],
      ['0b', '0b'],
    ],
    ...[
      ['yes', true],
      ['Y', 'Y'],
      ['on', true],
      ['Off', false],
      ['~', null],
      ['NULL', null],
      ['', null],
    ],
    ...[
      ['1.2.3', '1.2.3'],
      ['190:20:30', 685230],
      ['=', '='],
      ['2020-01-01', '2020-01-01'],
      ['-', '-'],
    ],
    ...[
      ['1.0e10', '1.0e10'],
      ['.', '.'],
      ['-x', '-x'],
      ['+', '+'],
      ['0x', '0x'],
    ],
    ...[
      [':script', 'script'],
      [':"x y"', 'x y'],
      [":'x'", 'x'],
      [':"', '"'],
      [':1', '1'],
      [':yes', 'yes'],
      [':-x', '-x'],
      ['::', ':'],
      [':', ':'],
      [':a\nb', ':a\nb'],
    ],
  ] as [string, Yaml][];
  for (const [text, value] of cases)
    it(`reads ${JSON.stringify(text)}`, () => assert.deepEqual(resolvePlain(text), value));

  const decimals = {
    '1.10': '1.1',
    '.5': '0.5',
    '+.5': '0.5',
    '0.0': '0.0',
    '1_0.5': '10.5',
    '1.': '1.0',
    '.inf': 'Infinity',
    '-.INF': '-Infinity',
    '.nan': 'NaN',
    '1:30.5': '5430.0',
    '123456789012345678.0': '1.2345678901234568e+17',
    '1.0e+20': '1.0e+20',
    '1.5e-7': '1.5e-07',
    '99999999999999999999999': '99999999999999999999999',
  };
  for (const [text, decimal] of Object.entries(decimals))
    it(`reads ${text} as the number ${decimal}`, () => assert.deepEqual(resolvePlain(text), { decimal }));
});

describe('YAML', () => {
  const yaml = new YamlReader();
  after(() => yaml.close());
  const one = async (text: string) => {
    const result = await yaml.read(text);
    assert.ok('documents' in result, JSON.stringify(result));
    return result.documents[0];
  };
  const error = async (text: string) => {
    const result = await yaml.read(text);
    assert.ok('error' in result, 'it was read');
    return result.error;
  };

  it('takes the last of equal keys, keys of every kind as text, and none for JavaScript’s own', async () => {
    assert.deepEqual(await one('a: 1\na: 2'), map({ a: 2 }));
    assert.deepEqual(
      await one('1: a\ntrue: b\n~: c\n1.50: d\non: e'),
      map({ 1: 'a', true: 'e', '': 'c', '1.5': 'd' }),
    );
    const tree = await one('__proto__: {polluted: yes}\nconstructor: x');
    assert.deepEqual([...(tree as Map<string, Yaml>).keys()], ['__proto__', 'constructor']);
  });

  it('merges with << as Ruby does: in order, the first of a list winning', async () => {
    assert.deepEqual(
      await one('x: &a {k: 1}\ny:\n  <<: *a\n  k: 2\nz: {k: 2, <<: *a}'),
      map({ x: map({ k: 1 }), y: map({ k: 2 }), z: map({ k: 1 }) }),
    );
    assert.deepEqual(
      await one('x: &a {k: 1}\ny: &b {k: 2, l: 3}\nz: {<<: [*a, *b]}'),
      map({ x: map({ k: 1 }), y: map({ k: 2, l: 3 }), z: map({ k: 1, l: 3 }) }),
    );
    assert.deepEqual(await one('<<: [1]\na: 1'), map({ '<<': [1], a: 1 }));
  });

  it('keeps references for later and ignores tags that it does not know', async () => {
    assert.deepEqual(
      await one('a: !reference [b, c]\nd: !foo 1\ne: !!str 12\nf: ! 12'),
      map({ a: { reference: ['b', 'c'] }, d: 1, e: '12', f: '12' }),
    );
  });

  it('says in libyaml’s words and with the place what is no YAML', async () => {
    assert.match(
      await error('a: [1'),
      /^\(<unknown>\): did not find expected ',' or ']' .* at line 1 column \d+$/,
    );
    assert.match(
      await error('a: b\n c: d'),
      /mapping values are not allowed in this context at line \d+ column \d+$/,
    );
    assert.equal(
      await error('\ta: 1'),
      '(<unknown>): found character that cannot start any token while scanning for the next token at line 1 column 1',
    );
    assert.match(await error('a: "x'), /found unexpected end of stream while scanning a quoted scalar/);
    assert.match(await error('- a\nb: 1'), /did not find expected key/);
    assert.equal(await error('a: *x'), 'An alias referenced an unknown anchor: x');
    assert.equal(await error('? [1]\n: 2'), 'Invalid configuration format');
    for (const text of ['a: "\\0"', '"a\\x00b": 1', 'a: x\0y'])
      assert.equal(await error(text), '(<unknown>): control characters are not allowed');
  });

  it('finds bombs, cycles and depth before they cost anything', async () => {
    const bomb = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]'];
    for (let n = 1; n < 40; n++)
      bomb.push(
        `a${n}: &a${n} [${Array(10)
          .fill(`*a${n - 1}`)
          .join(', ')}]`,
      );
    const tooBig = 'The parsed YAML is too big';
    assert.equal(await error(bomb.join('\n')), tooBig);
    assert.equal(await error('a: &a [*a]'), tooBig);
    assert.equal(await error('a: &a\n  b: {<<: *a}'), tooBig);
    assert.equal(await error('['.repeat(2000) + ']'.repeat(2000)), tooBig);
    assert.equal(await error(`${'['.repeat(200_000)}${']'.repeat(200_000)}`), tooBig);
    assert.equal(await error(`a: ${'x'.repeat(10 * 1024 * 1024)}`), tooBig);
  });

  it('counts what is shared as often as it is there, and its depth from where it is', () => {
    const shared = [1, 2, 3];
    assert.equal(nodesOf([shared, shared]), 1 + 2 * 4);
    let deep: Yaml = [];
    for (let n = 0; n < 90; n++) deep = [deep];
    const deeper = [[[[[[[[[[[deep]]]]]]]]]]];
    assert.throws(() => nodesOf([deep, deeper]), YamlTooBig);
  });

  it('reads a large text in a thread with the same result', async () => {
    const text = Array.from({ length: 3000 }, (_, n) => `job${n}: {script: [!reference [a, b], ${n}.50]}`);
    const tree = (await one(text.join('\n'))) as Map<string, Yaml>;
    assert.equal(tree.size, 3000);
    assert.deepEqual(tree.get('job7'), map({ script: [{ reference: ['a', 'b'] }, { decimal: '7.5' }] }));
  });

  it('leaves open what it was reading when it is closed', async () => {
    const closing = new YamlReader();
    const reading = closing.read('- [a, b]\n'.repeat(100_000));
    const refused = assert.rejects(reading, { name: 'YamlReaderClosed' });
    await new Promise((resolve) => setTimeout(resolve, 50));
    await closing.close();
    await refused;
    await assert.rejects(closing.read(`a: ${'x'.repeat(10_000)}`), { name: 'YamlReaderClosed' });
  });

  it('writes as Ruby does what reads as the same', async () => {
    const text = [
      '---\ntest_job:\n  script:\n  - echo 1\n  - |\n    a\n    b\n  variables:',
      "    A: '1'\n    B: 1\n    C: 'yes'\n    D:\n    E: ''\n    F: true\n    G: 1.0\n  x: []\n  \"y\": {}",
      '  image: a:b\n  t:\n  - a\n  - "-b"\n  - "#e"\n  - "$X"\n  - "~"\n  - \'1.0\'\n  - 99999999999999999999',
      '".hid":\n  a:\n  - - b\n    - c\n  - k: 1\n    l: 2\n  - !reference\n    - a\n    - b\n  - \':a"b\'\n  - ":c"\n',
    ].join('\n');
    const tree = (await one(text))!;
    const written = await yaml.write(tree);
    assert.deepEqual(await one(written!), tree);
    assert.equal(written, text);
  });
});
