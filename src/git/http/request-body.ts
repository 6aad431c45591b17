import { finished, type Readable, Transform, type Writable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { ApiError } from '../../platform/errors.ts';

/** The client went away, or stopped sending, before its request was complete. */
export class BodyCut extends Error {
  override name = 'BodyCut';
}

export interface FeedOptions {
  gzip: boolean;
  /** Bytes after decompression. */
  maxBytes: number;
  /** A body that brings nothing for this long, though it is wanted, is cut. */
  stallMs: number;
  /** Sees the decoded bytes on their way to the process. */
  through?: Transform | undefined;
}

/**
 * Moves a request body to the input of a git process with backpressure. Resolves when the process has taken all of it, or
 * wants no more: the rest is then read and dropped, so that the client gets as far as reading the answer.
 * Rejects with BodyCut, with 413 above maxBytes, with 400 for broken gzip, or with the error of `through`.
 */
export function feed(body: Readable, input: Writable, options: FeedOptions): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const stages = [
    ...(options.gzip ? [createGunzip()] : []),
    bounded(options.maxBytes),
    ...(options.through ? [options.through] : []),
  ];
  const settle = (error?: unknown) => {
    stopWatching();
    body.unpipe(stages[0]);
    body.resume();
    if (error) reject(error);
    else resolve();
  };
  const stopWatching = watchForStall(body, options.stallMs, settle);
  finished(body, { writable: false }, (error) => error && settle(new BodyCut(error.message)));
  for (const stage of stages) stage.on('error', (error) => settle(refusal(error)));
  input.once('close', () => settle());
  stages.reduce<Readable>((source, stage) => source.pipe(stage), body).pipe(input);
  return promise;
}

function bounded(maxBytes: number): Transform {
  let seen = 0;
  return new Transform({
    highWaterMark: 256 * 1024,
    transform(chunk: Buffer, _encoding, done) {
      seen += chunk.length;
      if (seen > maxBytes) done(new ApiError('too_large'));
      else done(null, chunk);
    },
  });
}

function refusal(error: Error & { code?: string }): Error {
  if (error.code?.startsWith('Z_')) return new ApiError('malformed_request', {}, { cause: error });
  return error;
}

/** A body that is paused is waiting for git, not for the client. */
function watchForStall(body: Readable, stallMs: number, settle: (error: unknown) => void): () => void {
  let moved = true;
  const note = () => {
    moved = true;
  };
  body.on('data', note);
  const timer = setInterval(() => {
    if (!moved && !body.readableEnded && !body.isPaused())
      settle(new BodyCut('the request stopped arriving'));
    moved = false;
  }, stallMs);
  timer.unref();
  return () => {
    clearInterval(timer);
    body.off('data', note);
  };
}
