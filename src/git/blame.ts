import { fail } from '../platform/errors.ts';
import { splitLines } from './lines.ts';
import { GitFailed } from './process.ts';
import type { Repository } from './repository.ts';

export interface BlameOptions {
  /** Of the commit whose version of the file is asked about. */
  oid: string;
  path: string;
  /** First and last line, counted from 1. */
  range?: { start: number; end: number } | undefined;
  signal?: AbortSignal | undefined;
}

/** Neighbouring lines that came with the same commit. */
export interface BlameGroup {
  oid: string;
  lines: string[];
}

/** Lines and what git says about each: a file of some 200,000 lines. */
const MAX_BYTES = 32 * 1024 * 1024;
const HEADER = /^([0-9a-f]{40}|[0-9a-f]{64}) \d+ \d+/;
const TAB = 0x09;

/**
 * Which commit each line came with. A range that begins behind the end of the file gives no groups.
 * Throws 404 when the file is not there, GitOutputLimit when the answer is above 32 MB.
 */
export async function blame(repo: Repository, options: BlameOptions): Promise<BlameGroup[]> {
  const { oid, path, range, signal } = options;
  if (path.includes('\0')) throw fail.notFound('File');
  const lines = range ? ['-L', `${range.start},${range.end}`] : [];
  const stream = await repo.stream(['blame', '--porcelain', ...lines, oid, '--', path], { signal });
  try {
    return await group(splitLines(stream, MAX_BYTES));
  } catch (error) {
    if (!(error instanceof GitFailed)) throw error;
    if (/has only \d+ lines?/.test(error.stderr)) return [];
    if (/no such path|is outside repository/.test(error.stderr)) throw fail.notFound('File');
    throw error;
  }
}

/** The porcelain format: a header line for each line of the file, then facts about the commit, then a tab and the line itself. */
async function group(output: AsyncIterable<Buffer>): Promise<BlameGroup[]> {
  const groups: BlameGroup[] = [];
  let oid = '';
  for await (const line of output) {
    if (line[0] !== TAB) {
      oid = HEADER.exec(line.toString('latin1'))?.[1] ?? oid;
      continue;
    }
    const text = line.toString('utf8', 1);
    const last = groups.at(-1);
    if (last?.oid === oid) last.lines.push(text);
    else groups.push({ oid, lines: [text] });
  }
  return groups;
}
