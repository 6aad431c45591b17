import { access } from 'node:fs/promises';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Counter } from 'prom-client';
import { type Clock, systemClock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import type { Metrics } from '../platform/metrics.ts';
import {
  type BackgroundGit,
  MAINTENANCE_LIMITS,
  type MaintenanceLimits,
  maintenanceTasks,
} from './maintenance.ts';
import type { GitRunner } from './process.ts';
import { ProcessOutput } from './process-output.ts';

export interface HousekeepingOptions {
  runner: GitRunner;
  log: Log;
  metrics: Metrics;
  clock?: Clock;
  /** Repositories worked on at once. */
  concurrency?: number;
  /** Pushes within this time are answered by one run. */
  delayMs?: number;
  limits?: Partial<MaintenanceLimits>;
}

/**
 * Keeps repositories fast after they changed: commit graph, packed refs, few packs, bitmaps. Runs in the background, one
 * repository at a time at low priority, and outside the places of requests. Every step may be cut off at any moment: git
 * replaces files only when their successors are complete.
 */
export class Housekeeping {
  readonly #options: HousekeepingOptions;
  readonly #limits: MaintenanceLimits;
  readonly #clock: Clock;
  readonly #runs: Counter;
  readonly #stop = new AbortController();
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #queue = new Set<string>();
  readonly #running = new Map<string, Promise<void>>();
  #idle: (() => void)[] = [];

  constructor(options: HousekeepingOptions) {
    const { metrics } = options;
    this.#options = options;
    this.#limits = { ...MAINTENANCE_LIMITS, ...options.limits };
    this.#clock = options.clock ?? systemClock;
    this.#runs = metrics.counter('ingot_housekeeping_runs_total', 'housekeeping tasks by outcome', [
      'task',
      'result',
    ]);
    metrics.gauge('ingot_housekeeping_queue_depth', 'repositories waiting for housekeeping', [], (gauge) =>
      gauge.set(this.#timers.size + this.#queue.size),
    );
  }

  /** Notes that the repository at this absolute path has changed. Returns at once. */
  afterPush(path: string): void {
    if (this.#stop.signal.aborted || this.#timers.has(path) || this.#queue.has(path)) return;
    const start = () => {
      this.#timers.delete(path);
      this.#queue.add(path);
      this.#next();
    };
    this.#timers.set(path, setTimeout(start, this.#options.delayMs ?? 5_000));
  }

  /** Resolves when nothing waits and nothing runs. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      this.#idle.push(resolve);
      this.#settle();
    });
  }

  /** Drops what waits, ends what runs, and resolves when no process is left. */
  async stop(): Promise<void> {
    this.#stop.abort(new Error('housekeeping was stopped'));
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
    this.#queue.clear();
    this.#settle();
    await Promise.all(this.#running.values());
  }

  #next(): void {
    for (const path of this.#queue) {
      if (this.#running.size >= (this.#options.concurrency ?? 1)) return;
      if (this.#running.has(path)) continue;
      this.#queue.delete(path);
      const done = () => {
        this.#running.delete(path);
        this.#next();
        this.#settle();
      };
      this.#running.set(path, this.#keep(path).then(done));
    }
  }

  #settle(): void {
    if (this.#timers.size + this.#queue.size + this.#running.size > 0) return;
    for (const resolve of this.#idle) resolve();
    this.#idle = [];
  }

  /** Never rejects: a step that fails is counted and told, and the next push tries again. */
  async #keep(path: string): Promise<void> {
    const tasks = maintenanceTasks(path, this.#gitIn(path), this.#limits, this.#clock.now());
    for (const [task, work] of tasks) {
      if (this.#stop.signal.aborted || !(await exists(path))) return;
      try {
        if (await work()) this.#runs.inc({ task, result: 'done' });
      } catch (error) {
        if (this.#stop.signal.aborted || !(await exists(path))) return;
        this.#runs.inc({ task, result: 'failed' });
        this.#options.log.warn({ err: error, task, path }, 'housekeeping failed');
      }
    }
  }

  #gitIn(path: string): BackgroundGit {
    return async (args, config = {}) => {
      const child = this.#options.runner.spawn(args, { cwd: path, config, env: { GIT_DIR: path } });
      lowerPriority(child.pid);
      const output = new ProcessOutput(child, { signal: this.#stop.signal });
      child.stdin.end();
      try {
        return await text(output);
      } finally {
        await output.gone();
      }
    };
  }
}

async function exists(path: string): Promise<boolean> {
  return access(join(path, 'HEAD')).then(
    () => true,
    () => false,
  );
}

function lowerPriority(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_LOW);
  } catch {
    // It ended already, or the system does not allow it: the work is then done at the usual priority.
  }
}
