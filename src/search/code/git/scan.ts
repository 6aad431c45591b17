import type { CodeHit, CodePattern, CorpusName, PathFilter } from '../code-index.ts';
import { decodeHead, HEAD_BYTES } from '../decode-head.ts';
import { filterTest } from '../local/path-filter.ts';
import { compilePlan } from '../segment/plan.ts';
import { stretchesOf } from '../segment/stretches.ts';
import { readBlobs } from './blob-source.ts';
import { gitNeedle } from './git-needle.ts';
import { gitOutput, splitAtNuls } from './output.ts';
import { pathTest } from './path-test.ts';
import { type TreeFile, treeFiles } from './tree-files.ts';
import { WholeBlob } from './whole-blob.ts';

/** A search of one tree. */
export interface Scan {
  repository: string;
  commit: string;
  corpus: CorpusName;
  part: 'names' | 'contents';
  pattern: CodePattern;
  filters: readonly PathFilter[];
  limit: number;
}

/** As in the index: one blob is in memory as a whole. */
const MAX_BLOB_BYTES = 64 * 1024 * 1024;
/** Where git itself looks for a NUL. */
const BINARY_BYTES = 8000;
/** Blobs that one process reads. The first batches are small, because the first hits may be all that is asked for. */
const FIRST_BATCH = 20;
const LAST_BATCH = 500;
/** Of so few files it is quicker to read all than to have git look through the tree. */
const FEW_FILES = 200;
const THREADS = '--threads=2';

/** The hits that the index gives of the same tree. Throws InvalidPattern, GitFailed, the signal's reason. */
export function scan(call: Scan, signal: AbortSignal): Promise<CodeHit[]> {
  return call.part === 'names' ? scanNames(call, signal) : scanContents(call, signal);
}

async function scanNames(call: Scan, signal: AbortSignal): Promise<CodeHit[]> {
  const matches = pathTest(call.pattern);
  const found: TreeFile[] = [];
  for await (const file of selectedFiles(call, signal)) {
    if (matches(file.path)) found.push(file);
    if (found.length === call.limit) break;
  }
  const hits: CodeHit[] = [];
  for await (const { data } of readAll(call, found, HEAD_BYTES, signal)) {
    const { path, oid } = found[hits.length]!;
    hits.push({ corpus: call.corpus, path, blob: oid, startLine: 1, data: decodeHead(data) });
  }
  return hits;
}

async function scanContents(call: Scan, signal: AbortSignal): Promise<CodeHit[]> {
  const { matchingLines } = compilePlan(call.pattern);
  const hits: CodeHit[] = [];
  for await (const files of inBatches(candidates(call, signal))) {
    let index = 0;
    for await (const { data, cut } of readAll(call, files, MAX_BLOB_BYTES, signal)) {
      const { path, oid } = files[index++]!;
      if (cut || isBinary(data)) continue;
      const blob = new WholeBlob(data);
      const lines = (chunk: number) => matchingLines(blob.chunk(chunk));
      for (const stretch of stretchesOf(blob, lines, call.limit - hits.length)) {
        hits.push({ corpus: call.corpus, path, blob: oid, ...stretch });
      }
      if (hits.length >= call.limit) return hits;
    }
  }
  return hits;
}

const readAll = ({ repository }: Scan, files: TreeFile[], maxBytes: number, signal: AbortSignal) =>
  readBlobs(
    repository,
    files.map(({ oid }) => oid),
    { maxBytes, signal },
  );

const isBinary = (data: Buffer): boolean => data.subarray(0, BINARY_BYTES).includes(0);

/** Files that may have a hit, in order. Git leaves out most of them where it can look for a literal. */
async function* candidates(call: Scan, signal: AbortSignal): AsyncGenerator<TreeFile> {
  const needle = gitNeedle(call.pattern);
  const files = new Map<string, TreeFile>();
  for await (const file of selectedFiles(call, signal)) {
    if (needle === null) yield file;
    else files.set(file.rawPath, file);
  }
  if (needle === null) return;
  if (files.size <= FEW_FILES) yield* files.values();
  else yield* matchingFiles(call, needle, files, signal);
}

async function* selectedFiles(
  { repository, commit, filters }: Scan,
  signal: AbortSignal,
): AsyncGenerator<TreeFile> {
  const tests = filters.map(filterTest);
  for await (const file of treeFiles(repository, commit, signal)) {
    if (tests.every((test) => test.test(file.path))) yield file;
  }
}

/**
 * Those of the files in which git finds the needle. An id, not a name, stands where an option could be. Binary files are
 * looked into as well (`-a`): which files are binary is ours to say, and not for a `.gitattributes`.
 */
async function* matchingFiles(
  { repository, commit, pattern }: Scan,
  needle: string,
  files: ReadonlyMap<string, TreeFile>,
  signal: AbortSignal,
): AsyncGenerator<TreeFile> {
  const sensitivity = pattern.caseSensitive ? [] : ['-i'];
  const args = ['grep', '-l', '-z', '-a', '-F', THREADS, ...sensitivity, '-e', needle, commit, '--'];
  const prefix = commit.length + 1; // git writes `<commit>:<path>`
  for await (const name of splitAtNuls(gitOutput(repository, args, { signal, allowed: [1] }))) {
    const file = files.get(name.slice(prefix));
    if (file) yield file;
  }
}

async function* inBatches(files: AsyncIterable<TreeFile>): AsyncGenerator<TreeFile[]> {
  let size = FIRST_BATCH;
  let batch: TreeFile[] = [];
  for await (const file of files) {
    batch.push(file);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
    size = Math.min(size * 2, LAST_BATCH);
  }
  if (batch.length > 0) yield batch;
}
