import { ApiError } from '../errors.ts';
import { type ParamRules, UploadedFile } from './params.ts';
import { isHash, type RawParams } from './rack.ts';
import type { TObject } from './schema.ts';

/**
 * Raw values to typed ones, with GitLab's coercions and GitLab's words for what is wrong. Every problem is reported,
 * joined in the order of declaration.
 */

interface ParamSchema {
  type?: string;
  format?: string;
  enum?: readonly unknown[];
  items?: ParamSchema;
  properties?: Record<string, ParamSchema>;
  required?: string[];
  default?: unknown;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  pattern?: string;
  additionalProperties?: boolean;
  'x-blank'?: boolean;
  'x-binary'?: boolean;
  'x-csv'?: boolean;
  'x-wanted'?: string;
  'x-rules'?: ParamRules;
}

const INVALID = Symbol('invalid');
type Coerced = unknown | typeof INVALID;

const TRUE = new Set(['true', 't', '1', 'y', 'yes', 'on']);
const FALSE = new Set(['false', 'f', '0', 'n', 'no', 'off']);

/** Throws 400 `{"error": "a is missing, b is invalid"}`; returns the typed parameters, unknown ones dropped. */
export function coerceParams(schema: TObject, raw: RawParams, more: string[] = []): Record<string, unknown> {
  const problems: string[] = [];
  const value = coerceObject(schema as ParamSchema, raw, '', problems);
  problems.push(...more);
  if (problems.length > 0) throw new ApiError('invalid_params', { problems: problems.join(', ') });
  return value;
}

function coerceObject(schema: ParamSchema, raw: RawParams, prefix: string, problems: string[]) {
  // Keys are the schema's, not a caller's: an ordinary object is safe, and quicker to read than one without a prototype.
  const value: RawParams = {};
  for (const { key, child, required } of fieldsOf(schema)) {
    const name = prefix ? `${prefix}[${key}]` : key;
    if (key in raw) {
      const coerced = coerceValue(child, raw[key], name, problems);
      if (coerced === INVALID) continue;
      value[key] = coerced ?? child.default ?? coerced;
      // Handlers rely on a required parameter being there; GitLab lets null through, to fail further down.
      if (required && value[key] == null) problems.push(`${name} is empty`);
    } else if (child.default !== undefined) {
      value[key] = copyOf(child.default);
    } else if (required) {
      reportMissing(child, name, prefix === '', problems);
    }
  }
  checkRules(schema['x-rules'] ?? {}, raw, problems);
  return value;
}

interface Field {
  key: string;
  child: ParamSchema;
  required: boolean;
}

/** Schemas live as long as the service; taking one apart anew for every call would take longer than the rest. */
const fieldsBySchema = new WeakMap<ParamSchema, Field[]>();

function fieldsOf(schema: ParamSchema): Field[] {
  const known = fieldsBySchema.get(schema);
  if (known) return known;
  const fields = Object.entries(schema.properties ?? {}).map(([key, child]) => ({
    key,
    child,
    required: schema.required?.includes(key) ?? false,
  }));
  fieldsBySchema.set(schema, fields);
  return fields;
}

/** A handler may change what it is given; the schema's own value must not change with it. */
const copyOf = (value: unknown): unknown =>
  typeof value === 'object' && value !== null ? structuredClone(value) : value;

/** GitLab's validators all look at a missing required parameter, so one absence can have two texts. */
function reportMissing(schema: ParamSchema, name: string, atRoot: boolean, problems: string[]) {
  problems.push(`${name} is missing`);
  if (schema['x-blank'] === false) problems.push(`${name} is empty`);
  if (schema.enum && atRoot) problems.push(`${name} does not have a valid value`);
}

function coerceValue(schema: ParamSchema, raw: unknown, name: string, problems: string[]): Coerced {
  if (schema['x-blank'] === false && isBlank(raw)) {
    problems.push(`${name} is empty`);
    return INVALID;
  }
  const before = problems.length;
  const value = coerceType(schema, raw, name, problems);
  if (value === INVALID) {
    if (problems.length === before) problems.push(`${name} is invalid`);
    return INVALID;
  }
  if (value === null || value === undefined) return value;
  return inBounds(schema, value, name, problems) ? value : INVALID;
}

function isBlank(raw: unknown): boolean {
  return raw === null || (typeof raw === 'string' && raw.trim() === '');
}

function inBounds(schema: ParamSchema, value: unknown, name: string, problems: string[]): boolean {
  if (schema.enum && !schema.enum.includes(value)) {
    problems.push(`${name} does not have a valid value`);
    return false;
  }
  const outside =
    (typeof value === 'number' &&
      (value < (schema.minimum ?? -Infinity) || value > (schema.maximum ?? Infinity))) ||
    (typeof value === 'string' && value.length > (schema.maxLength ?? Infinity)) ||
    (typeof value === 'string' && schema.pattern !== undefined && !new RegExp(schema.pattern).test(value));
  if (outside) problems.push(`${name} ${refusalOf(schema, value)}`);
  return !outside;
}

/** What is shown back of a wrong value: as far as anybody would read it. */
const MAX_SHOWN = 100;

function refusalOf({ 'x-wanted': wanted }: ParamSchema, value: unknown): string {
  if (wanted === undefined) return 'is invalid';
  return `should be ${wanted}, however got ${String(value).slice(0, MAX_SHOWN)}`;
}

function coerceType(schema: ParamSchema, raw: unknown, name: string, problems: string[]): Coerced {
  switch (schema.type) {
    case 'integer':
      return coerceInteger(raw);
    case 'number':
      return coerceNumber(raw);
    case 'boolean':
      return coerceBoolean(raw);
    case 'array':
      return schema['x-csv']
        ? coerceCsv(schema, raw, name, problems)
        : coerceList(schema, raw, name, problems);
    case 'object':
      return coerceHash(schema, raw, name, problems);
    case 'string':
      return coerceString(schema, raw);
    default:
      return raw;
  }
}

function coerceInteger(raw: unknown): Coerced {
  if (raw === null || raw === '') return null;
  if (typeof raw === 'number') return safeInteger(Math.trunc(raw));
  if (typeof raw !== 'string' || !/^\s*[+-]?\d+\s*$/.test(raw)) return INVALID;
  return safeInteger(Number(raw));
}

const safeInteger = (value: number): Coerced => (Number.isSafeInteger(value) ? value : INVALID);

function coerceNumber(raw: unknown): Coerced {
  if (raw === null || raw === '') return null;
  if (typeof raw !== 'number' && typeof raw !== 'string') return INVALID;
  const value = typeof raw === 'string' && raw.trim() === '' ? Number.NaN : Number(raw);
  return Number.isFinite(value) ? value : INVALID;
}

function coerceBoolean(raw: unknown): Coerced {
  if (typeof raw === 'boolean') return raw;
  if (raw === null || raw === '') return null;
  if (raw === 1 || raw === 0) return raw === 1;
  if (typeof raw !== 'string') return INVALID;
  const word = raw.toLowerCase();
  if (TRUE.has(word)) return true;
  return FALSE.has(word) ? false : INVALID;
}

function coerceString(schema: ParamSchema, raw: unknown): Coerced {
  if (schema.format === 'binary') return raw instanceof UploadedFile || raw === null ? raw : INVALID;
  if (raw === null) return null;
  if (typeof raw !== 'string' && typeof raw !== 'number' && typeof raw !== 'boolean') return INVALID;
  const text = String(raw);
  if (!schema['x-binary'] && (text.includes('\0') || !text.isWellFormed())) {
    throw new ApiError('malformed_request');
  }
  if (schema.format === 'date-time') return text === '' ? null : parseDateTime(text);
  if (schema.format === 'date') return text === '' ? null : parseDate(text);
  return text;
}

const DATE_TIME =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s*(Z|z|UTC|[+-]\d{2}:?\d{2})?)?$/;

/** ISO 8601, the zone UTC where none is given; ` 02:00` is a `+` that a client forgot to escape. */
export function parseDateTime(text: string): number | typeof INVALID {
  const match = DATE_TIME.exec(text.trim().replace(/ (\d{2}:\d{2})$/, '+$1'));
  if (!match) return INVALID;
  const [, year, month, day, hour = '00', minute = '00', second = '00', fraction = '0', zone = 'Z'] = match;
  const offset = /^[+-]/.test(zone) ? `${zone.slice(0, 3)}:${zone.slice(-2)}` : 'Z';
  const ms = fraction.padEnd(3, '0').slice(0, 3);
  if (parseDate(`${year}-${month}-${day}`) === INVALID) return INVALID;
  const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}${offset}`);
  return Number.isNaN(time) ? INVALID : time;
}

function parseDate(text: string): string | typeof INVALID {
  const match = /^(\d{4}-\d{2}-\d{2})/.exec(text);
  if (!match?.[1]) return INVALID;
  const time = Date.parse(`${match[1]}T00:00:00Z`);
  // `2023-02-31` parses nowhere or moves to March: both are refused.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(match[1]) ? match[1] : INVALID;
}

function coerceCsv(schema: ParamSchema, raw: unknown, name: string, problems: string[]): Coerced {
  if (raw === null) return [];
  const parts = Array.isArray(raw) ? raw : [raw];
  const words: string[] = [];
  for (const part of parts) {
    const text = coerceString({ type: 'string' }, part);
    if (typeof text !== 'string') return INVALID;
    for (const word of text.split(',')) if (word.trim() !== '') words.push(word.trim());
  }
  if (schema.items?.enum && words.some((word) => !schema.items?.enum?.includes(word))) {
    problems.push(`${name} does not have a valid value`);
    return INVALID;
  }
  return words;
}

function coerceList(schema: ParamSchema, raw: unknown, name: string, problems: string[]): Coerced {
  if (raw === null || raw === '') return [];
  const list = Array.isArray(raw) ? raw : indexedList(raw);
  if (!list) return INVALID;
  const items = schema.items ?? {};
  const nested = items.type === 'object';
  const values: unknown[] = [];
  for (const [index, item] of list.entries()) {
    const ownProblems: string[] = [];
    const value = coerceValue(items, item, nested ? `${name}[${index}]` : name, ownProblems);
    // every hash of a list has something required; no handler looks for a hole
    if (nested && value === null) ownProblems.push(`${name}[${index}] is invalid`);
    if (ownProblems.length > 0) {
      problems.push(...(nested ? ownProblems : ownProblems.slice(0, 1)));
      if (!nested || problems.length > 100) return INVALID;
    }
    values.push(value);
  }
  return problems.length > 0 && values.includes(INVALID) ? INVALID : values;
}

/** `vars[0][key]=…`: the indexed form that GitLab's documentation shows. */
function indexedList(raw: unknown): unknown[] | null {
  if (!isHash(raw)) return null;
  const keys = Object.keys(raw);
  return keys.length > 0 && keys.every((key) => /^\d{1,6}$/.test(key)) ? keys.map((key) => raw[key]) : null;
}

function coerceHash(schema: ParamSchema, raw: unknown, name: string, problems: string[]): Coerced {
  if (raw === null || raw === '') return null;
  if (!isHash(raw)) return INVALID;
  if (schema.additionalProperties) return raw;
  const before = problems.length;
  const value = coerceObject(schema, raw, name, problems);
  return problems.length > before ? INVALID : value;
}

function checkRules(rules: ParamRules, raw: RawParams, problems: string[]): void {
  const given = (names: string[]) => names.filter((name) => name in raw && raw[name] !== null);
  for (const names of rules.mutuallyExclusive ?? []) {
    if (given(names).length > 1) problems.push(`${given(names).join(', ')} are mutually exclusive`);
  }
  for (const names of rules.atLeastOneOf ?? []) {
    if (given(names).length === 0) {
      problems.push(`${names.join(', ')} are missing, at least one parameter must be provided`);
    }
  }
  for (const names of rules.exactlyOneOf ?? []) {
    const count = given(names).length;
    if (count === 0) problems.push(`${names.join(', ')} are missing, exactly one parameter must be provided`);
    if (count > 1) problems.push(`${given(names).join(', ')} are mutually exclusive`);
  }
}
