import { ApiError } from '../errors.ts';

/**
 * Query strings and form bodies as Rack reads them, because that is what GitLab's clients were written against:
 * `a[b]=1` nests, `a[]=1` appends, `a[][k]=1&a[][v]=2&a[][k]=3` starts a new element when a key repeats, the last of a
 * repeated scalar wins. (The `qs` package turns repeats into lists and cannot do the third form.)
 */

export type RawValue = unknown;
/** Always without a prototype, so that `__proto__` is an ordinary key. */
export type RawParams = { [name: string]: RawValue };

const MAX_PAIRS = 100_000;
const MAX_DEPTH = 32;

export const emptyParams = (): RawParams => Object.create(null) as RawParams;

export const isHash = (value: unknown): value is RawParams =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !Buffer.isBuffer(value);

const malformed = () => new ApiError('malformed_request');

/** Parses `a=1&b[]=2`. Invalid escapes, NUL bytes, invalid UTF-8 and one name used as scalar and then as list answer 400. */
export function parseFormEncoded(text: string): RawParams {
  const params = emptyParams();
  if (text === '') return params;
  const pairs = text.split('&');
  if (pairs.length > MAX_PAIRS) throw malformed();
  for (const pair of pairs) {
    if (pair === '') continue;
    const at = pair.indexOf('=');
    const name = decode(at < 0 ? pair : pair.slice(0, at));
    if (name !== '') addParam(params, name, at < 0 ? null : decode(pair.slice(at + 1)));
  }
  return params;
}

function decode(text: string): string {
  if (!/[%+]/.test(text)) return rejectNul(text);
  try {
    return rejectNul(decodeURIComponent(text.replaceAll('+', ' ')));
  } catch {
    throw malformed(); // a bad escape or bytes that are no UTF-8
  }
}

function rejectNul(text: string): string {
  if (text.includes('\0')) throw malformed();
  return text;
}

/** Adds one decoded pair, by the nesting in its name. */
export function addParam(params: RawParams, name: string, value: RawValue): void {
  const open = name.indexOf('[');
  if (open <= 0) {
    params[name] = value;
    return;
  }
  const segments = segmentsOf(name.slice(open));
  if (segments === null) {
    params[name] = value;
    return;
  }
  if (segments.length > MAX_DEPTH) throw malformed();
  store(params, name.slice(0, open), segments, value);
}

/** `[a][][b]` to `['a', '', 'b']`; null when the brackets do not match. */
function segmentsOf(rest: string): string[] | null {
  return /^(\[[^[\]]*\])+$/.test(rest) ? rest.slice(1, -1).split('][') : null;
}

function store(hash: RawParams, key: string, segments: string[], value: RawValue): void {
  const [segment, ...rest] = segments;
  if (segment === undefined) {
    hash[key] = value;
  } else if (segment === '') {
    hash[key] ??= [];
    const list = hash[key];
    if (!Array.isArray(list)) throw malformed();
    append(list, rest, value);
  } else {
    hash[key] ??= emptyParams();
    const child = hash[key];
    if (!isHash(child)) throw malformed();
    store(child, segment, rest, value);
  }
}

function append(list: RawValue[], segments: string[], value: RawValue): void {
  const [segment, ...rest] = segments;
  if (segment === undefined) {
    list.push(value);
    return;
  }
  const last = list.at(-1);
  if (isHash(last) && !isTaken(last, segments)) {
    store(last, segment, rest, value);
    return;
  }
  const element = emptyParams();
  list.push(element);
  store(element, segment, rest, value);
}

/** Whether the path already holds a scalar there: the sign that the next element of the list begins. */
function isTaken(hash: RawParams, segments: string[]): boolean {
  let current: RawValue = hash;
  for (const segment of segments) {
    if (segment === '') return false;
    if (!isHash(current) || !(segment in current)) return false;
    current = current[segment];
  }
  return true;
}

/** `a=1&b[]=2` in Rails' manner: keys sorted, spaces as `+`, empty lists left out, null as `n=`. */
export function formEncode(params: Record<string, unknown>, except?: ReadonlySet<string>): string {
  let text = '';
  for (const key of Object.keys(params).sort()) {
    const pairs = except?.has(key) ? '' : encodeParam(key, params[key]);
    if (pairs !== '') text += text === '' ? pairs : `&${pairs}`;
  }
  return text;
}

/** The pairs of one parameter; empty for an empty list. Most are plain values, and every list's `Link` holds several. */
export function encodeParam(name: string, value: unknown): string {
  if (typeof value === 'string') return `${escapeText(name)}=${escapeText(value)}`;
  if (typeof value === 'number' || typeof value === 'boolean') return `${escapeText(name)}=${value}`;
  return encodePairs(name, value).join('&');
}

function encodePairs(name: string, value: unknown): string[] {
  if (value === undefined) return [];
  if (Array.isArray(value)) return value.flatMap((item) => encodePairs(`${name}[]`, item));
  if (isHash(value)) return Object.keys(value).flatMap((key) => encodePairs(`${name}[${key}]`, value[key]));
  return [`${escapeText(name)}=${value === null ? '' : escapeText(String(value))}`];
}

const escapeText = (text: string) =>
  /^[\w.-]*$/.test(text) ? text : encodeURIComponent(text).replaceAll('%20', '+');
