import { Readable } from 'node:stream';
import { Busboy, type BusboyHeaders } from '@fastify/busboy';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../errors.ts';
import { UploadedFile } from './params.ts';
import { addParam, emptyParams, isHash, parseFormEncoded, type RawParams } from './rack.ts';
import { readBody } from './read-body.ts';

/** Deeper JSON is refused: nothing legitimate comes near, and code that walks it stays safe. */
const MAX_JSON_DEPTH = 100;
const MAX_PARTS = 10_000;

/** Reads bodies as GitLab does: JSON, urlencoded and multipart into one set of parameters, an empty body of any type as none. */
export function installBodyParsers(server: FastifyInstance): void {
  const parser = (type: string, parse: (request: FastifyRequest, body: Buffer) => Promise<RawParams>) =>
    server.addContentTypeParser<Buffer>(type, { parseAs: 'buffer' }, parse);
  server.removeAllContentTypeParsers();
  parser('application/json', async (_request, body) => parseJson(body));
  parser('application/x-www-form-urlencoded', async (_request, body) => parseFormEncoded(utf8(body)));
  parser('multipart/form-data', parseMultipart);
  parser('*', async (request, body) => {
    if (body.length === 0) return emptyParams();
    const type = request.headers['content-type'];
    // Without a type Rack reads a form.
    if (type === undefined) return parseFormEncoded(utf8(body));
    throw new ApiError('unsupported_media_type', { type: type.slice(0, 200) });
  });
}

/** What is read by a form needs no more. */
const MAX_READING_FORM = 1024 * 1024;

/**
 * Whether a call that only reads brings its parameters in a form, as `curl -X GET -d scope=failed` does: Rack takes forms with every
 * method. JSON counts only where something is written, as in GitLab.
 */
export function bringsForm({ method, headers }: FastifyRequest): boolean {
  const type = headers['content-type'];
  if (type === undefined || (method !== 'GET' && method !== 'HEAD')) return false;
  const isEmpty = (headers['content-length'] ?? '0') === '0' && headers['transfer-encoding'] === undefined;
  return !isEmpty && FORMS.test(type);
}

const FORMS = /^\s*(application\/x-www-form-urlencoded|multipart\/form-data)\s*(;|$)/i;

/** That form; the framework leaves it unread. */
export async function readForm(request: FastifyRequest): Promise<RawParams> {
  const body = await readBody(request.raw, MAX_READING_FORM);
  const isMultipart = /^\s*multipart/i.test(request.headers['content-type'] ?? '');
  return isMultipart ? parseMultipart(request, body) : parseFormEncoded(utf8(body));
}

function utf8(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new ApiError('malformed_request');
  }
}

/** An object becomes parameters; any other JSON value counts as no parameters at all. */
export function parseJson(body: Buffer): RawParams {
  if (body.length === 0) return emptyParams();
  const text = utf8(body);
  if (text.trim() === '') return emptyParams();
  if (isTooDeep(body)) throw new ApiError('malformed_json');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ApiError('malformed_json');
  }
  return isHash(value) ? Object.assign(emptyParams(), value) : emptyParams();
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Whether the text nests deeper than we read. Found before parsing, so that a hostile text never becomes a deep object. */
function isTooDeep(body: Buffer): boolean {
  let depth = 0;
  for (let at = 0; at < body.length; at++) {
    const byte = body[at];
    if (byte === QUOTE) at = endOfString(body, at);
    else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > MAX_JSON_DEPTH) return true;
    } else if (byte === 0x7d || byte === 0x5d) depth--;
  }
  return false;
}

/** Position of the closing quote. Jumps from quote to quote: long contents cost next to nothing. */
function endOfString(body: Buffer, start: number): number {
  for (let at = body.indexOf(QUOTE, start + 1); at >= 0; at = body.indexOf(QUOTE, at + 1)) {
    let backslashes = 0;
    while (body[at - 1 - backslashes] === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return at;
  }
  return body.length;
}

async function parseMultipart(request: FastifyRequest, body: Buffer): Promise<RawParams> {
  const params = emptyParams();
  if (body.length === 0) return params;
  const busboy = openBusboy(request);
  let refusal: unknown = null;
  const attempt = (work: () => void) => {
    try {
      work();
    } catch (error) {
      refusal ??= error;
    }
  };
  busboy.on('field', (name, value) => attempt(() => addParam(params, name, checked(value))));
  busboy.on('file', (name, stream, filename, _encoding, type) => {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () =>
      attempt(() => addParam(params, name, new UploadedFile(filename, type, Buffer.concat(chunks)))),
    );
  });
  await new Promise<void>((resolve, reject) => {
    busboy.on('finish', resolve);
    busboy.on('error', () => reject(new ApiError('malformed_request')));
    busboy.on('partsLimit', () => reject(new ApiError('malformed_request')));
    Readable.from([body]).pipe(busboy);
  });
  if (refusal) throw refusal;
  return params;
}

function openBusboy(request: FastifyRequest) {
  try {
    return new Busboy({
      headers: request.headers as BusboyHeaders,
      limits: { parts: MAX_PARTS, fieldSize: Number.POSITIVE_INFINITY, fieldNameSize: 1000 },
    });
  } catch {
    throw new ApiError('malformed_request'); // no boundary in the content type
  }
}

function checked(value: string): string {
  if (value.includes('\0')) throw new ApiError('malformed_request');
  return value;
}
