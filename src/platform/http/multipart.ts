import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyHeaders } from '@fastify/busboy';
import { ApiError } from '../errors.ts';
import { addParam, emptyParams, type RawParams } from './rack.ts';
import { ClientGone } from './request.ts';

/** A form that carries one file has few other fields. */
const LIMITS = { parts: 100, files: 10, fields: 90, fieldSize: 64 * 1024, fieldNameSize: 1000 };

/** A form that brings nothing for so long is given up: it would hold a file open for ever. */
const STALL_MS = 120_000;

/** Read ahead of whoever takes the file, so that network and disk work side by side. */
const FILE_BUFFER = 256 * 1024;

export interface StreamedForm<T> {
  /** The other fields, wherever they stand. */
  fields: RawParams;
  /** Null where the form has no such file. */
  stored: T | null;
}

export interface FileTaker<T> {
  store(file: Readable, filename: string): Promise<T>;
  discard(stored: T): Promise<void>;
}

/**
 * Reads a form whose file is a stream: `store` takes it as it comes. Rejects with what `store` rejects with, with 400 for what is no form
 * or ends in its middle, with `ClientGone` where the connection is cut; then the file's stream has failed, and `store` has ended. What it
 * had taken whole before the form went wrong goes to `discard`, so that nothing is left behind once the sender reads the refusal.
 */
export function readFormWithFile<T>(
  incoming: IncomingMessage,
  name: string,
  { store, discard }: FileTaker<T>,
): Promise<StreamedForm<T>> {
  const parser = openParser(incoming);
  const fields = emptyParams();
  let storing: Promise<T> | null = null;
  let open: Readable | null = null;
  let settled = false;
  return new Promise((resolve, reject) => {
    const stopWatching = watchForStall(incoming);
    const fail = (error: Error) => {
      if (settled) return;
      settled = true;
      stopWatching();
      incoming.unpipe(parser);
      // What still comes is dropped: the client gets as far as reading the answer.
      incoming.resume();
      open?.destroy(error);
      const ended = storing?.then(discard, () => {}) ?? Promise.resolve();
      ended.then(() => reject(error), reject);
    };
    parser.on('field', (field, value) => {
      if (value.includes('\0')) fail(new ApiError('malformed_request'));
      else addParam(fields, field, value);
    });
    parser.on('file', (field, file, filename) => {
      file.on('error', () => {}); // told by the parser, and by the stream to whoever stores it
      if (field !== name || storing) {
        file.resume();
        return;
      }
      open = file;
      storing = store(file, filename ?? '');
      storing.catch(fail);
    });
    for (const limit of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const) {
      parser.on(limit, () => fail(new ApiError('malformed_request')));
    }
    parser.on('error', () => fail(new ApiError('malformed_request')));
    const succeed = (stored: T | null) => {
      if (settled) return;
      settled = true;
      resolve({ fields, stored });
    };
    parser.on('finish', () => {
      stopWatching();
      if (storing) storing.then(succeed, fail);
      else succeed(null);
    });
    incoming.once('close', () => {
      if (!incoming.readableEnded) fail(new ClientGone());
    });
    incoming.pipe(parser);
  });
}

/** Cuts the connection, which ends the form as any cut does. */
function watchForStall(incoming: IncomingMessage): () => void {
  let seen = 0;
  const timer = setInterval(() => {
    const { bytesRead } = incoming.socket;
    if (bytesRead === seen) incoming.destroy();
    seen = bytesRead;
  }, STALL_MS);
  timer.unref();
  return () => clearInterval(timer);
}

function openParser({ headers }: IncomingMessage): InstanceType<typeof Busboy> {
  try {
    return new Busboy({ headers: headers as BusboyHeaders, limits: LIMITS, fileHwm: FILE_BUFFER });
  } catch {
    throw new ApiError('malformed_request'); // another type of body, or no boundary in it
  }
}
