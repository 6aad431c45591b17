import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Core } from '../../core/core.ts';
import type { Slice } from '../../platform/http/byte-range.ts';
import type { ObjectStore } from '../../platform/objects/object-store.ts';
import { findArtifact, objectKey } from '../artifacts/store.ts';
import type { RunnersJob } from '../runners/job-runs-store.ts';
import type { JobRow } from '../tables.ts';
import { type Appended, LogAppender } from './append.ts';
import { type Claim, isAsClaimed } from './check.ts';
import { JobFacts, type SecretsOf } from './job-facts.ts';
import { LiveFiles } from './live-files.ts';
import { sealTrace } from './seal.ts';
import { findTrace, updateTrace } from './store.ts';
import { Watchers } from './watchers.ts';

export interface TraceDeps extends Pick<Core, 'database' | 'db' | 'settings' | 'clock' | 'log'> {
  objects: ObjectStore;
  /** Folder of the live logs, which all processes share. */
  dir: string;
  secretsOf: SecretsOf;
}

/** A log to be read, as long as it was when it was opened. */
export interface OpenLog {
  size: number;
  /** Once; or `close`. */
  read(slice?: Slice | null): Promise<Readable>;
  close(): Promise<void>;
}

/** One piece as it comes over the wire. */
export interface SentPiece {
  start: number;
  bytes: Buffer;
  /** The job's own, which is covered in the log. */
  token: string;
  /** Whether the job prints its variables. */
  debug: boolean;
}

const NOTE_ATTEMPTS = 100;
const NOTE_PAUSE_MS = 20;

/** How often a log that does not fit its checksum is asked for anew before the job is given up. */
const MAX_RESENDS = 2;

/** The logs of jobs: growing while the job runs, sealed in the object store when it has ended. */
export class Traces {
  readonly files: LiveFiles;
  readonly watchers = new Watchers();
  readonly #deps: TraceDeps;
  readonly #appender: LogAppender;
  readonly #facts: JobFacts;

  constructor(deps: TraceDeps) {
    this.#deps = deps;
    this.files = new LiveFiles(deps.dir);
    this.#appender = new LogAppender(this.files);
    this.#facts = new JobFacts(deps, deps.secretsOf);
  }

  /** Adds a piece. When it resolves, every reader of every process sees it, whatever becomes of this one. */
  async append(
    job: RunnersJob,
    { token, debug, ...piece }: SentPiece,
  ): Promise<Appended & { maxBytes: number }> {
    const { secrets, maxBytes } = await this.#facts.of(job, { token, debug });
    const appended = await this.#appender.append(job.id, { ...piece, secrets, maxBytes });
    if (appended.masked) await updateTrace(this.#deps.db, job.id, { masked: 1 });
    if (appended.outcome === 'written' || appended.outcome === 'full') this.watchers.wake(job.id);
    return { ...appended, maxBytes };
  }

  /** A line of the service's own at the end, for what the runner cannot say. */
  async note(jobId: number, text: string): Promise<void> {
    const bytes = Buffer.from(`\n\x1b[31;1mERROR: ${text}\x1b[0;m\n`);
    // A last piece may be on its way: what is to be said must stand behind it.
    for (let attempt = 0; attempt < NOTE_ATTEMPTS; attempt++) {
      const start = (await this.files.size(jobId)) ?? 0;
      const piece = { start, bytes, secrets: [], maxBytes: Number.MAX_SAFE_INTEGER };
      if ((await this.#appender.append(jobId, piece)).outcome === 'written') break;
      await sleep(NOTE_PAUSE_MS);
    }
    this.watchers.wake(jobId);
  }

  /**
   * Holds the log against what the runner says of it at its end. `resend`: it is another one, and begins anew, to be sent once more from
   * its first byte (the protocol's 412). `broken`: so it was again and again; the job must fail with `data_integrity_failure`, the log
   * says so.
   */
  async check(job: Pick<JobRow, 'id'>, claim: Claim): Promise<'whole' | 'resend' | 'broken'> {
    const { db } = this.#deps;
    const row = await findTrace(db, job.id);
    if (await isAsClaimed({ files: this.files, appender: this.#appender }, job.id, { claim, row })) {
      return 'whole';
    }
    const resends = row?.resends ?? 0;
    if (resends >= MAX_RESENDS) {
      await this.note(job.id, 'The log is not the one that the runner sent: parts of it may be missing.');
      return 'broken';
    }
    await updateTrace(db, job.id, { resends: resends + 1 });
    this.#appender.forget(job.id);
    await this.files.startOver(job.id);
    return 'resend';
  }

  /** Null where no runner has taken the job, and where it was erased. The live file comes first: it may be longer than what was sealed. */
  async open(job: Pick<JobRow, 'id' | 'started_at' | 'erased_at'>): Promise<OpenLog | null> {
    if (job.erased_at !== null) return null;
    const live = await this.#openLive(job.id);
    if (live) return live;
    const sealed = await findArtifact(this.#deps.db, job.id, 'trace');
    if (sealed) return this.#sealed(objectKey(sealed), sealed.size);
    return job.started_at === null ? null : { size: 0, read: async () => Readable.from([]), close: nothing };
  }

  /** Puts the log of a job that has ended into the object store; again, where it has grown since. */
  async seal(jobId: number): Promise<void> {
    await sealTrace({ ...this.#deps, files: this.files }, jobId);
    this.#appender.forget(jobId);
    this.watchers.wake(jobId);
  }

  async #openLive(jobId: number): Promise<OpenLog | null> {
    const file = await this.files.openToRead(jobId);
    if (!file) return null;
    const { size } = await file.stat();
    return {
      size,
      async read(slice) {
        if (size > 0) return file.createReadStream(slice ?? { start: 0, end: size - 1 });
        await file.close();
        return Readable.from([]);
      },
      close: () => file.close(),
    };
  }

  #sealed(key: string, size: number): OpenLog {
    const { objects } = this.#deps;
    return { size, read: (slice) => objects.get(key, slice ?? undefined), close: nothing };
  }
}

const nothing = async () => {};
