import type { Commit, Identity, ObjectType, Tag, TreeEntry } from './objects.ts';
import { pauses } from './pause.ts';
import { rowsOf } from './tree-bytes.ts';

/** The bytes of commits, trees and tags. Git lets nearly anything be pushed, so every part may be broken and still has to give a value. */

interface Header {
  fields: [key: string, value: Buffer][];
  message: Buffer;
}

/** Header lines up to the empty one; a line that begins with a space continues the one before. */
function splitHeader(data: Buffer): Header {
  const fields: Header['fields'] = [];
  let at = 0;
  while (at < data.length && data[at] !== 10) {
    let end = endOfLine(data, at);
    while (data[end + 1] === 32) end = endOfLine(data, end + 1);
    const space = data.indexOf(32, at);
    const key = data.toString('latin1', at, space < 0 ? end : Math.min(space, end));
    fields.push([key, data.subarray(Math.min(at + key.length + 1, end), end)]);
    at = end + 1;
  }
  const message = data.subarray(at + 1);
  const nul = message.indexOf(0); // where git itself stops reading
  return { fields, message: nul < 0 ? message : message.subarray(0, nul) };
}

function endOfLine(data: Buffer, from: number): number {
  const end = data.indexOf(10, from);
  return end < 0 ? data.length : end;
}

function field({ fields }: Header, key: string): Buffer | undefined {
  return fields.find(([name]) => name === key)?.[1];
}

/** Text in the encoding a commit names; UTF-8 when it names none or one that is not known. Invalid bytes are replaced. */
function decode(data: Buffer, encoding: string | undefined): string {
  const label = encoding?.trim().toLowerCase();
  if (!label || label === 'utf-8' || label === 'utf8') return data.toString('utf8');
  // TextDecoder reads this label as windows-1252; git's iconv does not
  if (label === 'iso-8859-1' || label === 'latin1' || label === 'latin-1') return data.toString('latin1');
  try {
    return new TextDecoder(label).decode(data);
  } catch {
    return data.toString('utf8'); // not an encoding that exists
  }
}

export function parseCommit(id: string, data: Buffer): Commit {
  const header = splitHeader(data);
  const encoding = field(header, 'encoding')?.toString('latin1');
  const identity = (key: string) => parseIdentity(decode(field(header, key) ?? Buffer.alloc(0), encoding));
  return {
    id,
    tree: field(header, 'tree')?.toString('latin1') ?? '',
    parents: header.fields.filter(([key]) => key === 'parent').map(([, value]) => value.toString('latin1')),
    author: identity('author'),
    committer: identity('committer'),
    message: decode(header.message, encoding),
  };
}

/** `Name <email> 1700000000 +0100`. Name and email end at the first brackets, the date begins after the last, as git reads it. */
export function parseIdentity(line: string): Identity {
  const open = line.indexOf('<');
  const close = line.indexOf('>', open);
  if (open < 0 || close < 0) return { name: line.trim(), email: '', date: 0, offset: '+00:00' };
  const name = line.slice(0, open).trim();
  const email = line.slice(open + 1, close).trim();
  return { name, email, ...parseDate(line.slice(line.lastIndexOf('>') + 1)) };
}

// the last moment that a Date can hold
const MAX_SECONDS = 8_640_000_000_000;

/** `1700000000 +0100`; anything else is the epoch. */
export function parseDate(text: string): Pick<Identity, 'date' | 'offset'> {
  const match = /^\s*(\d+)(?:\s+([+-])(\d{1,6}))?\s*$/.exec(text);
  const seconds = Number(match?.[1] ?? 0);
  if (!match || seconds > MAX_SECONDS) return { date: 0, offset: '+00:00' };
  return { date: seconds * 1000, offset: offsetOf(match[2] ?? '+', Number(match[3] ?? 0)) };
}

function offsetOf(sign: string, digits: number): string {
  const hours = Math.trunc(digits / 100);
  const minutes = digits % 100;
  if (hours > 23 || minutes > 59) return '+00:00'; // git.git itself has a commit at +051800
  return `${sign}${String(hours).padStart(2, '0')}:${String(minutes).padStart(2, '0')}`;
}

/** Entries up to the first broken one. */
export async function parseTree(data: Buffer): Promise<TreeEntry[]> {
  const entries: TreeEntry[] = [];
  const pause = pauses();
  for (const row of rowsOf(data)) {
    const mode = row.mode.padStart(6, '0');
    const oid = data.toString('hex', row.end - 20, row.end);
    // of its own, so that one kept name does not keep the whole tree's bytes
    const rawName = Buffer.from(row.name, 'latin1');
    entries.push({ mode, type: typeOfMode(mode), oid, name: rawName.toString('utf8'), rawName });
    await pause(); // folders of 100,000 files exist
  }
  return entries;
}

function typeOfMode(mode: string): TreeEntry['type'] {
  if (mode === '040000') return 'tree';
  return mode === '160000' ? 'commit' : 'blob';
}

export function parseTag(id: string, data: Buffer): Tag {
  const header = splitHeader(data);
  const encoding = field(header, 'encoding')?.toString('latin1');
  const tagger = field(header, 'tagger');
  return {
    id,
    object: field(header, 'object')?.toString('latin1') ?? '',
    type: (field(header, 'type')?.toString('latin1') ?? 'commit') as ObjectType,
    name: decode(field(header, 'tag') ?? Buffer.alloc(0), encoding),
    tagger: tagger ? parseIdentity(decode(tagger, encoding)) : null,
    message: decode(header.message, encoding),
  };
}

export interface CommitSignature {
  /** PGP, SSH or X.509 armour. */
  signature: string;
  /** What was signed: the commit without the signature. */
  payload: Buffer;
}

export function parseSignature(data: Buffer): CommitSignature | null {
  const end = data.indexOf('\n\n');
  const start = data.subarray(0, end < 0 ? data.length : end + 1).indexOf('\ngpgsig ') + 1;
  if (start === 0) return null;
  let stop = endOfLine(data, start) + 1;
  while (data[stop] === 32) stop = endOfLine(data, stop) + 1;
  const folded = data.toString('utf8', start + 'gpgsig '.length, stop);
  return {
    signature: folded.replaceAll('\n ', '\n').trimEnd(),
    payload: Buffer.concat([data.subarray(0, start), data.subarray(stop)]),
  };
}
