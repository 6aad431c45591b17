/**
 * The port of the code index: exact search in the files of many trees. `local/` is the adapter that comes with Ingot;
 * `contract/` is the suite that every adapter passes.
 *
 * A corpus is one searchable tree: the default branch of a project's repository, or that of its wiki. Visibility is no
 * matter of the index: each search names the corpora in which the caller may look.
 */
export type CorpusName = `project:${number}` | `wiki:${number}`;

/** Where a corpus stands: a commit, whose objects are in a bare repository on this machine. */
export interface CorpusState {
  /** Absolute path of the bare repository. */
  repository: string;
  /** Object id of the commit. */
  commit: string;
}

export interface CodeIndex {
  /**
   * Makes the corpus what the tree of that commit holds, whatever it held before. Reads only blobs that no corpus holds
   * yet. Once it is fulfilled the change is searchable and survives a crash; when it is rejected, or the process ends
   * midway, the corpus is what it was before. Updates of one corpus must not overlap.
   */
  update(corpus: CorpusName, state: CorpusState, options?: UpdateOptions): Promise<void>;
  /** Takes corpora out; those that are not there do not matter. */
  remove(corpora: readonly CorpusName[]): Promise<void>;
  /** The commit of each corpus that is indexed, of those asked for. */
  commits(corpora: readonly CorpusName[]): ReadonlyMap<CorpusName, string>;
  /** Every corpus that is indexed, with its commit. */
  corpora(): ReadonlyMap<CorpusName, string>;
  search(query: CodeQuery, signal?: AbortSignal): Promise<CodeAnswer>;
  status(): CodeIndexStatus;
  close(): Promise<void>;
}

export interface UpdateOptions {
  signal?: AbortSignal;
  /** Called now and then while blobs are read. */
  onProgress?: (progress: UpdateProgress) => void;
}

/** What this update reads: commits or blobs which the index does not hold yet. */
export interface UpdateProgress {
  what: 'commits' | 'files';
  done: number;
  total: number;
}

export interface CodeQuery {
  /** In this order come the hits. Those that are not indexed do not matter. */
  corpora: readonly CorpusName[];
  /** `names` looks in paths, `contents` in lines of files. */
  part: 'names' | 'contents';
  pattern: CodePattern;
  filters: readonly PathFilter[];
  /** How many hits to look for at most; there may be more then, and `truncated` says so. */
  limit: number;
  /** How many of them to give, all where it is not said; of the others it is only told that they are there, which takes less. */
  shown?: number;
  /**
   * With `names`: the contents are looked for as well, so far, unless there are `limit` names. Asked for together they take one
   * way to a thread and back.
   */
  contents?: { limit: number; shown: number };
}

/** The second half of a query for names and contents. */
export const contentsOf = ({ contents, ...query }: CodeQuery): CodeQuery => ({
  ...query,
  ...contents,
  part: 'contents',
});

export type CodePattern =
  | { kind: 'literal'; text: string; caseSensitive: boolean }
  /** Linear in time whatever the expression; `InvalidPattern` for one that cannot be read or run so. */
  | { kind: 'regex'; source: string; caseSensitive: boolean };

/**
 * `filename:`, `path:` and `extension:`: `pattern` is a literal but for `*` (any run of characters), compared without
 * regard to case with the end of the path, any part of it, and `.pattern` with its end.
 */
export interface PathFilter {
  kind: 'filename' | 'path' | 'extension';
  pattern: string;
  negated: boolean;
}

export interface CodeAnswer {
  /** By corpus as asked for, in it by path in byte order, in that by line. */
  hits: CodeHit[];
  /** How many hits there are, with those that are not given: at most `limit`. */
  found: number;
  /** Whether the search ended because it had `limit` hits. */
  truncated: boolean;
  /** Where they were asked for with the names, and there were fewer names than looked for. */
  contents?: CodeAnswer;
}

export interface CodeHit {
  corpus: CorpusName;
  /** The path as git has it, read as UTF-8; bytes that are none are decoded as the shared `decodeText` does. */
  path: string;
  /** Object id. */
  blob: string;
  /** Number of the first line of `data`, from 1. */
  startLine: number;
  /**
   * For contents: one stretch of lines, two before and two after each matching line, stretches that touch joined, each
   * line ended by a newline. For names: the first 1,024 bytes of the blob.
   */
  data: string;
}

export interface CodeIndexStatus {
  /** Distinct blobs. */
  blobs: number;
  /** On disk, all files of the index together. */
  bytes: number;
  segments: number;
  corpora: number;
}

/** The expression cannot be read, or not be run in bounded time. The message is for the caller. */
export class InvalidPattern extends Error {
  override name = 'InvalidPattern';
}

/** A corpus that was asked for is no longer in the index, because a file of it proved damaged: its repository is to be read. */
export class CorpusLost extends Error {
  override name = 'CorpusLost';
}

/** More searches wait than the index can serve soon: to be answered with 503 and `Retry-After`. */
export class CodeIndexBusy extends Error {
  override name = 'CodeIndexBusy';
}
