import type { DatabaseSync } from 'node:sqlite';
import { Statements } from './statements.ts';
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

/** Above this many rows the log of a corpus costs more than reading its paths again. */
const MAX_LOGGED = 5_000;

/** All writes but those of merges. Each method is one transaction. */
export class WriteStore {
  readonly #database: DatabaseSync;
  readonly #sql: Statements;

  constructor(database: DatabaseSync, onCommit?: () => void) {
    this.#database = database;
    this.#sql = new Statements(database, onCommit);
  }

  corpus(name: string): CorpusRow | undefined {
    return this.#sql.row<CorpusRow>(
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
    return this.#sql.transaction(() => {
      this.#addBlobs(read);
      const { ids, missing } = this.#resolve(change.paths);
      if (missing.length > 0) return { value: missing, keep: false };
      this.#applyPaths(change, ids);
      return { value: [], keep: true };
    });
  }

  /** Takes a corpus out with all its paths. */
  remove(name: string): void {
    this.#sql.transaction(() => {
      const corpus = this.corpus(name);
      if (corpus) this.#removeCorpus(corpus.id);
      return { value: undefined, keep: true };
    });
  }

  /** Takes out a segment that cannot be read, and every corpus that needs it. Gives their names. */
  dropSegment(segment: number): string[] {
    return this.#sql.transaction(() => {
      const corpora = this.#sql.rows<{ id: number; name: string }>(
        `select id, name from corpora where id in
           (select corpus from paths where blob in (select id from blobs where segment = ?))`,
        segment,
      );
      for (const { id } of corpora) this.#removeCorpus(id);
      this.#sql.run('delete from blobs where segment = ?', segment);
      this.#sql.run('delete from segments where id = ?', segment);
      return { value: corpora.map(({ name }) => name), keep: true };
    });
  }

  #addBlobs({ segments, outside }: NewBlobs): void {
    for (const { file, bytes, oids } of segments) {
      const segment = insertSegment(this.#sql, file, bytes, oids.length);
      oids.forEach((oid, number) => {
        this.#insertBlob(oid, segment, number);
      });
      // Nothing names them yet. A blob that another update has read meanwhile stays dead in this file for good.
      this.#sql.run('update segments set dead = blobs where id = ?', segment);
    }
    for (const blob of outside) this.#insertBlob(blob.oid, null, null, blob);
  }

  #insertBlob(oid: string, segment: number | null, number: number | null, outside?: OutsideBlob): void {
    this.#sql.run(
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
      this.#sql.run('insert into paths (corpus, path, blob) values (?, ?, ?)', corpus, path, ids.get(oid)!);
      added++;
    }
    this.#logChange(corpus, change, ids, added);
    this.#settle(touched);
  }

  #insertCorpus(name: string): number {
    const text = `insert into corpora (name, commit_id, repository, files, revision, first_revision, logged)
      values (?, '', '', 0, 0, 0, 0) returning id`;
    return this.#sql.row<{ id: number }>(text, name)!.id;
  }

  #removeCorpus(corpus: number): void {
    const touched = new Set<number>();
    this.#clearPaths(corpus, touched);
    this.#sql.run('delete from changes where corpus = ?', corpus);
    this.#sql.run('delete from corpora where id = ?', corpus);
    this.#settle(touched);
  }

  #clearPaths(corpus: number, touched: Set<number>): void {
    const rows = this.#sql.rows<{ blob: number }>('select distinct blob from paths where corpus = ?', corpus);
    for (const { blob } of rows) touched.add(blob);
    this.#sql.run('delete from paths where corpus = ?', corpus);
    this.#sql.run('update corpora set files = 0 where id = ?', corpus);
  }

  #takePath(corpus: number, path: Buffer, touched: Set<number>): boolean {
    const text = 'delete from paths where corpus = ? and path = ? returning blob';
    const row = this.#sql.row<{ blob: number }>(text, corpus, path);
    if (row) touched.add(row.blob);
    return row !== undefined;
  }

  /** Lets path tables in memory follow small changes; after a large one they are read again. */
  #logChange(corpus: number, change: CorpusChange, ids: ReadonlyMap<string, number>, added: number): void {
    const rows = change.since === null ? MAX_LOGGED + 1 : change.paths.length;
    this.#sql.run(
      `update corpora set commit_id = ?, repository = ?, revision = revision + 1, logged = logged + ?, files = files + ?
         where id = ?`,
      change.commit,
      change.repository,
      rows,
      added,
      corpus,
    );
    const { revision, logged } = this.#sql.row<{ revision: number; logged: number }>(
      'select revision, logged from corpora where id = ?',
      corpus,
    )!;
    if (logged > MAX_LOGGED) {
      this.#sql.run('delete from changes where corpus = ?', corpus);
      this.#sql.run('update corpora set first_revision = revision, logged = 0 where id = ?', corpus);
      return;
    }
    for (const { path, oid } of change.paths) {
      const blob = oid === null ? null : ids.get(oid)!;
      const text = 'insert into changes (corpus, revision, path, blob) values (?, ?, ?, ?)';
      this.#sql.run(text, corpus, revision, path, blob);
    }
  }

  /** Blobs that gained their first path are live, those that lost their last are dead, and rows without a segment go at once. */
  #settle(blobs: Iterable<number>): void {
    const died = new Map<number, number>();
    for (const id of blobs) {
      const row = this.#sql.row<{ segment: number | null; live: number; named: number }>(
        `select segment, live, exists (select 1 from paths where blob = b.id) as named from blobs b where id = ?`,
        id,
      );
      if (!row || row.live === row.named) continue;
      if (row.segment === null && row.named === 0) {
        this.#sql.run('delete from blobs where id = ?', id);
        continue;
      }
      this.#sql.run('update blobs set live = ? where id = ?', row.named, id);
      if (row.segment !== null)
        died.set(row.segment, (died.get(row.segment) ?? 0) + (row.named === 1 ? -1 : 1));
    }
    for (const [segment, count] of died)
      this.#sql.run('update segments set dead = dead + ? where id = ?', count, segment);
  }

  #blobId(oid: string): number | undefined {
    return this.#sql.row<{ id: number }>('select id from blobs where oid = ?', Buffer.from(oid, 'hex'))?.id;
  }
}

/** Gives the id of the new row. */
export function insertSegment(sql: Statements, file: string, bytes: number, blobs: number): number {
  const text = 'insert into segments (file, bytes, blobs) values (?, ?, ?) returning id';
  return sql.row<{ id: number }>(text, file, bytes, blobs)!.id;
}
