import { Readable, Transform } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { crc32, createInflateRaw } from 'node:zlib';
import type { ObjectStore } from '../../../platform/objects/object-store.ts';
import type { ZipEntry } from './archive-index.ts';
import { BadArchive } from './zip-error.ts';

const HEADER_BYTES = 30;
const HEADER_MARK = 0x04034b50;
const STORED = 0;
const DEFLATED = 8;

/** Up to here a file is checked as a whole before the first byte is sent, so that damage is a refusal and no cut-off answer. */
const WHOLE = 1024 * 1024;

/** Deflate packs no better than 1032:1, so whoever says more lies. */
const MAX_RATIO = 1100;
/** A file that unpacks to so much, and so well, is made to cost more than to be read. */
const BOMB_BYTES = 100 * 1024 * 1024;
const BOMB_RATIO = 100;

/**
 * One file out of the middle of an archive, unpacked as it streams. Throws `BadArchive` for what cannot be read and what only looks like a
 * file; a larger file that turns out to be damaged underway ends in an error.
 */
export async function extract(
  objects: ObjectStore,
  archive: { key: string; size: number },
  entry: ZipEntry,
): Promise<Readable> {
  demandReadable(entry);
  const start = await dataStart(objects, archive, entry);
  if (start + entry.packedSize > archive.size) throw new BadArchive('it ends too early');
  const packed =
    entry.packedSize === 0
      ? Readable.from([])
      : await objects.get(archive.key, { start, end: start + entry.packedSize - 1 });
  const stages = [...(entry.method === DEFLATED ? [createInflateRaw()] : []), new Verify(entry)];
  const unpacked = chain(packed, stages);
  if (entry.size > WHOLE) return unpacked;
  try {
    return Readable.from([await buffer(unpacked)], { objectMode: false });
  } catch (error) {
    throw error instanceof BadArchive ? error : new BadArchive('it is damaged');
  }
}

function demandReadable({ encrypted, method, size, packedSize }: ZipEntry): void {
  if (encrypted) throw new BadArchive('the file is encrypted');
  if (method !== STORED && method !== DEFLATED) throw new BadArchive('the file is packed in an unknown way');
  if (method === STORED && size !== packedSize) throw new BadArchive('its sizes do not fit');
  if (size > packedSize * MAX_RATIO + 1024) throw new BadArchive('its sizes do not fit');
  if (size > BOMB_BYTES && size > packedSize * BOMB_RATIO) {
    throw new BadArchive('the file unpacks to far more than it should; download the archive as a whole');
  }
}

/** Behind the file's own header, whose length only that header says. */
async function dataStart(
  objects: ObjectStore,
  { key, size }: { key: string; size: number },
  { offset }: ZipEntry,
): Promise<number> {
  if (offset + HEADER_BYTES > size) throw new BadArchive('it ends too early');
  const header = await buffer(await objects.get(key, { start: offset, end: offset + HEADER_BYTES - 1 }));
  if (header.length < HEADER_BYTES || header.readUInt32LE(0) !== HEADER_MARK) {
    throw new BadArchive('it is damaged');
  }
  return offset + HEADER_BYTES + header.readUInt16LE(26) + header.readUInt16LE(28);
}

/** Errors of each stage reach the last one, and its end the first one. */
function chain(source: Readable, stages: Transform[]): Readable {
  const last = stages.at(-1)!;
  let from = source;
  for (const stage of stages) {
    from.on('error', () => last.destroy(new BadArchive('it is damaged')));
    from = from.pipe(stage);
  }
  last.once('close', () => source.destroy());
  return last;
}

/** Lets through exactly what the archive says: not a byte more, and nothing with another checksum. */
class Verify extends Transform {
  readonly #entry: ZipEntry;
  #size = 0;
  #sum = 0;

  constructor(entry: ZipEntry) {
    super();
    this.#entry = entry;
  }

  override _transform(
    chunk: Buffer,
    _encoding: BufferEncoding,
    done: (error?: Error | null, data?: Buffer) => void,
  ): void {
    this.#size += chunk.length;
    this.#sum = crc32(chunk, this.#sum);
    if (this.#size > this.#entry.size) done(new BadArchive('its sizes do not fit'));
    else done(null, chunk);
  }

  override _flush(done: (error?: Error | null) => void): void {
    const fits = this.#size === this.#entry.size && this.#sum === this.#entry.crc32;
    done(fits ? null : new BadArchive('it is damaged'));
  }
}
