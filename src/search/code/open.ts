import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Core } from '../../core/core.ts';
import { fail } from '../../platform/errors.ts';
import { IndexWithCommits } from '../commit-index/beside-code.ts';
import { type CommitIndex, openCommitIndex } from '../commit-index/commit-index.ts';
import type { CodeIndex, CorpusName } from './code-index.ts';
import { CodeSearch } from './code-search.ts';
import { findCorpus } from './corpora.ts';
import { followAllEvents, witnessOwnEvents } from './follow-events.ts';
import { GitSearch } from './git/git-search.ts';
import { claimIndexFolder, type IndexFolder } from './index-folder.ts';
import { Indexer } from './indexer.ts';
import { LazyIndex } from './lazy-index.ts';
import type { LocalCodeIndexOptions } from './local/local-index.ts';
import { ProgressReport } from './progress-report.ts';
import { findStale } from './reconcile.ts';
import { NO_INDEX, type SearchStatus, statusOf } from './status.ts';

export interface CodeSearchServiceOptions {
  dataDir: string;
  /** False leaves every search to git, and those over many projects out. */
  index: boolean;
  /** Told when the threads of a large index are ready for searches in these corpora. */
  onAwake?: (corpora: readonly CorpusName[]) => void;
}

/** After a failure to compare all projects with the index. */
const FIRST_WAIT_MS = 1000;
const MAX_WAIT_MS = 60_000;

/** So long a search for commits waits for what is being indexed. */
const SETTLE_MS = 500;

/** Code search with what keeps its index right. */
export interface CodeSearchService {
  search: CodeSearch;
  /** The commits of all projects, after a moment for what was just pushed. Throws 503 where there is no index. */
  commits(): Promise<CommitIndex>;
  status(): SearchStatus;
  /** Begins to index, in the background. */
  start(): Promise<void>;
  /** Resolves when everything is indexed but for what fails. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

export function openCodeSearch(core: Core, options: CodeSearchServiceOptions): CodeSearchService {
  const folder = options.index ? claimIndexFolder(options.dataDir) : null;
  if (options.index && !folder)
    core.log.warn('too many processes have a code index here: this one goes without');
  return folder ? new IndexedCodeSearch(core, folder, options) : new PlainCodeSearch(core);
}

/** Without an index: git answers. */
class PlainCodeSearch implements CodeSearchService {
  readonly search: CodeSearch;
  readonly #git: GitSearch;

  constructor({ log, metrics }: Core) {
    this.#git = new GitSearch(log);
    this.search = new CodeSearch({ index: null, isSettled: () => false, git: this.#git, log, metrics });
  }

  commits = () => Promise.reject(fail.unavailable());
  status = () => NO_INDEX;
  async start() {}
  async idle() {}
  close = () => this.#git.close();
}

class IndexedCodeSearch implements CodeSearchService {
  readonly search: CodeSearch;
  readonly #core: Core;
  readonly #folder: IndexFolder;
  readonly #onAwake: CodeSearchServiceOptions['onAwake'];
  readonly #index: LazyIndex;
  readonly #indexer: Indexer;
  readonly #git: GitSearch;
  readonly #report: ProgressReport;
  readonly #follower: ReturnType<typeof followAllEvents>;
  readonly #stop = new AbortController();
  /** There when the index is open. */
  #commits: CommitIndex | null = null;
  /** From the start on until all projects were compared with the index. */
  #comparing = false;
  #compared: Promise<void> | null = null;

  constructor(core: Core, folder: IndexFolder, { onAwake }: CodeSearchServiceOptions) {
    const { clock, log, metrics, events } = core;
    this.#core = core;
    this.#folder = folder;
    this.#onAwake = onAwake;
    this.#git = new GitSearch(log);
    this.#index = new LazyIndex(() => this.#open(), { clock, log });
    this.#report = new ProgressReport({ status: () => this.status(), file: folder.progress, log });
    this.#indexer = new Indexer({
      index: () => this.#index.get(),
      find: (name) => findCorpus(core, name),
      clock,
      log,
      metrics,
      onBusy: () => this.#report.begin(),
      onIdle: () => this.#report.end(),
    });
    const touch = (name: CorpusName) => this.#indexer.touch(name);
    this.#follower = followAllEvents({ events, log }, touch);
    witnessOwnEvents(events, touch);
    metrics.gauge('ingot_search_indexed_blobs', 'distinct blobs in the code index', [], (gauge) =>
      gauge.set(this.status().indexed_blobs),
    );
    this.search = new CodeSearch({
      index: () => this.#index.get(),
      isSettled: (name) => this.#compared !== null && !this.#comparing && !this.#indexer.isPending(name),
      git: this.#git,
      log,
      metrics,
    });
  }

  async commits(): Promise<CommitIndex> {
    await Promise.race([this.idle(), sleep(SETTLE_MS, undefined, { ref: false })]);
    await this.#index.get();
    return this.#commits!;
  }

  status(): SearchStatus {
    return statusOf({
      indexer: this.#indexer,
      index: this.#index.opened,
      comparing: this.#comparing,
      clock: this.#core.clock,
    });
  }

  /** The end of the log is read before the projects are: what comes between is seen by both. */
  async start(): Promise<void> {
    const { database, events } = this.#core;
    // SQLite has one process, whose own events are all that there are.
    if (database.dialect === 'postgres') this.#follower.start(await events.position());
    this.#comparing = true;
    this.#compared = this.#compare();
  }

  async idle(): Promise<void> {
    await this.#compared;
    await this.#indexer.idle();
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#compared;
    await this.#follower.stop();
    await this.#indexer.stop();
    await this.#index.close();
    await this.#git.close();
    this.#folder.release();
  }

  async #open(): Promise<CodeIndex> {
    const { git, log } = this.#core;
    const commits = openCommitIndex({ dir: dirname(this.#folder.index), git: git.runner, log });
    try {
      const onLost = (names: readonly CorpusName[]) => {
        for (const name of names) this.#indexer.touch(name);
      };
      // Before, git would have to search what the index does not hold yet.
      const onAwake = async (names: readonly CorpusName[]) => {
        await this.idle();
        this.#onAwake?.(names);
      };
      const code = await openLocal(this.#core, { dir: this.#folder.index, onLost, onAwake });
      this.#commits = commits;
      return new IndexWithCommits(code, commits);
    } catch (error) {
      commits.close();
      throw error;
    }
  }

  /** Until it has succeeded every search compares for itself: nothing is missed, it only takes longer. */
  async #compare(): Promise<void> {
    const { signal } = this.#stop;
    const touch = (name: CorpusName) => this.#indexer.touch(name, { urgent: false });
    const index = { open: () => this.#index.get(), isThere: existsSync(this.#folder.index) };
    for (let wait = FIRST_WAIT_MS; !signal.aborted; wait = Math.min(wait * 2, MAX_WAIT_MS)) {
      try {
        await findStale(this.#core, index, touch, signal);
        break;
      } catch (error) {
        this.#core.log.error({ err: error }, 'the projects could not be compared with the code index');
      }
      await sleep(wait, undefined, { signal, ref: false }).catch(() => {}); // the loop sees that it was stopped
    }
    this.#comparing = false;
    if (!this.#indexer.busy) this.#report.end();
  }
}

/** Loaded only when there is code to index. */
async function openLocal(
  { log, metrics }: Core,
  options: Pick<LocalCodeIndexOptions, 'dir' | 'onLost' | 'onAwake'>,
): Promise<CodeIndex> {
  const { openLocalCodeIndex } = await import('./local/local-index.ts');
  return openLocalCodeIndex({ ...options, log, metrics });
}
