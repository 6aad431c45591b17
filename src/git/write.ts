import { createHash, randomBytes } from 'node:crypto';
import { mkdir, open, rename, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { constants, createDeflate, deflateSync } from 'node:zlib';
import type { Identity, ObjectType } from './objects.ts';
import { packOf } from './pack.ts';
import { pauses } from './pause.ts';
import { type Repository, RepositoryNotFound } from './repository.ts';
import { rowBytes, sortKey } from './tree-bytes.ts';

export interface NewObject {
  type: ObjectType;
  data: Buffer;
  /** When the caller has asked hashObject before. */
  oid?: string;
}

export interface NewCommit {
  tree: string;
  parents: string[];
  author: Identity;
  committer: Identity;
  message: string;
}

// Git's own level for loose objects: what is packed later is compressed again.
const LEVEL = { level: constants.Z_BEST_SPEED };

// Compressed in less time than a trip to the thread pool takes.
const SMALL = 8 * 1024;

const PIECE = 128 * 1024;

// sha1 takes about 1 ms for a slice
const HASH_SLICE = 1024 * 1024;

// From here one pack with one flush costs less than a file and a flush for each.
const PACK_FROM = 64;

/** The id an object will have. */
export async function hashObject({ type, data }: NewObject): Promise<string> {
  const hash = createHash('sha1').update(`${type} ${data.length}\0`);
  for (let at = 0; at < data.length; at += HASH_SLICE) {
    if (at > 0) await yieldToOthers();
    hash.update(data.subarray(at, at + HASH_SLICE));
  }
  return hash.digest('hex');
}

/** Writes a loose object, without a process, and returns its id. One that is there already is only marked as used. Throws RepositoryNotFound. */
export async function writeObject(repo: Repository, type: ObjectType, data: Buffer): Promise<string> {
  const oid = await hashObject({ type, data });
  await writeLoose(repo, oid, { type, data });
  return oid;
}

/** Writes many at once and returns their ids in order; a large number becomes one pack. */
export async function writeObjects(
  repo: Repository,
  objects: NewObject[],
  signal?: AbortSignal,
): Promise<string[]> {
  const oids: string[] = [];
  const distinct = new Map<string, NewObject>();
  const pause = pauses();
  for (const object of objects) {
    await pause();
    const oid = object.oid ?? (await hashObject(object));
    oids.push(oid);
    distinct.set(oid, object);
  }
  if (distinct.size >= PACK_FROM) await writePack(repo, [...distinct.values()], signal);
  else await Promise.all([...distinct].map(([oid, object]) => writeLoose(repo, oid, object)));
  return oids;
}

async function writePack(repo: Repository, objects: NewObject[], signal?: AbortSignal): Promise<void> {
  const input = await packOf(objects);
  await repo.run(['index-pack', '--stdin'], {
    input,
    signal,
    config: { 'core.fsync': repo.git.fsync ? 'committed' : 'none' },
  });
}

async function writeLoose(repo: Repository, oid: string, object: NewObject): Promise<void> {
  const folder = join(repo.path, 'objects', oid.slice(0, 2));
  const path = join(folder, oid.slice(2));
  if (await freshen(path)) return;
  // git's own prefix, so that its prune removes what a crash left behind
  const temporary = join(folder, `tmp_obj_${randomBytes(6).toString('hex')}`);
  try {
    await mkdir(folder).catch((error) => {
      if (error.code !== 'EEXIST') throw error;
    });
    await writeCompressed(temporary, object, repo.git.fsync);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw await explain(error, repo);
  }
}

/** A repository may be removed at any moment of a write; the same error in one that stands is a fault. */
async function explain(error: unknown, repo: Repository): Promise<unknown> {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || (await repo.exists())) return error;
  return new RepositoryNotFound(`no repository at ${repo.relativePath}`, { cause: error });
}

/** A prune removes unreachable objects that are old; one that is about to be used must look new. */
async function freshen(path: string): Promise<boolean> {
  const now = new Date();
  try {
    await utimes(path, now, now);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

async function writeCompressed(path: string, { type, data }: NewObject, flush: boolean): Promise<void> {
  const header = Buffer.from(`${type} ${data.length}\0`);
  await using file = await open(path, 'wx', 0o444);
  if (data.length <= SMALL) {
    await file.writeFile(deflateSync(Buffer.concat([header, data]), LEVEL));
  } else {
    // piece by piece, in zlib's threads, and no second copy of the whole
    const pieces = Readable.from([header, data]).pipe(createDeflate({ ...LEVEL, chunkSize: PIECE }));
    for await (const piece of pieces) await file.writeFile(piece);
  }
  if (flush) await file.datasync();
}

/** Throws when an id is not one; names and mails lose what would break the line they stand in. */
export async function writeCommit(repo: Repository, commit: NewCommit): Promise<string> {
  for (const oid of [commit.tree, ...commit.parents])
    if (!/^[0-9a-f]{40}$/.test(oid)) throw new Error(`not an object id: ${JSON.stringify(oid)}`);
  const lines = [
    `tree ${commit.tree}`,
    ...commit.parents.map((parent) => `parent ${parent}`),
    `author ${identityLine(commit.author)}`,
    `committer ${identityLine(commit.committer)}`,
  ];
  // git reads a message as a C string
  const message = commit.message.replaceAll('\0', '');
  return writeObject(repo, 'commit', Buffer.from(`${lines.join('\n')}\n\n${message}`));
}

function identityLine({ name, email, date, offset }: Identity): string {
  const clean = (text: string) => text.replace(/[\0\n\r<>]/g, '').trim();
  const zone = /^[+-]\d\d:\d\d$/.test(offset) ? offset.replace(':', '') : '+0000';
  return `${clean(name)} <${clean(email)}> ${Math.max(0, Math.floor(date / 1000))} ${zone}`;
}

export interface NewTreeEntry {
  /** Octal, `100644`, `040000`. */
  mode: string;
  oid: string;
  name: string | Buffer;
}

/** In any order; git's order is made here. */
export function writeTree(repo: Repository, entries: NewTreeEntry[]): Promise<string> {
  return writeObject(repo, 'tree', treeBytes(entries));
}

function treeBytes(entries: NewTreeEntry[]): Buffer {
  const rows = entries.map(({ mode, oid, name }) => {
    // one character for each byte: these compare far faster than buffers
    const text = (typeof name === 'string' ? Buffer.from(name) : name).toString('latin1');
    const row = { mode: mode.replace(/^0+/, ''), oid };
    return { key: sortKey(text, row.mode), bytes: rowBytes(text, row) };
  });
  rows.sort((a, b) => (a.key < b.key ? -1 : 1));
  return Buffer.concat(rows.map(({ bytes }) => bytes));
}
