import { renameSync, writeFileSync } from 'node:fs';
import type { Log } from '../../platform/log.ts';
import type { SearchStatus } from './status.ts';

const FILE_EVERY_MS = 500;
/** A build that takes longer is told of in the log, this often. */
const LOG_EVERY_MS = 5_000;

export interface ProgressReportOptions {
  status: () => SearchStatus;
  /** Where `ingot index` reads how far a running service is. */
  file: string;
  log: Log;
  logEveryMs?: number;
}

/** Tells how far long builds are while there are any: a line in the log, and a file for the command line. */
export class ProgressReport {
  readonly #options: ProgressReportOptions;
  #timers: NodeJS.Timeout[] = [];

  constructor(options: ProgressReportOptions) {
    this.#options = options;
  }

  begin(): void {
    this.#stop();
    this.#timers = [
      setInterval(() => this.#write(), FILE_EVERY_MS).unref(),
      setInterval(() => this.#say(), this.#options.logEveryMs ?? LOG_EVERY_MS).unref(),
    ];
  }

  /** Nothing is left to do; the file says so. */
  end(): void {
    this.#stop();
    this.#write();
  }

  #stop(): void {
    for (const timer of this.#timers) clearInterval(timer);
    this.#timers = [];
  }

  #say(): void {
    const { running, pending_projects: pending, failing } = this.#options.status();
    const builds = running.map((build) => ({
      project: build.project_id,
      ...(build.wiki && { wiki: true }),
      done: build.done,
      total: build.total,
      secondsLeft: build.seconds_left,
    }));
    this.#options.log.info({ pending, failing: failing.length, builds }, 'indexing code');
  }

  /** By renaming, so that a reader finds a whole one. */
  #write(): void {
    const { file, log } = this.#options;
    try {
      writeFileSync(`${file}.new`, JSON.stringify(this.#options.status()));
      renameSync(`${file}.new`, file);
    } catch (error) {
      log.debug({ err: error }, 'the progress of the code index could not be written down');
    }
  }
}
