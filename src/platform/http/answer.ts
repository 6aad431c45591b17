import { hash } from 'node:crypto';
import type { Readable } from 'node:stream';

/** An answer that is more than a value with the route's usual status. */
export class Answer {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Record<string, string>;
  constructor(status: number, body: unknown, headers: Record<string, string> = {}) {
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

/** Up to here Node sends head and body of a string in one write; what is longer costs more to encode each time than a second buffer. */
const ONE_WRITE = 4096;

/** JSON that is already written, with its ETag: what a cache of immutable things keeps. */
export class WrittenJson {
  readonly text: string | Buffer;
  /** In bytes. */
  readonly length: number;
  readonly etag: string;
  constructor(value: unknown) {
    const text = JSON.stringify(value);
    const bytes = Buffer.from(text);
    this.text = bytes.length > ONE_WRITE ? bytes : text;
    this.length = bytes.length;
    this.etag = weakEtag(bytes);
  }
}

/** Bytes that are no JSON: a file, an archive, a trace. `content-type` is the caller's duty. */
export class Bytes {
  readonly content: Readable | Buffer;
  constructor(content: Readable | Buffer) {
    this.content = content;
  }
}

export const weakEtag = (text: Buffer | string): string => `W/"${hash('sha1', text, 'hex').slice(0, 32)}"`;

export const noContent = (headers?: Record<string, string>) => new Answer(204, undefined, headers);

/**
 * A `content-disposition` that no file name can break out of: RFC 6266 with the plain form for old clients, reduced to
 * harmless ASCII, and the UTF-8 form only where the name needs it.
 */
export function contentDisposition(kind: 'attachment' | 'inline', filename: string): string {
  const plain = filename.replace(/[^\x20-\x7e]|["\\/%]/g, '_');
  const form = `${kind}; filename="${plain}"`;
  return plain === filename ? form : `${form}; filename*=UTF-8''${encodeExtended(filename)}`;
}

/** RFC 8187: everything that is not attr-char as percent-encoded UTF-8. */
const encodeExtended = (name: string) =>
  encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
