import type { CorpusName } from '../code-index.ts';
import { SegmentDamaged } from '../segment/format.ts';
import { FrameCache } from '../segment/frames/frame-cache.ts';
import { Segment } from '../segment/segment.ts';
import type { Generation } from './generation.ts';
import { PathTables } from './path-tables.ts';
import { type CorpusVersion, type ReadStore, StateChanged } from './read-store.ts';
import type { SignatureMemory } from './shared-signatures.ts';
import { segmentPath } from './store.ts';

export interface IndexViewOptions {
  dir: string;
  store: ReadStore;
  generation: Generation;
  /** Bytes of decoded text, and of path tables, to keep. */
  frameBytes: number;
  tableBytes: number;
}

/** A segment cannot be read. The index is right again once it is taken out. */
export class DamagedSegment extends Error {
  override name = 'DamagedSegment';
  readonly segment: number;
  constructor(segment: number, cause: unknown) {
    super(`segment ${segment}: ${(cause as Error).message}`, { cause });
    this.segment = segment;
  }
}

/** What a search thread holds open of the index: segments, path tables, and where each corpus stands. Follows the database. */
export class IndexView {
  readonly store: ReadStore;
  readonly tables: PathTables;
  readonly #dir: string;
  readonly #generation: Generation;
  readonly #frames: FrameCache;
  readonly #segments = new Map<number, Segment>();
  #signatures: SignatureMemory = new Map();
  readonly #corpora = new Map<CorpusName, CorpusVersion | null>();
  /** The generation of what is held, and whether that is to be read again in any case. */
  #held = -1;
  #stale = true;

  constructor({ dir, store, generation, frameBytes, tableBytes }: IndexViewOptions) {
    this.store = store;
    this.#generation = generation;
    this.tables = new PathTables(store, tableBytes);
    this.#dir = dir;
    this.#frames = new FrameCache(frameBytes);
  }

  /**
   * Runs a search on one state of the index. A merge may delete a file between the look at the database and its opening; the
   * state after that merge has another one. Throws StateChanged when the state that is held is found to be gone: the next search reads
   * the one that came after it.
   */
  async read<T>(search: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.store.snapshot(() => {
          this.#follow();
          return search();
        });
      } catch (error) {
        this.#stale ||= error instanceof StateChanged;
        if (attempt === 3 || !(error instanceof DamagedSegment) || !isMissing(error.cause)) throw error;
      }
    }
  }

  segments(): ReadonlyMap<number, Segment> {
    return this.#segments;
  }

  /** What is in memory of the signatures of segments, those included that are not open yet. */
  useSignatures(memory: SignatureMemory): void {
    this.#signatures = memory;
    for (const [id, segment] of this.#segments) this.#giveSignatures(id, segment);
  }

  /** What `read` of a segment gives; damage is told with the segment's id. */
  within<T>(id: number, read: (segment: Segment) => T): T {
    const segment = this.#segments.get(id);
    if (!segment) throw new DamagedSegment(id, new Error('it is not listed'));
    try {
      return read(segment);
    } catch (error) {
      throw error instanceof SegmentDamaged ? new DamagedSegment(id, error) : error;
    }
  }

  corpus(name: CorpusName): CorpusVersion | null {
    let version = this.#corpora.get(name);
    if (version === undefined) {
      version = this.store.corpus(name) ?? null;
      this.#corpora.set(name, version);
    }
    return version;
  }

  close(): void {
    for (const segment of this.#segments.values()) segment.close();
    this.#segments.clear();
  }

  #follow(): void {
    const { latest } = this.#generation;
    if (latest === this.#held && !this.#stale) return;
    this.#stale = this.store.follow() || this.#stale;
    if (this.#stale) this.#readAgain();
    this.#stale = false;
    this.#held = latest;
  }

  #readAgain(): void {
    this.#corpora.clear();
    const rows = this.store.segments();
    const listed = new Set(rows.map(({ id }) => id));
    const gone = new Set([...this.#segments.keys()].filter((id) => !listed.has(id)));
    for (const id of gone) {
      this.#segments.get(id)!.close();
      this.#segments.delete(id);
    }
    for (const { id, file } of rows) if (!this.#segments.has(id)) this.#open(id, file);
    if (gone.size > 0) this.tables.move(gone);
  }

  #open(id: number, file: string): void {
    try {
      const segment = Segment.open(segmentPath(this.#dir, file), this.#frames);
      this.#segments.set(id, segment);
      this.#giveSignatures(id, segment);
    } catch (error) {
      if (error instanceof SegmentDamaged || isMissing(error)) throw new DamagedSegment(id, error);
      throw error;
    }
  }

  #giveSignatures(id: number, segment: Segment): void {
    const memory = this.#signatures.get(id);
    if (memory) segment.useSignatures(memory);
  }
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}
