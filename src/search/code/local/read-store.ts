import type { DatabaseSync } from 'node:sqlite';
import { Statements } from './statements.ts';
import { readSegments, type SegmentRow } from './store.ts';

/** A corpus as it stands in the database. */
export interface CorpusVersion {
  id: number;
  repository: string;
  files: number;
  revision: number;
  firstRevision: number;
}

/** Where the lines of a blob are: in a segment, or, `oversized`, in the repository only, or nowhere. */
export interface PlaceRow {
  segment: number | null;
  number: number | null;
  oversized: number;
}

/** A path, and where its blob is. */
export interface PathRow extends PlaceRow {
  path: Uint8Array;
  blob: number;
}

/** Paths in byte order with a NUL between them, and of each what a `PathRow` has. */
export interface PathColumns {
  paths: Uint8Array;
  blobs: number[];
  segments: (number | null)[];
  numbers: (number | null)[];
  oversized: number[];
}

/** A path of a corpus, and its blob. */
export interface NameRow {
  corpus: number;
  path: Uint8Array;
  blob: number;
}

/** A path that changed; `blob` is null when it is gone. */
export type ChangedPath = Omit<PathRow, 'blob'> & { blob: number | null };

/** The database is in another state than what was read of it before. */
export class StateChanged extends Error {
  override name = 'StateChanged';
}

/** All reads of a search thread. */
export class ReadStore {
  readonly #database: DatabaseSync;
  readonly #statements: Statements;
  #version = -1;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#statements = new Statements(database);
  }

  /**
   * Runs `work` on one state of the database, whatever is written meanwhile: that of `follow`, or else that of the last time. Every
   * read throws StateChanged when that one is gone; what reads nothing does not touch the database.
   */
  async snapshot<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } finally {
      if (this.#database.isTransaction) this.#database.exec('commit');
    }
  }

  /** To be called first: chooses the state that the database is in now, and says whether it is another one than last time. */
  follow(): boolean {
    this.#database.exec('begin');
    // Only a read of a table chooses the state; the version alone would not.
    this.#statements.row('select 1 from segments limit 1');
    const { data_version: version } = this.#statements.row<{ data_version: number }>('pragma data_version')!;
    const changed = version !== this.#version;
    this.#version = version;
    return changed;
  }

  segments(): SegmentRow[] {
    this.#begin();
    return readSegments(this.#database);
  }

  corpus(name: string): CorpusVersion | undefined {
    const text =
      'select id, repository, files, revision, first_revision as "firstRevision" from corpora where name = ?';
    return this.#sql.row<CorpusVersion>(text, name);
  }

  /**
   * Every path of the corpus, as one row: 80,000 rows take three times as long. SQLite keeps the order of a subquery for such
   * functions; to order in each of them would sort five times.
   */
  paths(corpus: number): PathColumns {
    const row = this.#sql.row<Record<keyof PathColumns, string> & { paths: Uint8Array | null }>(
      `select cast(group_concat(cast(path as text), char(0)) as blob) as paths,
         json_group_array(blob) as blobs, json_group_array(segment) as segments,
         json_group_array(number) as numbers, json_group_array(oversized) as oversized
       from (select path, p.blob, segment, number, oversized
         from paths p join blobs b on b.id = p.blob where corpus = ? order by path)`,
      corpus,
    )!;
    return {
      paths: row.paths ?? new Uint8Array(),
      blobs: JSON.parse(row.blobs),
      segments: JSON.parse(row.segments),
      numbers: JSON.parse(row.numbers),
      oversized: JSON.parse(row.oversized),
    };
  }

  /** What became of each path that changed after that revision. */
  changesSince(corpus: number, revision: number): ChangedPath[] {
    return this.#sql.rows<ChangedPath>(
      `select c.path, p.blob, b.segment, b.number, b.oversized
         from (select distinct path from changes where corpus = ?1 and revision > ?2) c
         left join paths p on p.corpus = ?1 and p.path = c.path
         left join blobs b on b.id = p.blob
         order by c.path`,
      corpus,
      revision,
    );
  }

  place(blob: number): PlaceRow | undefined {
    return this.#sql.row('select segment, number, oversized from blobs where id = ?', blob);
  }

  /** Where a blob is named, in any corpus. */
  namesOf(segment: number, number: number, limit: number): NameRow[] {
    return this.#sql.rows(
      `select corpus, path, blob from paths
         where blob = (select id from blobs where segment = ? and number = ?) limit ?`,
      segment,
      number,
      limit,
    );
  }

  /** Where a blob is named in these corpora, whose ids come as a JSON array. */
  namesIn(corpora: string, segment: number, number: number, limit: number): NameRow[] {
    return this.#sql.rows(
      `select corpus, paths.path, blob from json_each(?) as asked
         cross join paths on paths.corpus = asked.value
           and blob = (select id from blobs where segment = ? and number = ?) limit ?`,
      corpora,
      segment,
      number,
      limit,
    );
  }

  /** Where blobs are named that only the repository holds. */
  oversizedNames(): NameRow[] {
    return this.#sql.rows(
      `select corpus, path, blob from paths where blob in (select id from blobs where oversized = 1)`,
    );
  }

  /** Id in hex, and the first bytes of a blob that is in no segment. */
  blob(id: number): { oid: string; head: Uint8Array | null } {
    const row = this.#sql.row<{ oid: string; head: Uint8Array | null }>(
      'select lower(hex(oid)) as oid, head from blobs where id = ?',
      id,
    );
    if (!row) throw new Error(`no blob ${id} in the index`);
    return row;
  }

  /** The way of every read: none is outside of a transaction. */
  get #sql(): Statements {
    this.#begin();
    return this.#statements;
  }

  #begin(): void {
    if (!this.#database.isTransaction && this.follow()) throw new StateChanged();
  }
}
