import { LRUCache } from 'lru-cache';
import { type BlobPlace, IN_GIT, NOWHERE, PathTable, PathTableBuilder } from './path-table.ts';
import type { CorpusVersion, PlaceRow, ReadStore } from './read-store.ts';

interface Held {
  table: PathTable;
  revision: number;
}

/** The path tables of the corpora that were searched last, bounded by bytes. */
export class PathTables {
  readonly maxBytes: number;
  readonly #store: ReadStore;
  readonly #held: LRUCache<number, Held>;

  constructor(store: ReadStore, maxBytes: number) {
    this.maxBytes = maxBytes;
    this.#store = store;
    this.#held = new LRUCache<number, Held>({
      maxSize: maxBytes,
      sizeCalculation: ({ table }) => table.bytes + 256,
    });
  }

  has(corpus: number): boolean {
    return this.#held.has(corpus);
  }

  /** The paths of the corpus as the database has them now. */
  get(corpus: CorpusVersion): PathTable {
    const held = this.#held.get(corpus.id);
    if (held?.revision === corpus.revision) return held.table;
    const follows = held && held.revision >= corpus.firstRevision;
    const table = follows ? this.#follow(held, corpus) : this.#load(corpus);
    this.#held.set(corpus.id, { table, revision: corpus.revision });
    return table;
  }

  /** After these segments gave way to others. */
  move(segments: ReadonlySet<number>): void {
    const placeOf = (blob: number) => placed(this.#store.place(blob));
    for (const { table } of this.#held.values()) table.move(segments, placeOf);
  }

  #load(corpus: CorpusVersion): PathTable {
    const { paths, blobs, segments, numbers, oversized } = this.#store.paths(corpus.id);
    const builder = new PathTableBuilder(blobs.length);
    builder.addAll(latin1(paths), blobs, (index) =>
      placed({ segment: segments[index]!, number: numbers[index]!, oversized: oversized[index]! }),
    );
    return new PathTable(builder);
  }

  #follow({ table, revision }: Held, corpus: CorpusVersion): PathTable {
    const changes = this.#store.changesSince(corpus.id, revision);
    return table.with(
      changes.map(({ path, blob, ...place }) => ({
        path: latin1(path),
        entry: blob === null ? null : { blob, ...placed(place) },
      })),
    );
  }
}

/** A blob that is gone belongs to a path that is gone: its table is followed up before it is read. */
function placed(row: PlaceRow | undefined): BlobPlace {
  if (row?.oversized === 1) return { segment: IN_GIT, number: 0 };
  return { segment: row?.segment ?? NOWHERE, number: row?.number ?? 0 };
}

export function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}
