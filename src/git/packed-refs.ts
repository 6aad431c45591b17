import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type FileStamp, fileStamp } from './file-stamp.ts';
import type { Ref } from './refs.ts';
import type { Repository } from './repository.ts';

/** The file packed-refs: `<id> <name>` lines sorted by name, `^<id>` below an annotated tag. */
export interface PackedRefs {
  data: Buffer;
  stamp: FileStamp;
}

const NEWLINE = 10;
const CARET = 0x5e;
const HASH = 0x23;
const OID_LENGTH = 40;

/** As it is on disk now. Kept while its stamp stays: the file is always replaced, never written in place. */
export async function readPackedRefs(repo: Repository): Promise<PackedRefs> {
  const path = join(repo.path, 'packed-refs');
  const stamp = fileStamp(path);
  const known = repo.git.caches.packedRefs.get(repo, '');
  if (known && !known.stamp.racy && known.stamp.text === stamp.text) return known;
  const packed = { data: stamp.text === '' ? Buffer.alloc(0) : await readSorted(path), stamp };
  repo.git.caches.packedRefs.set(repo, '', packed);
  return packed;
}

async function readSorted(path: string): Promise<Buffer> {
  const data = await readFile(path).catch((error) => {
    if (error.code === 'ENOENT') return Buffer.alloc(0); // gone since the stamp was taken; the next look sees that
    throw error;
  });
  const head = data.toString('latin1', 0, Math.max(0, data.indexOf(NEWLINE)));
  if (data.length === 0 || /^# pack-refs with:.* sorted /.test(`${head} `)) return data;
  return sorted(data);
}

/** Writers other than git (and git before 2.15) may leave the lines in any order. */
function sorted(data: Buffer): Buffer {
  const groups: string[] = [];
  for (const line of data.toString('latin1').split('\n')) {
    if (line.startsWith('^')) groups.push(`${groups.pop() ?? ''}\n${line}`);
    else if (line !== '' && !line.startsWith('#')) groups.push(line);
  }
  const name = (group: string) => group.slice(OID_LENGTH + 1).split('\n', 1)[0]!;
  groups.sort((a, b) => (name(a) < name(b) ? -1 : 1));
  return Buffer.from(groups.map((group) => `${group}\n`).join(''), 'latin1');
}

/** The line of one ref, by halving: a file of 100,000 refs is not turned into objects for one lookup. */
export function findPacked({ data }: PackedRefs, name: string): Ref | null {
  const wanted = Buffer.from(name);
  let low = startOfRefs(data);
  let high = data.length;
  while (low < high) {
    const line = lineAt(data, (low + high) >> 1, low);
    const order = Buffer.compare(wanted, data.subarray(line.start + OID_LENGTH + 1, line.end));
    if (order === 0) return refAt(data, line);
    if (order < 0) high = line.start;
    else low = line.next;
  }
  return null;
}

export function* allPacked({ data }: PackedRefs): Generator<Ref> {
  for (let at = startOfRefs(data); at < data.length; ) {
    const line = lineAt(data, at, at);
    yield refAt(data, line);
    at = line.next;
  }
}

interface Line {
  start: number;
  end: number;
  /** Past the peeled line, if there is one. */
  next: number;
}

function startOfRefs(data: Buffer): number {
  let at = 0;
  while (data[at] === HASH) at = endOf(data, at) + 1;
  return at;
}

function lineAt(data: Buffer, within: number, low: number): Line {
  let start = startOf(data, within, low);
  if (data[start] === CARET && start > low) start = startOf(data, start - 1, low);
  const end = endOf(data, start);
  const next = data[end + 1] === CARET ? endOf(data, end + 1) + 1 : end + 1;
  return { start, end, next };
}

function startOf(data: Buffer, within: number, low: number): number {
  let start = within;
  while (start > low && data[start - 1] !== NEWLINE) start--;
  return start;
}

function endOf(data: Buffer, from: number): number {
  const end = data.indexOf(NEWLINE, from);
  return end < 0 ? data.length : end;
}

function refAt(data: Buffer, { start, end, next }: Line): Ref {
  const oid = data.toString('latin1', start, start + OID_LENGTH);
  const name = data.toString('utf8', start + OID_LENGTH + 1, end);
  if (next === end + 1) return { name, oid };
  return { name, oid, peeled: data.toString('latin1', end + 2, end + 2 + OID_LENGTH) };
}
