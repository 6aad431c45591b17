import type { Core } from '../../core/core.ts';
import { projectSettings } from '../../core/projects/settings.ts';
import { LeaderTask } from '../../platform/leader-task.ts';
import type { ObjectStore } from '../../platform/objects/object-store.ts';
import { Pace } from '../../platform/pace.ts';
import { sealedTraces, settleTraces } from '../traces/store.ts';
import type { Traces } from '../traces/traces.ts';
import {
  type DoomedRow,
  deleteArtifacts,
  doomExpired,
  doomedArtifacts,
  doomStaleUploads,
  type ExpiredRow,
  type ExpiryCursor,
  expiredArtifacts,
  settingsOfProjects,
} from './expiry-store.ts';
import { newestSuccesses } from './locked-store.ts';
import { findArtifact, objectKey } from './store.ts';
import type { TraceRow } from './tables.ts';

/** Rows at once: their statements hold the event loop for two milliseconds on SQLite. */
const BATCH = 100;
/** Files at once: a thread removes them; handing them over holds the event loop for a millisecond. */
const FREED_AT_ONCE = 2000;
/** Rows of theirs at once: deleting one takes less than half of what dooming it takes. */
const DELETED_AT_ONCE = 250;
const EVERY_MS = 60_000;
/** An upload lasts less; one that is older has lost its process. */
const UPLOAD_MS = 24 * 3600_000;
/** A piece of a log that was let in right before the job ended has been written by then. */
const LATE_PIECE_MS = 60_000;

export interface Freed {
  files: number;
  bytes: number;
  /** Could not be removed now and will be tried again. */
  failed: number;
}

type Deps = Pick<Core, 'database' | 'db' | 'clock' | 'log' | 'metrics'> & {
  objects: ObjectStore;
  traces: Traces;
};

/** Frees the bytes of what has expired, of what nobody wants any more, and of live logs that were sealed. One process at a time does it. */
export class ArtifactSweep {
  readonly #deps: Deps;
  readonly #task: LeaderTask;
  readonly #pace = new Pace();

  constructor(deps: Deps) {
    this.#deps = deps;
    const { database, log } = deps;
    const work = async (signal: AbortSignal) => {
      await this.run(signal);
      return null;
    };
    this.#task = new LeaderTask({ database, log, name: 'artifacts', pollMs: EVERY_MS, work });
  }

  start(): void {
    this.#task.start();
  }

  /** There is something to free. */
  wake(): void {
    this.#task.wake();
  }

  stop(): Promise<void> {
    return this.#task.stop();
  }

  /** One pass over everything that is due, or as far as the signal lets it. What fails stays, and comes again with the next pass. */
  async run(signal?: AbortSignal): Promise<Freed> {
    const { db, clock, log, metrics } = this.#deps;
    const began = performance.now();
    const freed: Freed = { files: 0, bytes: 0, failed: 0 };
    await doomStaleUploads(db, clock.now() - UPLOAD_MS);
    await this.#freeDoomed(freed, signal);
    await this.#freeExpired(freed, signal);
    await this.#removeLiveLogs(signal);
    metrics.counter('ingot_artifacts_freed_total', 'Files of jobs whose bytes were freed').inc(freed.files);
    metrics.counter('ingot_artifacts_freed_bytes_total', 'Bytes of jobs that were freed').inc(freed.bytes);
    metrics.counter('ingot_artifacts_free_failures_total', 'Files that could not be freed').inc(freed.failed);
    if (freed.files + freed.failed > 0) {
      log.info({ ...freed, ms: Math.round(performance.now() - began) }, 'artifacts freed');
    }
    return freed;
  }

  /** The next ones are doomed while the bytes of those before are freed: the one takes the database, the other the disk. */
  async #freeExpired(freed: Freed, signal?: AbortSignal): Promise<void> {
    const now = this.#deps.clock.now();
    let freeing = Promise.resolve();
    let after: ExpiryCursor | null = { expireAt: -1, id: 0 };
    try {
      while (after !== null && !signal?.aborted) {
        const doomed: DoomedRow[] = [];
        while (after !== null && doomed.length < FREED_AT_ONCE) {
          const from: ExpiryCursor = after;
          after = await this.#pace.run(() => this.#doomNext(from, now, doomed));
        }
        await freeing;
        freeing = this.#free(doomed, freed);
        freeing.catch(() => {}); // told when it is waited for, which may be a while
      }
    } finally {
      await freeing;
    }
  }

  /** Returns the cursor behind what it has looked at; null at the end. */
  async #doomNext(after: ExpiryCursor, now: number, doomed: DoomedRow[]): Promise<ExpiryCursor | null> {
    const { db } = this.#deps;
    const rows = await expiredArtifacts(db, { now, after, limit: BATCH });
    const locked = await this.#lockedAmong(rows);
    const ids = rows.filter(({ pipeline_id }) => !locked.has(pipeline_id)).map(({ id }) => id);
    doomed.push(...(await doomExpired(db, ids, now)));
    const last = rows.at(-1);
    return rows.length < BATCH || !last ? null : { expireAt: last.expire_at, id: last.id };
  }

  /** Pipelines whose artifacts outlast their expiry: the newest successful ones, where their project keeps those. */
  async #lockedAmong(rows: readonly ExpiredRow[]): Promise<Set<number>> {
    const { db } = this.#deps;
    const settings = await settingsOfProjects(db, [...new Set(rows.map(({ project_id }) => project_id))]);
    const keeping = rows.filter(({ project_id }) => {
      const stored = settings.get(project_id);
      return stored !== undefined && projectSettings({ settings: stored }).keep_latest_artifact;
    });
    return newestSuccesses(db, [...new Set(keeping.map(({ pipeline_id }) => pipeline_id))]);
  }

  /** What was doomed before, by whomever. */
  async #freeDoomed(freed: Freed, signal?: AbortSignal): Promise<void> {
    for (let after = 0; !signal?.aborted; ) {
      const rows = await doomedArtifacts(this.#deps.db, after, FREED_AT_ONCE);
      await this.#free(rows, freed);
      if (rows.length < FREED_AT_ONCE) return;
      after = rows.at(-1)!.id;
    }
  }

  /** Bytes first, then the row: killed in between, the next pass finds the row again and no bytes. */
  async #free(rows: readonly DoomedRow[], freed: Freed): Promise<void> {
    if (rows.length === 0) return;
    const { db, objects, log } = this.#deps;
    const failures = await objects.deleteMany(rows.map(objectKey));
    const gone = rows.filter((row) => !failures.has(objectKey(row)));
    for (let i = 0; i < gone.length; i += DELETED_AT_ONCE) {
      const ids = gone.slice(i, i + DELETED_AT_ONCE).map(({ id }) => id);
      await this.#pace.run(() => deleteArtifacts(db, ids));
    }
    freed.files += gone.length;
    freed.bytes += gone.reduce((sum, { size }) => sum + size, 0);
    freed.failed += failures.size;
    const [failure] = failures;
    if (failure)
      log.warn({ key: failure[0], err: failure[1], failed: failures.size }, 'artifacts were not freed');
  }

  async #removeLiveLogs(signal?: AbortSignal): Promise<void> {
    const { database, db, clock } = this.#deps;
    const before = clock.now() - LATE_PIECE_MS;
    for (;;) {
      const rows = await sealedTraces(db, before, BATCH);
      const removed: number[] = [];
      for (const row of rows) if (await this.#removeLiveLog(row)) removed.push(row.job_id);
      await database.transaction((tx) => settleTraces(tx, removed));
      // those that have grown were sealed just now, and are not due again
      if (rows.length < BATCH || signal?.aborted) return;
    }
  }

  /** False where it has grown since it was sealed: then it is sealed anew and waits once more. */
  async #removeLiveLog({ job_id: jobId, sealed_at }: TraceRow): Promise<boolean> {
    const { db, traces } = this.#deps;
    const sealed = sealed_at === 0 ? undefined : await findArtifact(db, jobId, 'trace');
    if (sealed && ((await traces.files.size(jobId)) ?? 0) > sealed.size) {
      await traces.seal(jobId);
      return false;
    }
    await traces.files.remove(jobId);
    return true;
  }
}
