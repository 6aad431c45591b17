import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { readTotals, type Totals } from './store.ts';

/** A corpus as the writer knows it. */
export interface CorpusRow {
  id: number;
  repository: string;
  commit: string;
}

/** One path of a tree, or that it is gone (null). Ids in hex. */
export interface PathChange {
  path: Buffer;
  oid: string | null;
}

/** What a commit makes of a corpus. */
export interface CorpusChange {
  name: string;
  repository: string;
  commit: string;
  /** The commit that `paths` is the difference to; null when `paths` is the whole tree. */
  since: string | null;
  paths: readonly PathChange[];
}

/** A finished segment file, and its blobs in the order of their numbers. */
export interface NewSegment {
  file: string;
  bytes: number;
  oids: readonly string[];
}

/** A blob that is in no segment: binary, empty, or with lines but `oversized`. */
export interface OutsideBlob {
  oid: string;
  /** Its first bytes. */
  head: Uint8Array;
  oversized: boolean;
}

/** What was read for an update. */
export interface NewBlobs {
  segments: NewSegment[];
  outside: OutsideBlob[];
}

/** Blobs of `from` that live on under other numbers. */
export interface MovedBlob {
  id: number;
  number: number;
}

/** Above this many rows the log of a corpus costs more than reading its paths again. */
const MAX_LOGGED = 5_000;

/** All writes. Each method is one transaction. */
export class WriteStore {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  corpus(name: string): CorpusRow | undefined {
    return this.#row<CorpusRow>(
      'select id, repository, commit_id as "commit" from corpora where name = ?',
      name,
    );
  }

  totals(): Totals {
    return readTotals(this.#database);
  }

  /** Of these ids, in hex, those that the index does not hold. */
  missing(oids: Iterable<string>): string[] {
    return [...oids].filter((oid) => this.#blobId(oid) === undefined);
  }

  /**
   * Adds what was read and makes the corpus what the change says. Gives the ids of blobs that are needed and not there, as a
   * merge may have dropped them meanwhile: then nothing was written.
   */
  apply(change: CorpusChange, read: NewBlobs): string[] {
    return this.#transaction(() => {
      this.#addBlobs(read);
      const { ids, missing } = this.#resolve(change.paths);
      if (missing.length > 0) return { value: missing, keep: false };
      this.#applyPaths(change, ids);
      return { value: [], keep: true };
    });
  }

  /** Takes a corpus out with all its paths. */
  remove(name: string): void {
    this.#transaction(() => {
      const corpus = this.corpus(name);
      if (corpus) this.#removeCorpus(corpus.id);
      return { value: undefined, keep: true };
    });
  }

  /** Takes out a segment that cannot be read, and every corpus that needs it. Gives their names. */
  dropSegment(segment: number): string[] {
    return this.#transaction(() => {
      const corpora = this.#rows<{ id: number; name: string }>(
        `select id, name from corpora where id in
           (select corpus from paths where blob in (select id from blobs where segment = ?))`,
        segment,
      );
      for (const { id } of corpora) this.#removeCorpus(id);
      this.#run('delete from blobs where segment = ?', segment);
      this.#run('delete from segments where id = ?', segment);
      return { value: corpora.map(({ name }) => name), keep: true };
    });
  }

  /** Segments with how many blobs of theirs are still named. */
  segments(): { id: number; file: string; bytes: number; blobs: number; dead: number }[] {
    return this.#rows('select id, file, bytes, blobs, dead from segments order by id');
  }

  /** Blobs of a segment that some path names, in the order of their numbers. */
  liveBlobs(segment: number): { id: number; number: number }[] {
    return this.#rows('select id, number from blobs where segment = ? and live = 1 order by number', segment);
  }

  /**
   * Puts one file in the place of several. `moved` are the blobs that it holds; what the old ones held beside them is gone,
   * but for blobs that came back to life meanwhile: then nothing was written, and the answer is false.
   */
  replaceSegments(
    old: readonly number[],
    file: Pick<NewSegment, 'file' | 'bytes'> | null,
    moved: readonly MovedBlob[],
  ): boolean {
    return this.#transaction(() => {
      if (file) {
        const segment = this.#insertSegment(file.file, file.bytes, moved.length);
        for (const { id, number } of moved)
          this.#run('update blobs set segment = ?, number = ? where id = ?', segment, number, id);
        this.#run(
          'update segments set dead = (select count(*) from blobs where segment = ?1 and live = 0) where id = ?1',
          segment,
        );
      }
      const isLive = 'select 1 from blobs where segment = ? and live = 1 limit 1';
      if (old.some((id) => this.#row(isLive, id))) return { value: false, keep: false };
      for (const id of old) {
        this.#run('delete from blobs where segment = ?', id);
        this.#run('delete from segments where id = ?', id);
      }
      return { value: true, keep: true };
    });
  }

  #addBlobs({ segments, outside }: NewBlobs): void {
    for (const { file, bytes, oids } of segments) {
      const segment = this.#insertSegment(file, bytes, oids.length);
      oids.forEach((oid, number) => {
        this.#insertBlob(oid, segment, number);
      });
      // Nothing names them yet. A blob that another update has read meanwhile stays dead in this file for good.
      this.#run('update segments set dead = blobs where id = ?', segment);
    }
    for (const blob of outside) this.#insertBlob(blob.oid, null, null, blob);
  }

  #insertSegment(file: string, bytes: number, blobs: number): number {
    const text = 'insert into segments (file, bytes, blobs) values (?, ?, ?) returning id';
    return this.#row<{ id: number }>(text, file, bytes, blobs)!.id;
  }

  #insertBlob(oid: string, segment: number | null, number: number | null, outside?: OutsideBlob): void {
    this.#run(
      `insert into blobs (oid, segment, number, head, oversized, live) values (?, ?, ?, ?, ?, 0)
         on conflict do nothing`,
      Buffer.from(oid, 'hex'),
      segment,
      number,
      outside?.head ?? null,
      outside?.oversized ? 1 : 0,
    );
  }

  #resolve(paths: readonly PathChange[]): { ids: Map<string, number>; missing: string[] } {
    const ids = new Map<string, number>();
    const missing: string[] = [];
    for (const { oid } of paths) {
      if (oid === null || ids.has(oid)) continue;
      const id = this.#blobId(oid);
      if (id === undefined) missing.push(oid);
      else ids.set(oid, id);
    }
    return { ids, missing };
  }

  #applyPaths(change: CorpusChange, ids: ReadonlyMap<string, number>): void {
    const corpus = this.corpus(change.name)?.id ?? this.#insertCorpus(change.name);
    const touched = new Set(ids.values());
    if (change.since === null) this.#clearPaths(corpus, touched);
    let added = 0;
    for (const { path, oid } of change.paths) {
      if (change.since !== null && this.#takePath(corpus, path, touched)) added--;
      if (oid === null) continue;
      this.#run('insert into paths (corpus, path, blob) values (?, ?, ?)', corpus, path, ids.get(oid)!);
      added++;
    }
    this.#logChange(corpus, change, ids, added);
    this.#settle(touched);
  }

  #insertCorpus(name: string): number {
    const text = `insert into corpora (name, commit_id, repository, files, revision, first_revision, logged)
      values (?, '', '', 0, 0, 0, 0) returning id`;
    return this.#row<{ id: number }>(text, name)!.id;
  }

  #removeCorpus(corpus: number): void {
    const touched = new Set<number>();
    this.#clearPaths(corpus, touched);
    this.#run('delete from changes where corpus = ?', corpus);
    this.#run('delete from corpora where id = ?', corpus);
    this.#settle(touched);
  }

  #clearPaths(corpus: number, touched: Set<number>): void {
    const rows = this.#rows<{ blob: number }>('select distinct blob from paths where corpus = ?', corpus);
    for (const { blob } of rows) touched.add(blob);
    this.#run('delete from paths where corpus = ?', corpus);
    this.#run('update corpora set files = 0 where id = ?', corpus);
  }

  #takePath(corpus: number, path: Buffer, touched: Set<number>): boolean {
    const text = 'delete from paths where corpus = ? and path = ? returning blob';
    const row = this.#row<{ blob: number }>(text, corpus, path);
    if (row) touched.add(row.blob);
    return row !== undefined;
  }

  /** Lets path tables in memory follow small changes; after a large one they are read again. */
  #logChange(corpus: number, change: CorpusChange, ids: ReadonlyMap<string, number>, added: number): void {
    const rows = change.since === null ? MAX_LOGGED + 1 : change.paths.length;
    this.#run(
      `update corpora set commit_id = ?, repository = ?, revision = revision + 1, logged = logged + ?, files = files + ?
         where id = ?`,
      change.commit,
      change.repository,
      rows,
      added,
      corpus,
    );
    const { revision, logged } = this.#row<{ revision: number; logged: number }>(
      'select revision, logged from corpora where id = ?',
      corpus,
    )!;
    if (logged > MAX_LOGGED) {
      this.#run('delete from changes where corpus = ?', corpus);
      this.#run('update corpora set first_revision = revision, logged = 0 where id = ?', corpus);
      return;
    }
    for (const { path, oid } of change.paths) {
      const blob = oid === null ? null : ids.get(oid)!;
      const text = 'insert into changes (corpus, revision, path, blob) values (?, ?, ?, ?)';
      this.#run(text, corpus, revision, path, blob);
    }
  }

  /** Blobs that gained their first path are live, those that lost their last are dead, and rows without a segment go at once. */
  #settle(blobs: Iterable<number>): void {
    const died = new Map<number, number>();
    for (const id of blobs) {
      const row = this.#row<{ segment: number | null; live: number; named: number }>(
        `select segment, live, exists (select 1 from paths where blob = b.id) as named from blobs b where id = ?`,
        id,
      );
      if (!row || row.live === row.named) continue;
      if (row.segment === null && row.named === 0) {
        this.#run('delete from blobs where id = ?', id);
        continue;
      }
      this.#run('update blobs set live = ? where id = ?', row.named, id);
      if (row.segment !== null)
        died.set(row.segment, (died.get(row.segment) ?? 0) + (row.named === 1 ? -1 : 1));
    }
    for (const [segment, count] of died)
      this.#run('update segments set dead = dead + ? where id = ?', count, segment);
  }

  #blobId(oid: string): number | undefined {
    return this.#row<{ id: number }>('select id from blobs where oid = ?', Buffer.from(oid, 'hex'))?.id;
  }

  #transaction<T>(work: () => { value: T; keep: boolean }): T {
    this.#database.exec('begin immediate');
    try {
      const { value, keep } = work();
      this.#database.exec(keep ? 'commit' : 'rollback');
      return value;
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('rollback');
      throw error;
    }
  }

  #prepare(text: string): StatementSync {
    let statement = this.#statements.get(text);
    if (!statement) {
      statement = this.#database.prepare(text);
      this.#statements.set(text, statement);
    }
    return statement;
  }

  #row<T>(text: string, ...values: SQLInputValue[]): T | undefined {
    return this.#prepare(text).get(...values) as T | undefined;
  }

  #rows<T>(text: string, ...values: SQLInputValue[]): T[] {
    return this.#prepare(text).all(...values) as T[];
  }

  #run(text: string, ...values: SQLInputValue[]): void {
    this.#prepare(text).run(...values);
  }
}
