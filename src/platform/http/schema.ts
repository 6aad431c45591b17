import type { Static, TObject, TProperties, TSchema, Type as TypeBox } from 'typebox';

export type { Static, TObject, TProperties, TSchema };

type Options = Record<string, unknown>;

const OPTIONAL = '~optional';

const isRequired = (schema: TSchema) => !(OPTIONAL in schema);

/** A mark that is no part of the JSON: whether a key may be missing is said by the object that has it. */
const optional = (schema: TSchema) => Object.defineProperty({ ...schema }, OPTIONAL, { value: true });

function object(properties: TProperties, options?: Options) {
  const required = Object.keys(properties).filter((key) => isRequired(properties[key]!));
  return { type: 'object', ...(required.length > 0 && { required }), properties, ...options };
}

function without({ properties }: TObject, keys: readonly string[]): TProperties {
  return Object.fromEntries(Object.entries(properties).filter(([key]) => !keys.includes(key)));
}

const allOptional = ({ properties }: TObject): TProperties =>
  Object.fromEntries(Object.entries(properties).map(([key, child]) => [key, optional(child)]));

const written = {
  Array: (items: TSchema, options?: Options) => ({ type: 'array', items, ...options }),
  Boolean: (options?: Options) => ({ type: 'boolean', ...options }),
  Integer: (options?: Options) => ({ type: 'integer', ...options }),
  Literal: (value: unknown, options?: Options) => ({ type: typeof value, const: value, ...options }),
  Null: (options?: Options) => ({ type: 'null', ...options }),
  Number: (options?: Options) => ({ type: 'number', ...options }),
  Object: object,
  Omit: (schema: TObject, keys: readonly string[], options?: Options) =>
    object(without(schema, keys), options),
  Optional: optional,
  Partial: (schema: TObject, options?: Options) => object(allOptional(schema), options),
  /** Any text is a key. */
  Record: (_key: TSchema, value: TSchema, options?: Options) => ({
    type: 'object',
    patternProperties: { '^.*$': value },
    ...options,
  }),
  String: (options?: Options) => ({ type: 'string', ...options }),
  Union: (anyOf: readonly TSchema[], options?: Options) => ({ anyOf, ...options }),
  Unknown: (options?: Options) => ({ ...options }),
  Unsafe: (schema: TSchema) => ({ ...schema }),
};

/**
 * The constructors of TypeBox that we use, with TypeBox's own types. What they make is plain JSON Schema, which needs a line
 * each; TypeBox comes with an engine for types of some 600 modules that the service would load at every start for nothing
 * else. `schema.test.ts` holds each against the original.
 */
export const Type = written as unknown as Pick<typeof TypeBox, keyof typeof written>;
