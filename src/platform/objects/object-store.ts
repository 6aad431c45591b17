import type { Readable } from 'node:stream';

/**
 * Where big bodies live: artifacts, traces, index segments. The database keeps their keys; bytes stay out of it, so that
 * its backups stay small and an operator can put the bytes on another disk or into S3.
 */
export interface ObjectStore {
  /**
   * Writes the whole object, replacing one of that key. Until it resolves nothing of it can be seen, and when the stream
   * fails midway or grows past `maxBytes` nothing ever is. A reader that has begun keeps reading the former object.
   * With `a` taken, `a/b` is no key (`InvalidKey`), and the other way round.
   */
  put(key: string, body: Readable | Uint8Array, options?: PutOptions): Promise<StoredObject>;
  /** Streams the object, or a part of it. Rejects with `ObjectNotFound` before the first byte. */
  get(key: string, range?: ByteRange): Promise<Readable>;
  /** Size and age, or null when there is no such object. */
  head(key: string): Promise<ObjectHead | null>;
  /** Removes the object; one that is not there is no error. */
  delete(key: string): Promise<void>;
  /**
   * Removes many in less time than one by one; those that are not there are no error. Resolves when each was tried, to the keys that are left
   * with the reason.
   */
  deleteMany(keys: readonly string[]): Promise<Map<string, unknown>>;
  /** Every object whose key begins with `prefix`, in no order. */
  list(prefix: string): AsyncIterable<ListedObject>;
}

export interface PutOptions {
  /** The stream is cut and refused with `ObjectTooLarge` when it has more. */
  maxBytes?: number | undefined;
  /**
   * Nobody else looks at the chunks of the stream again: the store gives their memory back once they are written. Left to the garbage
   * collector, a large upload costs a full collection every 20 MB, which takes as long as all the rest.
   */
  ownsChunks?: boolean | undefined;
}

export interface StoredObject {
  size: number;
  /** Lower-case hexadecimal. */
  sha256: string;
}

/** Bytes from `start` up to and including `end`, counted from 0; without `end`, to the end of the object. */
export interface ByteRange {
  start: number;
  end?: number | undefined;
}

export interface ObjectHead {
  size: number;
  /** Milliseconds since the epoch. */
  modifiedAt: number;
}

export interface ListedObject extends ObjectHead {
  key: string;
}

export class ObjectNotFound extends Error {
  readonly key: string;

  constructor(key: string) {
    super(`no object ${key}`);
    this.name = 'ObjectNotFound';
    this.key = key;
  }
}

export class ObjectTooLarge extends Error {
  readonly maxBytes: number;

  constructor(maxBytes: number) {
    super(`the object is larger than ${maxBytes} bytes`);
    this.name = 'ObjectTooLarge';
    this.maxBytes = maxBytes;
  }
}

export class InvalidKey extends Error {
  constructor(key: string) {
    super(`not a key for an object: ${JSON.stringify(key.slice(0, 100))}`);
    this.name = 'InvalidKey';
  }
}

const MAX_KEY_LENGTH = 512;
/** What the file systems in use allow for one name, with room for the end of a temporary name. */
const MAX_SEGMENT_LENGTH = 200;

/**
 * Throws `InvalidKey` unless `key` is `segment/segment/…` of `A-Z a-z 0-9 . _ - + @ =`, no segment beginning with a dot or a dash:
 * that leaves no way out of a folder, no hidden file, and no name that a file system, S3 or a command line reads otherwise.
 */
export function checkKey(key: string): void {
  if (!isKey(key)) throw new InvalidKey(key);
}

/** See `checkKey`. */
export function isKey(key: string): boolean {
  return key.length <= MAX_KEY_LENGTH && key.split('/').every(isSegment);
}

function isSegment(segment: string): boolean {
  return segment.length <= MAX_SEGMENT_LENGTH && /^[A-Za-z0-9_+@=][A-Za-z0-9._+@=-]*$/.test(segment);
}

/** A prefix is the beginning of a key, possibly empty, possibly ending in the middle of a segment or with a slash. */
export function checkPrefix(prefix: string): void {
  if (prefix === '') return;
  checkKey(prefix.endsWith('/') ? prefix.slice(0, -1) : prefix);
}

/** Throws `RangeError` for a range that no object can have. */
export function checkRange({ start, end }: ByteRange): void {
  const bounds = end === undefined ? [start] : [start, end];
  if (!bounds.every((bound) => Number.isSafeInteger(bound) && bound >= 0))
    throw new RangeError('bad byte range');
  if (end !== undefined && end < start) throw new RangeError('a byte range ends before it starts');
}
