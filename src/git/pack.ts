import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { constants, deflate } from 'node:zlib';
import type { ObjectType } from './objects.ts';

const deflateAsync = promisify(deflate);

// gitformat-pack: "3-bit type"
const TYPE_NUMBER: Record<ObjectType, number> = { commit: 1, tree: 2, blob: 3, tag: 4 };

// How many wait for the thread pool together.
const AT_ONCE = 32;

/** A pack of whole objects, no deltas, as `git index-pack --stdin` takes it. */
export async function packOf(objects: { type: ObjectType; data: Buffer }[]): Promise<Buffer> {
  const head = Buffer.alloc(12);
  head.write('PACK', 'latin1');
  head.writeUInt32BE(2, 4);
  head.writeUInt32BE(objects.length, 8);
  const parts: Buffer[] = [head];
  const hash = createHash('sha1').update(head);
  for (let at = 0; at < objects.length; at += AT_ONCE) {
    for (const part of await Promise.all(objects.slice(at, at + AT_ONCE).map(packed))) {
      hash.update(part);
      parts.push(part);
    }
  }
  parts.push(hash.digest());
  return Buffer.concat(parts);
}

async function packed({ type, data }: { type: ObjectType; data: Buffer }): Promise<Buffer> {
  const bytes = await deflateAsync(data, { level: constants.Z_BEST_SPEED });
  return Buffer.concat([entryHeader(TYPE_NUMBER[type], data.length), bytes]);
}

/** Type and four bits of the size, then seven bits a byte, lowest first; the high bit says that more follow. */
function entryHeader(type: number, size: number): Buffer {
  const bytes: number[] = [];
  let byte = (type << 4) | (size % 16);
  let rest = Math.floor(size / 16);
  while (rest > 0) {
    bytes.push(byte | 0x80);
    byte = rest % 128;
    rest = Math.floor(rest / 128);
  }
  bytes.push(byte);
  return Buffer.from(bytes);
}
