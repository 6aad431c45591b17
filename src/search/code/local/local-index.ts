import { availableParallelism } from 'node:os';
import type { Log } from '../../../platform/log.ts';
import type { Metrics } from '../../../platform/metrics.ts';
import {
  type CodeAnswer,
  type CodeIndex,
  type CodeIndexStatus,
  type CodeQuery,
  CorpusLost,
  type CorpusName,
  type CorpusState,
  type UpdateOptions,
  type UpdateProgress,
} from '../code-index.ts';
import { Generation } from './generation.ts';
import type { IndexWorkerData } from './index-worker.ts';
import type { IndexCall, IndexResult, Notice } from './messages.ts';
import { recover } from './recover.ts';
import { SearchPool } from './search-pool.ts';
import { MAX_BLOB_BYTES } from './segment-output.ts';
import { SharedSignatures, type SignatureLimits } from './shared-signatures.ts';
import { databaseBytes, openIndexFile, readCorpora, readTotals, type Totals } from './store.ts';
import { WorkerHandle } from './worker-handle.ts';

export interface LocalCodeIndexOptions {
  /** A folder of its own, which one process may use at a time. It can be deleted while none does. */
  dir: string;
  log: Log;
  metrics?: Metrics;
  /** Threads of a large build. */
  buildWorkers?: number;
  searchWorkers?: number;
  /** A search that looks through files for longer is divided among the threads that are free. */
  helpAfterMs?: number;
  /** An index of fewer bytes is searched by one thread only. */
  largeBytes?: number;
  /** Searches that may wait for a thread before CodeIndexBusy. */
  maxWaiting?: number;
  /** Threads without work end after so long: a minute, those that search a large index half an hour. */
  idleMs?: number;
  /** Bytes of decoded text that each search thread keeps. */
  frameCacheBytes?: number;
  /** How much of the signatures the search threads have in memory together. */
  signatures?: SignatureLimits;
  /** Larger texts are not kept: git reads them at each search. */
  maxBlobBytes?: number;
  /** Told of corpora that were dropped because a file of the index is damaged: they are to be indexed again. */
  onLost?: (corpora: readonly CorpusName[]) => void;
  /** Told once, when the threads of a large index have what they need for searches in these corpora. */
  onAwake?: (corpora: readonly CorpusName[]) => void;
}

/** Grows with the tables of `store.ts`; the files of segments have their own version in their names. */
const FORMAT = 1;
const IDLE_MS = 60_000;
/** To begin takes 0.3 s, and to be as quick as before some hundred searches more. */
const LARGE_IDLE_MS = 30 * 60_000;
const FRAME_CACHE_BYTES = 16 * 1024 * 1024;
/** With ten times as many, one of a hundred searches takes a thread 100 ms. Below, another thread is not worth its memory. */
const LARGE_BYTES = 32 * 1024 * 1024;
/** Tables of paths that are read for the first search after a start: 0.5 us a path. */
const MAX_WOKEN = 20;
/** Four of ten searches take longer; another thread is there 0.5 ms after it was asked, and in time for eight of ten. */
const HELP_AFTER_MS = 0.7;
const SEARCH_WORKERS = Math.min(2, availableParallelism());
const TABLE_BYTES = 32 * 1024 * 1024;

/** The code index that comes with Ingot: trigram segments in files, the truth about them in SQLite, the work in threads. */
export async function openLocalCodeIndex(options: LocalCodeIndexOptions): Promise<CodeIndex> {
  const { database, why } = openIndexFile(options.dir, FORMAT);
  try {
    if (why !== undefined) options.log.warn({ why }, 'the code index cannot be used and starts empty');
    recover(options.dir, database, options.log);
    return new LocalCodeIndex(options, readCorpora(database), readTotals(database));
  } finally {
    database.close();
  }
}

class LocalCodeIndex implements CodeIndex {
  readonly #options: LocalCodeIndexOptions;
  readonly #corpora: Map<CorpusName, string>;
  readonly #writer: WorkerHandle<IndexCall, IndexResult, UpdateProgress>;
  readonly #searches: SearchPool;
  readonly #underWay = new Set<{ corpora: ReadonlySet<CorpusName>; lost: boolean }>();
  readonly #signatures: SharedSignatures;
  #totals: Totals;
  /** Whether the threads were woken for a large index. */
  #isWoken = false;
  #closed = false;

  constructor(options: LocalCodeIndexOptions, corpora: Map<CorpusName, string>, totals: Totals) {
    const { dir, buildWorkers = 2, searchWorkers = SEARCH_WORKERS, maxWaiting = 200 } = options;
    const { idleMs = IDLE_MS } = options;
    this.#options = options;
    this.#corpora = corpora;
    this.#totals = totals;
    const generation = new Generation().memory;
    const onNotice = (message: Notice) => this.#notice(message);
    this.#writer = new WorkerHandle({
      file: new URL('./index-worker.ts', import.meta.url),
      data: (): IndexWorkerData => ({
        dir,
        buildWorkers,
        maxBlobBytes: options.maxBlobBytes ?? MAX_BLOB_BYTES,
        generation,
      }),
      idleMs: () => idleMs,
      maxYoungMb: 4,
      onNotice,
    });
    this.#signatures = new SharedSignatures({ dir, log: options.log, ...options.signatures }, totals.files);
    this.#searches = new SearchPool({
      data: {
        dir,
        frameBytes: options.frameCacheBytes ?? FRAME_CACHE_BYTES,
        tableBytes: TABLE_BYTES,
        helpAfterMs: options.helpAfterMs ?? HELP_AFTER_MS,
        generation,
      },
      signatures: this.#signatures,
      workers: searchWorkers,
      isLarge: () => this.#isLarge,
      maxWaiting,
      idleMs: () => options.idleMs ?? (this.#isLarge ? LARGE_IDLE_MS : IDLE_MS),
      onNotice,
      dropSegment: (segment, message) => this.#dropSegment(segment, message),
    });
    // Who searches first after a start does not wait for the threads.
    if (totals.segmentBytes > 0) void this.#wake();
    options.metrics?.gauge('ingot_code_searches_waiting', 'Code searches waiting for a thread', [], (gauge) =>
      gauge.set(this.#searches.waiting),
    );
  }

  async update(
    corpus: CorpusName,
    state: CorpusState,
    { signal, onProgress }: UpdateOptions = {},
  ): Promise<void> {
    this.#adopt(await this.#writer.call({ kind: 'update', corpus, state }, { signal, onProgress }));
    this.#corpora.set(corpus, state.commit);
    if (this.#isLarge && !this.#isWoken) void this.#wake();
  }

  async remove(corpora: readonly CorpusName[]): Promise<void> {
    this.#adopt(await this.#writer.call({ kind: 'remove', corpora }));
  }

  commits(corpora: readonly CorpusName[]): ReadonlyMap<CorpusName, string> {
    const found = new Map<CorpusName, string>();
    for (const corpus of corpora) {
      const commit = this.#corpora.get(corpus);
      if (commit !== undefined) found.set(corpus, commit);
    }
    return found;
  }

  corpora(): ReadonlyMap<CorpusName, string> {
    return this.#corpora;
  }

  /** Throws CorpusLost, and what the threads throw. */
  async search(query: CodeQuery, signal?: AbortSignal): Promise<CodeAnswer> {
    const search = { corpora: new Set(query.corpora), lost: false };
    this.#underWay.add(search);
    try {
      const answer = await this.#searches.search(query, signal);
      if (search.lost) throw new CorpusLost('a segment was taken out of the index meanwhile');
      return answer;
    } finally {
      this.#underWay.delete(search);
    }
  }

  status(): CodeIndexStatus {
    const { blobs, segments, segmentBytes } = this.#totals;
    const bytes = segmentBytes + databaseBytes(this.#options.dir);
    return { blobs, segments, bytes, corpora: this.#corpora.size };
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await Promise.all([this.#writer.close(), this.#searches.close()]);
  }

  get #isLarge(): boolean {
    return this.#totals.segmentBytes >= (this.#options.largeBytes ?? LARGE_BYTES);
  }

  async #wake(): Promise<void> {
    this.#isWoken = this.#isLarge;
    const corpora = [...this.#corpora.keys()].slice(0, MAX_WOKEN);
    await this.#searches.wake(corpora);
    if (this.#isWoken && !this.#closed) this.#options.onAwake?.(corpora);
  }

  #adopt({ totals, gone }: IndexResult): void {
    this.#totals = totals;
    this.#signatures.follow(totals.files);
    for (const name of gone) this.#corpora.delete(name);
  }

  #lose(result: IndexResult): void {
    this.#adopt(result);
    for (const search of this.#underWay) search.lost ||= result.gone.some((name) => search.corpora.has(name));
    if (result.gone.length > 0) this.#options.onLost?.(result.gone);
  }

  async #dropSegment(segment: number, message: string): Promise<void> {
    this.#options.log.warn({ segment, message }, 'a segment of the code index is damaged and was taken out');
    this.#lose(await this.#writer.call({ kind: 'drop-segment', segment }));
  }

  #notice(message: Notice): void {
    if (message.kind === 'changed') this.#lose(message.changed);
    else this.#options.log[message.level](message.details, message.message);
  }
}
