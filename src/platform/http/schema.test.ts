import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Type as TypeBox } from 'typebox';
import { Type } from './schema.ts';

type Constructors = Pick<typeof TypeBox, keyof typeof Type>;

/** Written once, made by both. */
const schemas: Record<keyof Constructors, (T: Constructors) => unknown[]> = {
  Array: (T) => [T.Array(T.String()), T.Array(T.Array(T.Integer()), { minItems: 1 })],
  Boolean: (T) => [T.Boolean(), T.Boolean({ default: true })],
  Integer: (T) => [T.Integer(), T.Integer({ minimum: 1, description: 'One at least.' })],
  Literal: (T) => [T.Literal('x'), T.Literal(1), T.Literal(true)],
  Null: (T) => [T.Null()],
  Number: (T) => [T.Number(), T.Number({ maximum: 9 })],
  Object: (T) => [
    T.Object({}),
    T.Object({ a: T.String(), b: T.Optional(T.Integer()) }, { $id: 'Thing', additionalProperties: false }),
    T.Object({ only: T.Optional(T.Null()) }),
  ],
  Omit: (T) => [
    T.Omit(T.Object({ a: T.String(), b: T.Optional(T.String()), c: T.Null() }), ['a']),
    T.Omit(T.Object({ a: T.String() }), ['a'], { $id: 'Rest' }),
  ],
  Optional: (T) => [
    T.Optional(T.String({ format: 'date' })),
    T.Object({ a: T.Optional(T.Optional(T.Null())) }),
  ],
  Partial: (T) => [T.Partial(T.Object({ a: T.String(), b: T.Optional(T.Null()) }))],
  Record: (T) => [
    T.Record(T.String(), T.Array(T.String())),
    T.Record(T.String(), T.Number(), { $id: 'Map' }),
  ],
  String: (T) => [T.String(), T.String({ format: 'date-time', maxLength: 255 })],
  Union: (T) => [T.Union([T.String(), T.Null()]), T.Union([T.Literal('a'), T.Literal('b')], { $id: 'AB' })],
  Unknown: (T) => [T.Unknown(), T.Unknown({ description: 'Anything.' })],
  Unsafe: (T) => [T.Unsafe<string>({ type: 'string', 'x-blank': false })],
};

describe('schemas are those of TypeBox', () => {
  for (const name of Object.keys(schemas) as (keyof Constructors)[]) {
    it(name, () => {
      const ours = schemas[name](Type);
      const theirs = schemas[name](TypeBox);
      assert.deepEqual(JSON.parse(JSON.stringify(ours)), JSON.parse(JSON.stringify(theirs)));
    });
  }
});
