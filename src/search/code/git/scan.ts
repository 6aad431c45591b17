import { GitFailed } from '../../../git/process.ts';
import type { CodeHit, CodePattern, CorpusName, PathFilter } from '../code-index.ts';
import { type GitSource, gitOutput, type ReadBlob, readBlobs } from '../local/git-reader.ts';
import { decodeHead, patternTest } from '../local/names.ts';
import { ScanBudget, scanBlob } from '../local/oversized.ts';
import { filterTest } from '../local/path-filter.ts';
import { HEAD_BYTES } from '../local/segment-output.ts';
import { compilePlan, type SearchPlan } from '../segment/match/plan.ts';
import { type Stretch, stretchesOf } from '../segment/match/stretches.ts';
import { gitNeedle } from './git-needle.ts';
import { splitAtNuls, type TreeFile, treeFiles } from './tree-files.ts';
import { WholeBlob } from './whole-blob.ts';

/** A search of one tree. */
export interface Scan extends GitSource {
  commit: string;
  corpus: CorpusName;
  part: 'names' | 'contents';
  pattern: CodePattern;
  filters: readonly PathFilter[];
  limit: number;
}

/** Of a larger blob only a piece at a time is in memory. */
const WHOLE_BYTES = 8 * 1024 * 1024;
/** Where git itself looks for a NUL. */
const BINARY_BYTES = 8000;
/** Blobs that one process reads. The first batches are small, because the first hits may be all that is asked for. */
const FIRST_BATCH = 20;
const LAST_BATCH = 500;
/** Of so few files it is quicker to read all than to have git look through the tree. */
const FEW_FILES = 200;
const THREADS = '--threads=2';
/** How `git grep` ends then. */
const NOTHING_FOUND = 1;

/** The hits that the index gives of the same tree. Throws InvalidPattern, GitFailed, the signal's reason. */
export async function scan(call: Scan, signal: AbortSignal): Promise<CodeHit[]> {
  const hits: CodeHit[] = [];
  const found = call.part === 'names' ? hitsInNames(call, signal) : hitsInContents(call, signal);
  for await (const hit of found) {
    hits.push(hit);
    if (hits.length >= call.limit) break;
  }
  return hits;
}

async function* hitsInNames(call: Scan, signal: AbortSignal): AsyncGenerator<CodeHit> {
  const pattern = patternTest(call.pattern);
  const limits = { maxBytes: HEAD_BYTES, headBytes: HEAD_BYTES };
  for await (const files of inBatches(selectedFiles(call, signal, (path) => pattern.test(path)))) {
    for await (const [{ path, oid }, { data }] of readFiles(call, files, { ...limits, signal })) {
      yield { corpus: call.corpus, path, blob: oid, startLine: 1, data: decodeHead(data) };
    }
  }
}

async function* hitsInContents(call: Scan, signal: AbortSignal): AsyncGenerator<CodeHit> {
  const plan = compilePlan(call.pattern);
  const limits = { maxBytes: WHOLE_BYTES, headBytes: BINARY_BYTES };
  for await (const files of inBatches(candidates(call, signal))) {
    for await (const [{ path, oid }, blob] of readFiles(call, files, { ...limits, signal })) {
      for await (const { startLine, data } of stretchesIn(blob, plan, call, signal)) {
        yield { corpus: call.corpus, path, blob: oid, startLine, data };
      }
    }
  }
}

async function* readFiles(
  source: Scan,
  files: readonly TreeFile[],
  options: { maxBytes: number; headBytes: number; signal: AbortSignal },
): AsyncGenerator<[TreeFile, ReadBlob]> {
  const oids = files.map(({ oid }) => oid);
  let index = 0;
  for await (const blob of readBlobs(source, oids, options)) yield [files[index++]!, blob];
}

function stretchesIn(
  { oid, data, whole }: ReadBlob,
  plan: SearchPlan,
  { repository, lanes, limit }: Scan,
  signal: AbortSignal,
): Iterable<Stretch> | AsyncIterable<Stretch> {
  if (data.subarray(0, BINARY_BYTES).includes(0)) return [];
  if (!whole) return scanBlob({ repository, lanes, oid }, plan, new SignalBudget(signal));
  const blob = new WholeBlob(data);
  return stretchesOf(blob, (piece) => plan.matchingLines(blob.piece(piece)), { limit }).stretches;
}

/** The time of the whole search bounds that of each large file. */
class SignalBudget extends ScanBudget {
  readonly #signal: AbortSignal;

  constructor(signal: AbortSignal) {
    super(Number.POSITIVE_INFINITY);
    this.#signal = signal;
  }

  override spent(): boolean {
    this.#signal.throwIfAborted();
    return false;
  }
}

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
  { repository, lanes, commit, filters }: Scan,
  signal: AbortSignal,
  isWanted: (path: string) => boolean = () => true,
): AsyncGenerator<TreeFile> {
  const tests = filters.map(filterTest);
  for await (const file of treeFiles({ repository, lanes }, commit, signal)) {
    if (isWanted(file.path) && tests.every((test) => test.test(file.path))) yield file;
  }
}

/**
 * Those of the files in which git finds the needle. An id, not a name, stands where an option could be. Binary files are
 * looked into as well (`-a`): which files are binary is ours to say, and not for a `.gitattributes`.
 */
async function* matchingFiles(
  { repository, lanes, commit, pattern }: Scan,
  needle: string,
  files: ReadonlyMap<string, TreeFile>,
  signal: AbortSignal,
): AsyncGenerator<TreeFile> {
  const sensitivity = pattern.caseSensitive ? [] : ['-i'];
  const args = ['grep', '-l', '-z', '-a', '-F', THREADS, ...sensitivity, '-e', needle, commit, '--'];
  const prefix = commit.length + 1; // git writes `<commit>:<path>`
  try {
    for await (const name of splitAtNuls(gitOutput({ repository, lanes }, args, '', signal))) {
      const file = files.get(name.slice(prefix));
      if (file) yield file;
    }
  } catch (error) {
    if (!(error instanceof GitFailed) || error.code !== NOTHING_FOUND) throw error;
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
