import { type Static, type TObject, type TSchema, Type } from './schema.ts';

/**
 * The vocabulary of route parameters. Each is a TypeBox schema: it types the handler's `params`, drives the coercion
 * (`coerce.ts`) and appears in the OpenAPI document. Keywords of our own begin with `x-`.
 */

export interface ParamOptions {
  description?: string;
  default?: unknown;
}

interface TextOptions extends ParamOptions {
  /** false: "" and blanks answer `x is empty`. */
  blank?: false;
  /** true: a NUL byte is data here (file contents), not an attack. */
  binary?: true;
  maxLength?: number;
  pattern?: string;
}

const text = ({ blank, binary, ...options }: TextOptions) => ({
  type: 'string' as const,
  ...options,
  ...(blank === false && { 'x-blank': false }),
  ...(binary && { 'x-binary': true }),
});

export const param = {
  string: (options: TextOptions = {}) => Type.Unsafe<string>(text(options)),

  integer: (options: ParamOptions & { minimum?: number; maximum?: number } = {}) =>
    Type.Unsafe<number>({ type: 'integer', ...options }),

  number: (options: ParamOptions = {}) => Type.Unsafe<number>({ type: 'number', ...options }),

  boolean: (options: ParamOptions = {}) => Type.Unsafe<boolean>({ type: 'boolean', ...options }),

  /** The number of somebody or something, or `None` or `Any` in any letters, as text: what filters take. */
  idOrNoneOrAny: (options: ParamOptions = {}) =>
    Type.Unsafe<string>({
      type: 'string',
      ...options,
      pattern: '^(?:\\d{1,15}|[Nn][Oo][Nn][Ee]|[Aa][Nn][Yy])?$',
      'x-wanted': 'an integer, none, or any',
    }),

  /** One of a list; anything else answers `x does not have a valid value`. */
  oneOf: <const V extends string>(values: readonly V[], options: TextOptions = {}) =>
    Type.Unsafe<V>({ ...text(options), enum: values }),

  /** One of a list of numbers, access levels for one. */
  oneOfNumbers: (values: readonly number[], options: ParamOptions = {}) =>
    Type.Unsafe<number>({ type: 'integer', enum: values, ...options }),

  /** ISO 8601; the handler gets milliseconds since the epoch. */
  dateTime: (options: ParamOptions = {}) =>
    Type.Unsafe<number>({ type: 'string', format: 'date-time', ...options }),

  /** `YYYY-MM-DD`, kept as text. */
  date: (options: ParamOptions = {}) => Type.Unsafe<string>({ type: 'string', format: 'date', ...options }),

  /** `ids[]=1&ids[]=2` or a JSON list. */
  list: <T extends TSchema>(items: T, options: ParamOptions = {}) =>
    Type.Unsafe<Static<T>[]>({ type: 'array', items, ...options }),

  /** `a,b`, `labels[]=a&labels[]=b` or a JSON list: blanks stripped. */
  csv: (options: ParamOptions & { values?: readonly string[] } = {}) => {
    const { values, ...rest } = options;
    const items = values ? { type: 'string', enum: values } : { type: 'string' };
    return Type.Unsafe<string[]>({ type: 'array', items, 'x-csv': true, ...rest });
  },

  /** A nested hash with named members. */
  hash: <T extends TObject>(schema: T, options: ParamOptions = {}) =>
    Type.Unsafe<Static<T>>({ ...schema, ...options }),

  /** A hash of anything, `variables` for one. */
  anyHash: (options: ParamOptions = {}) =>
    Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true, ...options }),

  /** An uploaded file (multipart). */
  file: (options: ParamOptions = {}) =>
    Type.Unsafe<UploadedFile>({ type: 'string', format: 'binary', ...options }),
};

/** May be left out; blank text of a typed parameter and JSON null arrive as null. */
export const optional = <T extends TSchema>(schema: T) =>
  Type.Optional(Type.Unsafe<Static<T> | null>(schema));

/** Left out means the schema's default. */
export const withDefault = <T extends TSchema>(schema: T, value: NonNullable<Static<T>>) =>
  Type.Unsafe<Static<T>>({ ...schema, default: value });

/** Rules over several parameters, checked after each of them, in this order. */
export interface ParamRules {
  mutuallyExclusive?: string[][];
  atLeastOneOf?: string[][];
  exactlyOneOf?: string[][];
}

export const params = <P extends Record<string, TSchema>>(properties: P, rules: ParamRules = {}) =>
  Type.Object(properties, { 'x-rules': rules });

export class UploadedFile {
  readonly filename: string;
  readonly contentType: string;
  readonly bytes: Buffer;
  constructor(filename: string, contentType: string, bytes: Buffer) {
    this.filename = filename;
    this.contentType = contentType;
    this.bytes = bytes;
  }
}

/** Schema helpers for answers. */
export const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
export const timestamp = (options: ParamOptions = {}) => Type.String({ format: 'date-time', ...options });
