import { pauses } from './pause.ts';

/** A file, link or submodule, or a folder by its id. Mode as stored: `100644`, `40000`. */
export interface TreeRow {
  mode: string;
  oid: string;
}

const SPACE = 32;
const OID_BYTES = 20;

/**
 * A tree object as its bytes and an index. A change copies the untouched stretches as they are, so that a folder of 100,000
 * files is neither taken apart nor sorted again for one of them. Names are given one character for each byte (latin1): they
 * may be in any encoding, and comparing such strings is comparing bytes.
 */
export class TreeBytes {
  readonly #data: Buffer;
  /** Where each row begins, and after the last, where it ends. */
  readonly #starts: number[];
  readonly #byName: Map<string, number>;

  private constructor(data: Buffer, starts: number[], byName: Map<string, number>) {
    this.#data = data;
    this.#starts = starts;
    this.#byName = byName;
  }

  /** Rows up to the first broken one. */
  static async parse(data: Buffer): Promise<TreeBytes> {
    const starts = [0];
    const byName = new Map<string, number>();
    const pause = pauses();
    for (const { name, end } of rowsOf(data)) {
      byName.set(name, starts.length - 1);
      starts.push(end);
      await pause();
    }
    return new TreeBytes(data, starts, byName);
  }

  get size(): number {
    return this.#byName.size;
  }

  get(name: string): TreeRow | undefined {
    const index = this.#byName.get(name);
    if (index === undefined) return undefined;
    const end = this.#starts[index + 1]!;
    return { mode: this.#mode(index), oid: this.#data.toString('hex', end - OID_BYTES, end) };
  }

  /** The bytes after some rows are set (or removed: null), in git's order. */
  with(changes: Iterable<[name: string, row: TreeRow | null]>): Buffer {
    const edits: Edit[] = [];
    for (const [name, row] of changes) {
      const index = this.#byName.get(name);
      if (index !== undefined)
        edits.push({ from: this.#starts[index]!, to: this.#starts[index + 1]!, key: '', bytes: null });
      if (row) edits.push(this.#insertion(name, row));
    }
    // what comes in at a place stands before what goes out there
    edits.sort((a, b) => a.from - b.from || a.to - b.to || (a.key < b.key ? -1 : 1));
    const parts: Buffer[] = [];
    let at = 0;
    for (const { from, to, bytes } of edits) {
      parts.push(this.#data.subarray(at, from));
      if (bytes) parts.push(bytes);
      at = to;
    }
    parts.push(this.#data.subarray(at, this.#starts.at(-1)));
    return Buffer.concat(parts);
  }

  #insertion(name: string, row: TreeRow): Edit {
    const key = sortKey(name, row.mode);
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sortKey(this.#name(middle), this.#mode(middle)) < key) low = middle + 1;
      else high = middle;
    }
    const at = this.#starts[low]!;
    return { from: at, to: at, key, bytes: rowBytes(name, row) };
  }

  #mode(index: number): string {
    const start = this.#starts[index]!;
    return this.#data.toString('latin1', start, this.#data.indexOf(SPACE, start));
  }

  #name(index: number): string {
    const space = this.#data.indexOf(SPACE, this.#starts[index]);
    return this.#data.toString('latin1', space + 1, this.#starts[index + 1]! - OID_BYTES - 1);
  }
}

interface Edit {
  from: number;
  to: number;
  key: string;
  bytes: Buffer | null;
}

/** Git compares a folder as if its name ended in a slash. */
export function sortKey(name: string, mode: string): string {
  return mode === '40000' ? `${name}/` : name;
}

export function rowBytes(name: string, { mode, oid }: TreeRow): Buffer {
  return Buffer.concat([Buffer.from(`${mode} ${name}\0`, 'latin1'), Buffer.from(oid, 'hex')]);
}

/** Each row of a tree object: mode, name and where the id ends. */
export function* rowsOf(data: Buffer): Generator<{ mode: string; name: string; end: number }> {
  for (let at = 0; at < data.length; ) {
    const space = data.indexOf(SPACE, at);
    const nul = space < 0 ? -1 : data.indexOf(0, space);
    const end = nul + 1 + OID_BYTES;
    if (nul < 0 || end > data.length) return;
    yield { mode: data.toString('latin1', at, space), name: data.toString('latin1', space + 1, nul), end };
    at = end;
  }
}
