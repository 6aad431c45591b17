import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { Answer, Bytes } from './answer.ts';
import { rangeHead, rangeOf, type Slice } from './byte-range.ts';

/** Bytes of a known number that can be read from any place. */
export interface ServedFile {
  size: number;
  headers: Record<string, string>;
  /** Strong, where the bytes never change. */
  etag?: string;
  read(slice: Slice | null): Promise<Readable>;
  /** Called instead of `read`. */
  close?(): Promise<void>;
}

interface Asked {
  method: string;
  headers: IncomingHttpHeaders;
}

/** The file, the part of it that `Range` asks for, or its head alone. Throws 416 with the size. */
export async function fileAnswer({ method, headers: asked }: Asked, file: ServedFile): Promise<Answer> {
  const fixed = { ...file.headers, ...(file.etag && { etag: file.etag }) };
  if (file.etag && names(asked['if-none-match'], file.etag)) {
    await file.close?.();
    return new Answer(304, undefined, fixed);
  }
  const slice = await sliceOf(asked, file);
  const { status, headers } = rangeHead(slice, file.size);
  const all = { ...fixed, ...headers };
  if (method !== 'HEAD') return new Answer(status, new Bytes(await file.read(slice)), all);
  await file.close?.();
  // A body that is left away would be counted as 0 bytes.
  return new Answer(status, new Bytes(Readable.from([])), all);
}

/** A part is only of use with the rest of the same bytes (RFC 9110, `If-Range`). */
async function sliceOf(asked: IncomingHttpHeaders, file: ServedFile): Promise<Slice | null> {
  const condition = asked['if-range'];
  if (condition !== undefined && condition !== file.etag) return null;
  try {
    return rangeOf(asked.range, file.size);
  } catch (error) {
    await file.close?.();
    throw error;
  }
}

const names = (header: string | undefined, etag: string): boolean =>
  header?.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag) ?? false;
