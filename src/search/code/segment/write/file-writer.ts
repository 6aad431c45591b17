import { closeSync, fsyncSync, openSync, unlinkSync, writeSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { type Footer, SECTIONS, type Section, type SegmentFacts, writeFooter } from '../format.ts';

const BUFFER_BYTES = 1024 * 1024;

/** Writes the sections of a segment one after another, their checksums on the way. */
export class SegmentWriter {
  readonly #path: string;
  readonly #file: number;
  readonly #buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES);
  readonly #sections: Partial<Footer['sections']> = {};
  #buffered = 0;
  #position = 0;
  #section: { start: number; length: number; crc: number } = { start: 0, length: 0, crc: 0 };

  /** @throws EEXIST when there is a file already */
  constructor(path: string) {
    this.#path = path;
    this.#file = openSync(path, 'wx');
  }

  write(bytes: Uint8Array): void {
    this.#section.length += bytes.length;
    if (bytes.length > BUFFER_BYTES - this.#buffered) this.#flush();
    if (bytes.length > BUFFER_BYTES) {
      this.#put(bytes);
      return;
    }
    this.#buffer.set(bytes, this.#buffered);
    this.#buffered += bytes.length;
  }

  /** What was written since the last call is this section. Sections come in the order of the format. */
  endSection(name: Section): void {
    this.#flush();
    this.#sections[name] = this.#section;
    this.#section = { start: this.#position, length: 0, crc: 0 };
  }

  /** Writes the footer and syncs: once it has returned, the contents survive a power cut; the name may not yet. */
  finish(counts: Pick<Footer, 'blobs' | 'chunks' | 'pieces' | 'trigrams' | 'rawBytes'>): SegmentFacts {
    const missing = SECTIONS.find((name) => this.#sections[name] === undefined);
    if (missing !== undefined) throw new Error(`section ${missing} was not written`);
    const sections = this.#sections as Footer['sections'];
    this.write(writeFooter({ ...counts, sections }));
    this.#flush();
    fsyncSync(this.#file);
    closeSync(this.#file);
    const { blobs, chunks, rawBytes } = counts;
    return { blobs, chunks, rawBytes, bytes: this.#position };
  }

  /** Removes what was written. */
  abandon(): void {
    closeSync(this.#file);
    unlinkSync(this.#path);
  }

  #flush(): void {
    this.#put(this.#buffer.subarray(0, this.#buffered));
    this.#buffered = 0;
  }

  #put(bytes: Uint8Array): void {
    this.#section.crc = crc32(bytes, this.#section.crc);
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#file, bytes, at);
    this.#position += bytes.length;
  }
}

/** Runs `write` on a new file; when it fails, no file is left. */
export function writeSegment(path: string, write: (writer: SegmentWriter) => SegmentFacts): SegmentFacts {
  const writer = new SegmentWriter(path);
  try {
    return write(writer);
  } catch (error) {
    writer.abandon();
    throw error;
  }
}
