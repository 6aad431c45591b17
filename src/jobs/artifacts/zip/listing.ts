import type { Entry } from 'yauzl';
import { Breath } from '../../config/breath.ts';
import { eachEntry } from './archive-index.ts';
import type { ObjectWindow } from './object-reader.ts';
import { BadArchive } from './zip-error.ts';

/** Of all names and comments together, those of folders that only other names imply among them. */
const MAX_TEXT = 32 * 1024 * 1024;
const FIELDS = 5;

/** What an archive says of one path; a folder without an entry of its own says nothing. */
export interface Listed {
  /** Its bytes, a letter each: so they sort as bytes and leave as they came. */
  path: string;
  facts: {
    /** Seconds since the epoch. */
    modified: number;
    /** Permission bits. */
    mode: number;
    crc: number;
    size: number;
    packedSize: number;
    comment: string;
  } | null;
}

/** Everything that an archive names, whether it could be read or not, with the folders above. Of a path that comes twice the last one counts. */
export class Listing {
  /** Where the facts of each path are; -1: it has none. */
  readonly #rows = new Map<string, number>();
  readonly #comments = new Map<number, string>();
  #facts = new Float64Array(64 * FIELDS);
  #count = 0;
  #text = 0;

  /** Throws `BadArchive`, also for one whose names are too long altogether. */
  static async read(source: ObjectWindow): Promise<Listing> {
    const listing = new Listing();
    for await (const entry of eachEntry(source)) listing.#add(entry);
    return listing;
  }

  /** By the bytes of their paths. */
  async sorted(): Promise<string[]> {
    const breath = new Breath();
    let runs: string[][] = [];
    let open: string[] = [];
    for (const path of this.#rows.keys()) {
      if (open.push(path) < RUN) continue;
      runs.push(open.sort());
      open = [];
      await breath.take();
    }
    runs.push(open.sort());
    while (runs.length > 1) {
      const merged: string[][] = [];
      for (let at = 0; at < runs.length; at += 2)
        merged.push(await mergeRuns(runs[at]!, runs[at + 1] ?? [], breath));
      runs = merged;
    }
    return runs[0] ?? [];
  }

  of(path: string): Listed {
    const row = this.#rows.get(path) ?? -1;
    if (row < 0) return { path, facts: null };
    const [modified, mode, crc, size, packedSize] = this.#facts.subarray(
      row * FIELDS,
      (row + 1) * FIELDS,
    ) as unknown as [number, number, number, number, number];
    const comment = this.#comments.get(row) ?? '';
    return { path, facts: { modified, mode, crc, size, packedSize, comment } };
  }

  #add(entry: Entry): void {
    const path = entry.fileNameRaw.toString('latin1');
    const row = this.#count++;
    this.#reserve(row);
    const modified = Math.floor(entry.getLastModDate({ timezone: 'UTC' }).getTime() / 1000);
    const { crc32, uncompressedSize, compressedSize, fileCommentRaw } = entry;
    this.#facts.set(
      [modified || 0, permissionsOf(entry, path), crc32, uncompressedSize, compressedSize],
      row * FIELDS,
    );
    if (fileCommentRaw.length > 0) {
      this.#comments.set(row, fileCommentRaw.toString('utf8'));
      this.#note(fileCommentRaw.length);
    }
    this.#name(path, row);
    for (let end = folderEnd(path); end > 1; end = folderEnd(path.slice(0, end))) {
      const folder = path.slice(0, end);
      // what is above it is known with it
      if (this.#rows.has(folder)) break;
      this.#name(folder, -1);
    }
  }

  #name(path: string, row: number): void {
    if (!this.#rows.has(path)) this.#note(path.length);
    this.#rows.set(path, row);
  }

  #note(length: number): void {
    this.#text += length;
    if (this.#text > MAX_TEXT) throw new BadArchive('its names are too long');
  }

  #reserve(row: number): void {
    if ((row + 1) * FIELDS <= this.#facts.length) return;
    const larger = new Float64Array(this.#facts.length * 2);
    larger.set(this.#facts);
    this.#facts = larger;
  }
}

/** Behind the slash of the folder that holds the path; 0 or 1 where none does. */
const folderEnd = (path: string): number => path.lastIndexOf('/', path.length - 2) + 1;

const UNIX = [3, 19];
const READ_ONLY = 1;

/** Other systems than Unix only say whether it may be written to. */
function permissionsOf({ versionMadeBy, externalFileAttributes }: Entry, path: string): number {
  if (UNIX.includes(versionMadeBy >> 8)) return (externalFileAttributes >>> 16) & 0o777;
  const all = path.endsWith('/') ? 0o777 : 0o666;
  return externalFileAttributes & READ_ONLY ? all & 0o555 : all;
}

/** Names may be 64 kB long and differ in the last letter: a few of them take a millisecond to sort. */
const RUN = 32;
const MERGED_IN_A_BREATH = 256;

async function mergeRuns(left: string[], right: string[], breath: Breath): Promise<string[]> {
  await breath.take();
  const merged: string[] = [];
  let l = 0;
  let r = 0;
  while (l < left.length && r < right.length) {
    merged.push(left[l]! <= right[r]! ? left[l++]! : right[r++]!);
    if (merged.length % MERGED_IN_A_BREATH === 0) await breath.take();
  }
  return merged.concat(left.slice(l), right.slice(r));
}
