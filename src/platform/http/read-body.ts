import type { IncomingMessage } from 'node:http';
import { ApiError } from '../errors.ts';
import { ClientGone } from './request.ts';

/** The whole body of a route that reads its own. Throws 413 above `maxBytes`, `ClientGone` where it is cut off. */
export function readBody(incoming: IncomingMessage, maxBytes: number): Promise<Buffer> {
  if (Number(incoming.headers['content-length'] ?? 0) > maxBytes) throw new ApiError('too_large');
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    incoming.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBytes) chunks.push(chunk);
      else reject(new ApiError('too_large'));
    });
    incoming.once('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size)));
    incoming.once('close', () => reject(new ClientGone()));
    incoming.once('error', () => reject(new ClientGone()));
  });
}
