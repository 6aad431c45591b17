import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApiError } from '../errors.ts';
import { coerceParams } from './coerce.ts';
import { optional, param, params, withDefault } from './params.ts';
import { type TSchema, Type } from './schema.ts';

const one = (schema: TSchema, value: unknown) => {
  try {
    return coerceParams(params({ x: schema }), { x: value })['x'];
  } catch (error) {
    assert.ok(error instanceof ApiError, String(error));
    return error.message;
  }
};

const problems = (schema: ReturnType<typeof params>, raw: Record<string, unknown>) => {
  try {
    coerceParams(schema, raw);
    return '';
  } catch (error) {
    return (error as ApiError).message;
  }
};

const table: [string, TSchema, [unknown, unknown][]][] = [
  [
    'integer',
    optional(param.integer()),
    [
      ['3', 3],
      [' 3', 3],
      ['+3', 3],
      [-1, -1],
      [3.7, 3],
      ['', null],
      [null, null],
      ['1.5', 'x is invalid'],
      ['abc', 'x is invalid'],
      [['1'], 'x is invalid'],
      [true, 'x is invalid'],
      ['99999999999999999999', 'x is invalid'],
      [1e300, 'x is invalid'],
    ],
  ],
  [
    'boolean',
    optional(param.boolean()),
    [
      ...['true', 't', '1', 'y', 'Yes', 'ON', 'T', true, 1].map((v): [unknown, unknown] => [v, true]),
      ...['false', 'f', '0', 'n', 'No', 'off', 'F', false, 0].map((v): [unknown, unknown] => [v, false]),
      ['', null],
      [null, null],
      ...['2', 'maybe', 'null', 1.5, [], {}].map((v): [unknown, unknown] => [v, 'x is invalid']),
    ],
  ],
  [
    'string',
    optional(param.string()),
    [
      [5, '5'],
      [true, 'true'],
      ['', ''],
      [null, null],
      [[], 'x is invalid'],
      [{}, 'x is invalid'],
      ['a\0b', 'Bad Request'],
      ['\ud800', 'Bad Request'],
    ],
  ],
  [
    'number',
    optional(param.number()),
    [
      ['50.5', 50.5],
      [1, 1],
      ['', null],
      ['NaN', 'x is invalid'],
      ['Infinity', 'x is invalid'],
      ['1,5', 'x is invalid'],
    ],
  ],
  [
    'date and time',
    optional(param.dateTime()),
    [
      ['2020-01-01', Date.UTC(2020, 0, 1)],
      ['2020-01-01T10:00:00Z', Date.UTC(2020, 0, 1, 10)],
      ['2020-01-01T10:00:00+02:00', Date.UTC(2020, 0, 1, 8)],
      ['2020-01-01T10:00:00.250Z', Date.UTC(2020, 0, 1, 10, 0, 0, 250)],
      ['', null],
      ['garbage', 'x is invalid'],
      ['2020-13-01', 'x is invalid'],
      ['2023-02-31', 'x is invalid'],
    ],
  ],
  [
    'list',
    optional(param.list(param.integer())),
    [
      [
        ['1', 2],
        [1, 2],
      ],
      ['', []],
      [null, []],
      ['1', 'x is invalid'],
      [['a'], 'x is invalid'],
    ],
  ],
  [
    'comma-separated list',
    optional(param.csv()),
    [
      ['a, b', ['a', 'b']],
      [
        ['a', 'b,c'],
        ['a', 'b', 'c'],
      ],
      ['', []],
      [[{}], 'x is invalid'],
    ],
  ],
  [
    'one of a list',
    optional(param.oneOf(['a', 'b'])),
    [
      ['a', 'a'],
      ['A', 'x does not have a valid value'],
      ['', 'x does not have a valid value'],
      [['a'], 'x is invalid'],
    ],
  ],
  [
    'text that must not be blank',
    param.string({ blank: false }),
    [
      ['a', 'a'],
      ['', 'x is empty'],
      ['  ', 'x is empty'],
      [null, 'x is empty'],
    ],
  ],
];

describe('coercion of parameters', () => {
  for (const [type, schema, cases] of table) {
    for (const [sent, expected] of cases) {
      it(`${type}: ${JSON.stringify(sent)} is ${JSON.stringify(expected)}`, () =>
        assert.deepEqual(one(schema, sent), expected));
    }
  }

  it('says every text that GitLab says of what is missing, in the order of declaration', () => {
    const schema = params({
      title: param.string(),
      branch: param.string({ blank: false }),
      state: param.oneOf(['a']),
      count: optional(param.integer()),
    });
    assert.equal(
      problems(schema, { count: 'x' }),
      'title is missing, branch is missing, branch is empty, state is missing, state does not have a valid value, count is invalid',
    );
  });

  it('says what a filter by a person takes, in GitLab’s words', () => {
    const schema = params({ x: optional(param.idOrNoneOrAny()) });
    for (const good of ['7', 7, 'none', 'Any', 'NONE', '']) assert.equal(problems(schema, { x: good }), '');
    assert.equal(problems(schema, { x: 'foo' }), 'x should be an integer, none, or any, however got foo');
    assert.equal(problems(schema, { x: '-1' }), 'x should be an integer, none, or any, however got -1');
    assert.match(problems(schema, { x: 'y'.repeat(5000) }), /however got y{100}$/);
    assert.equal(problems(schema, { x: ['7'] }), 'x is invalid');
  });

  it('names nested members by their place', () => {
    const schema = params({
      actions: param.list(
        Type.Object({ action: param.oneOf(['create'], { blank: false }), path: param.string() }),
      ),
    });
    assert.equal(
      problems(schema, { actions: [{ action: 'create', path: 'a' }, { action: null }] }),
      'actions[1][action] is empty, actions[1][path] is missing',
    );
    assert.equal(
      problems(schema, { actions: [{ action: 'blow', path: 'a' }] }),
      'actions[0][action] does not have a valid value',
    );
    assert.equal(problems(schema, { actions: 'text' }), 'actions is invalid');
    for (const hole of [null, '', 'text', []])
      assert.equal(problems(schema, { actions: [hole] }), 'actions[0] is invalid');
  });

  it('fills defaults and drops what nobody declared', () => {
    const schema = params({
      page: withDefault(param.integer(), 1),
      flag: withDefault(param.boolean(), true),
    });
    assert.deepEqual({ ...coerceParams(schema, { flag: '', other: 1 }) }, { page: 1, flag: true });
  });

  it('checks rules over several parameters', () => {
    const schema = params(
      { a: optional(param.string()), b: optional(param.string()), c: optional(param.string()) },
      { mutuallyExclusive: [['a', 'b']], atLeastOneOf: [['b', 'c']] },
    );
    assert.equal(problems(schema, { a: '1', b: '2' }), 'a, b are mutually exclusive');
    assert.equal(problems(schema, { a: '1' }), 'b, c are missing, at least one parameter must be provided');
  });

  it('takes a comma-separated list of any length', () => {
    const schema = params({ x: optional(param.csv()) });
    const { x } = coerceParams(schema, { x: 'a,'.repeat(300_000) });
    assert.equal((x as string[]).length, 300_000);
  });

  it('lets file contents hold a NUL', () => {
    assert.equal(one(param.string({ binary: true }), 'a\0b'), 'a\0b');
  });
});
