import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { CorpusName } from '../code-index.ts';

/**
 * `index.db`, the truth of the index: which segment files count, which blob is where in them, and which path of which corpus
 * is which blob. A segment holds only bytes; whether they may be seen is decided here alone, so taking something out is a row.
 */

const FILE = 'index.db';
const SEGMENTS = 'segments';
const BUSY_MS = 10_000;
/** A push leaves far less in the log. */
const LOG_BYTES = 1024 * 1024;

const SCHEMA = `
  create table segments (
    id integer primary key autoincrement,
    file text not null,
    bytes integer not null,
    -- blobs in the file, and those of them that no path names any more
    blobs integer not null,
    dead integer not null default 0
  ) strict;

  create table blobs (
    id integer primary key,
    oid blob not null unique,
    -- null for what has no lines to search: empty, or binary
    segment integer references segments,
    number integer,
    -- the first bytes of what is in no segment
    head blob,
    -- 1 when it has lines, but too many bytes: those are searched in the repository
    oversized integer not null,
    live integer not null
  ) strict;
  create index blobs_by_place on blobs (segment, number);
  create index oversized_blobs on blobs (id) where oversized = 1;

  create table corpora (
    id integer primary key autoincrement,
    name text not null unique,
    commit_id text not null,
    repository text not null,
    files integer not null,
    -- counts the updates; \`changes\` leads from \`first_revision\` to it
    revision integer not null,
    first_revision integer not null,
    logged integer not null
  ) strict;

  create table paths (
    corpus integer not null references corpora,
    path blob not null,
    blob integer not null references blobs,
    primary key (corpus, path)
  ) strict, without rowid;
  create index paths_by_blob on paths (blob, corpus);

  -- what small updates changed, for path tables that are in memory; blob is null where the path is gone
  create table changes (
    corpus integer not null references corpora,
    revision integer not null,
    path blob not null,
    blob integer
  ) strict;
  create index changes_by_corpus on changes (corpus, revision);
`;

/** What the database and the segment files in `dir` must agree on. */
export interface SegmentRow {
  id: number;
  file: string;
  bytes: number;
}

/** Figures that change with each write, so that nobody has to count. */
export interface Totals {
  blobs: number;
  segments: number;
  segmentBytes: number;
  files: SegmentRow[];
}

export const segmentFolder = (dir: string): string => join(dir, SEGMENTS);

export const segmentPath = (dir: string, file: string): string => join(dir, SEGMENTS, file);

/**
 * The index in `dir`, made when there is none. One of another format, or a database that cannot be read, is thrown away:
 * `why` says so then. Everything in it can be read from the repositories again.
 */
export function openIndexFile(dir: string, format: number): { database: DatabaseSync; why?: string } {
  mkdirSync(segmentFolder(dir), { recursive: true });
  const why = unusable(dir, format);
  if (why !== undefined) {
    for (const name of readdirSync(dir)) if (name.startsWith(FILE)) rmSync(join(dir, name));
  }
  const database = connect(dir);
  const { user_version: version } = database.prepare('pragma user_version').get() as { user_version: number };
  if (version === 0) database.exec(`begin; ${SCHEMA}; pragma user_version = ${format}; commit`);
  return why === undefined ? { database } : { database, why };
}

/** A further connection to an index that `openIndexFile` has seen. */
export function connect(dir: string, options: { readOnly?: boolean } = {}): DatabaseSync {
  const database = new DatabaseSync(join(dir, FILE), options);
  const pragmas = [
    `busy_timeout = ${BUSY_MS}`,
    'cache_size = -4000',
    // A merge deletes the files that it replaces: its transaction must be on the disk by then.
    ...(options.readOnly
      ? []
      : [
          'journal_mode = wal',
          'synchronous = full',
          `journal_size_limit = ${LOG_BYTES}`,
          'temp_store = memory',
        ]),
  ];
  for (const pragma of pragmas) database.exec(`pragma ${pragma}`);
  return database;
}

/**
 * Gives the disk back what a large write has left in the log, as much again as the database. When a search reads from it,
 * nothing happens: the next write tries again.
 */
export function cutLog(database: DatabaseSync, dir: string): void {
  const size = statSync(join(dir, `${FILE}-wal`), { throwIfNoEntry: false })?.size ?? 0;
  if (size <= LOG_BYTES) return;
  database.exec('pragma busy_timeout = 0');
  try {
    database.exec('pragma wal_checkpoint(truncate)');
  } finally {
    database.exec(`pragma busy_timeout = ${BUSY_MS}`);
  }
}

/** Bytes of the database and its log on the disk. */
export function databaseBytes(dir: string): number {
  const size = (name: string) => statSync(join(dir, name), { throwIfNoEntry: false })?.size ?? 0;
  return [FILE, `${FILE}-wal`, `${FILE}-shm`].reduce((sum, name) => sum + size(name), 0);
}

export function readSegments(database: DatabaseSync): SegmentRow[] {
  return database
    .prepare('select id, file, bytes from segments order by id')
    .all() as unknown as SegmentRow[];
}

export function readCorpora(database: DatabaseSync): Map<CorpusName, string> {
  const statement = database.prepare('select name, commit_id from corpora');
  statement.setReturnArrays(true);
  return new Map(statement.all() as unknown as [CorpusName, string][]);
}

export function readTotals(database: DatabaseSync): Totals {
  const segments = database
    .prepare(
      'select count(*) as segments, coalesce(sum(bytes), 0) as segmentBytes, coalesce(sum(blobs - dead), 0) as inside from segments',
    )
    .get() as { segments: number; segmentBytes: number; inside: number };
  const { outside } = database
    .prepare('select count(*) as outside from blobs where segment is null')
    .get() as {
    outside: number;
  };
  const { inside, ...rest } = segments;
  return { ...rest, blobs: inside + outside, files: readSegments(database) };
}

function unusable(dir: string, format: number): string | undefined {
  if (!statSync(join(dir, FILE), { throwIfNoEntry: false })) return undefined;
  try {
    const database = connect(dir);
    try {
      const row = database.prepare('pragma user_version').get() as { user_version: number };
      const tables = database.prepare('select count(*) as n from sqlite_master').get() as { n: number };
      if (row.user_version === format || (row.user_version === 0 && tables.n === 0)) return undefined;
      return `format ${row.user_version}, not ${format}`;
    } finally {
      database.close();
    }
  } catch (error) {
    return (error as Error).message;
  }
}
