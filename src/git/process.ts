import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import type { Log } from '../platform/log.ts';
import type { Metrics } from '../platform/metrics.ts';
import { type GitConfig, gitEnvironment } from './environment.ts';
import { type GitCommand, Lanes, type RunningGit } from './lanes.ts';
import { Places } from './places.ts';

/**
 * Every git process of the service starts here: no shell, a fixed environment and configuration (nothing of the machine's
 * own), a bound on how many run at once, on how long each runs and on how much it may answer.
 */

export interface GitStartOptions {
  cwd: string;
  config?: GitConfig;
  env?: Record<string, string>;
  /** Beside the three that every process has. */
  extraPipes?: number;
}

/** Starts git. For `GitRunner`, and for worker threads, which cannot share one and bound their own processes. */
export function startGit(args: string[], options: GitStartOptions): ChildProcessWithoutNullStreams {
  const child = spawn('git', args, {
    cwd: options.cwd,
    env: gitEnvironment(options.config, options.env),
    stdio: Array.from({ length: 3 + (options.extraPipes ?? 0) }, () => 'pipe' as const),
  }) as unknown as ChildProcessWithoutNullStreams;
  child.stdin.on('error', () => {}); // a process that ended early is told by its exit code, not by EPIPE
  return child;
}

export interface GitRunOptions extends Omit<GitStartOptions, 'extraPipes'> {
  input?: Buffer | string;
  signal?: AbortSignal | undefined;
  timeoutMs?: number;
  /** Above this many bytes of output the process is ended and GitOutputLimit thrown. */
  maxBytes?: number;
}

export interface GitResult {
  code: number;
  stdout: Buffer;
  stderr: string;
}

export class GitFailed extends Error {
  readonly code: number;
  readonly stderr: string;
  constructor(args: string[], code: number, stderr: string) {
    super(`git ${args[0]} ended with ${code}: ${stderr.trim().slice(0, 500)}`);
    this.name = 'GitFailed';
    this.code = code;
    this.stderr = stderr;
  }
}

export class GitOutputLimit extends Error {
  override name = 'GitOutputLimit';
}

export class GitTimeout extends Error {
  override name = 'GitTimeout';
}

export interface GitRunnerOptions {
  log: Log;
  metrics: Metrics;
  /** Short-lived processes at once; the rest wait in a queue. */
  maxProcesses?: number;
  /** What waits longer than this answers 503 with Retry-After. */
  maxWaitMs?: number;
  timeoutMs?: number;
}

export class GitRunner {
  readonly #options: Required<GitRunnerOptions>;
  readonly #places: Places;
  readonly #children = new Set<ChildProcessWithoutNullStreams>();
  readonly #lanes = new Lanes();
  readonly #started;

  constructor(options: GitRunnerOptions) {
    this.#options = { maxProcesses: 16, maxWaitMs: 30_000, timeoutMs: 60_000, ...options };
    this.#places = new Places(this.#options.maxProcesses, this.#options.maxWaitMs);
    this.#started = options.metrics.counter('ingot_git_processes_total', 'git processes started', [
      'command',
    ]);
    options.metrics.gauge('ingot_git_processes', 'git processes alive now', [], (g) =>
      g.set(this.#children.size + this.#lanes.busy),
    );
    options.metrics.gauge('ingot_git_queue_depth', 'git commands waiting for a free place', [], (g) =>
      g.set(this.#places.waiting),
    );
  }

  /** Runs to the end and returns what it printed; a non-zero exit throws GitFailed. */
  async run(args: string[], options: GitRunOptions): Promise<Buffer> {
    const result = await this.tryRun(args, options);
    if (result.code !== 0) throw new GitFailed(args, result.code, result.stderr);
    return result.stdout;
  }

  /** The same for commands whose exit code is an answer (`merge-tree`, `merge-base --is-ancestor`). */
  async tryRun(args: string[], options: GitRunOptions): Promise<GitResult> {
    const release = await this.acquire(options.signal);
    try {
      return await this.#collect(args, options);
    } finally {
      release();
    }
  }

  /** Waits for a free place, for a process that `spawn` starts. It is held until the returned function is called. */
  acquire(signal?: AbortSignal): Promise<() => void> {
    return this.#places.acquire(signal);
  }

  /** Starts a process whose streams the caller drives. It counts in the metrics and dies with the service, but takes no place: see acquire. */
  spawn(args: string[], options: GitStartOptions): ChildProcessWithoutNullStreams {
    const child = startGit(args, options);
    this.#children.add(child);
    this.#count(args);
    const gone = () => this.#children.delete(child);
    child.once('close', gone);
    child.once('error', gone);
    return child;
  }

  async #collect(args: string[], options: GitRunOptions): Promise<GitResult> {
    const { signal, timeoutMs = this.#options.timeoutMs, maxBytes = 256 * 1024 * 1024 } = options;
    const out: Buffer[] = [];
    let size = 0;
    let stderr = '';
    let failure: unknown;
    const running = this.#begin(args, options, {
      onOut(chunk) {
        size += chunk.length;
        if (size > maxBytes) end(new GitOutputLimit(`git ${args[0]} answered over ${maxBytes} bytes`));
        else out.push(chunk);
      },
      onError(chunk) {
        if (stderr.length < 16_384) stderr += chunk.toString('utf8');
      },
    });
    const end = (reason: unknown) => {
      failure ??= reason;
      running.kill();
    };
    const timer = setTimeout(
      () => end(new GitTimeout(`git ${args[0]} took over ${timeoutMs} ms`)),
      timeoutMs,
    );
    const abort = () => end(signal?.reason);
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, { once: true });
    try {
      const code = await running.ended;
      if (failure) throw failure;
      return { code, stdout: Buffer.concat(out), stderr };
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    }
  }

  /** Through a lane where one is free; what reads bytes has a process of its own. */
  #begin(
    args: string[],
    options: GitRunOptions,
    sinks: Pick<GitCommand, 'onOut' | 'onError'>,
  ): Pick<RunningGit, 'ended' | 'kill'> {
    const { cwd, input } = options;
    if (!Buffer.isBuffer(input)) {
      const env = gitEnvironment(options.config, options.env);
      const running = this.#lanes.run({ args, cwd, env, input, ...sinks });
      if (running) {
        this.#count(args);
        return running;
      }
    }
    const child = this.spawn(args, options);
    child.stdout.on('data', sinks.onOut);
    child.stderr.on('data', sinks.onError);
    child.stdin.end(input);
    const ended = new Promise<number>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (exit) => resolve(exit ?? -1));
    });
    return { ended, kill: () => child.kill('SIGKILL') };
  }

  #count(args: readonly string[]): void {
    this.#started.inc({ command: args.find((arg) => !arg.startsWith('-')) ?? 'git' });
  }

  /** Ends every process that is still alive. */
  close(): void {
    this.#lanes.close();
    for (const child of this.#children) child.kill('SIGKILL');
  }
}
