import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import type { Log } from '../platform/log.ts';
import type { Metrics } from '../platform/metrics.ts';
import { Places } from './places.ts';

/**
 * Every git process of the service starts here: no shell, a fixed environment and configuration (nothing of the machine's
 * own), a bound on how many run at once, on how long each runs and on how much it may answer.
 */

const FIXED_CONFIG: Record<string, string> = {
  'core.hooksPath': '/dev/null',
  'core.quotePath': 'false',
  'core.fsmonitor': 'false',
  'core.attributesFile': '/dev/null',
  'core.commitGraph': 'true',
  'gc.auto': '0',
  'maintenance.auto': 'false',
  'protocol.allow': 'never',
  'safe.directory': '*',
  'advice.detachedHead': 'false',
};

/** Settings of one git process; a list gives a setting several values (`uploadpack.hideRefs`). */
export type GitConfig = Record<string, string | readonly string[]>;

/** The environment of a git process: a short list of its own, no inherited GIT_ variable, no prompts, no system or user configuration. */
export function gitEnvironment(
  config: GitConfig = {},
  extra: Record<string, string> = {},
): NodeJS.ProcessEnv {
  const entries = Object.entries({ ...FIXED_CONFIG, ...config }).flatMap(([key, values]) =>
    [values].flat().map((value) => [key, value] as const),
  );
  const environment: NodeJS.ProcessEnv = {
    PATH: process.env['PATH'],
    HOME: '/nonexistent',
    LC_ALL: 'C.UTF-8',
    TZ: 'UTC',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_LITERAL_PATHSPECS: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_CONFIG_COUNT: String(entries.length),
  };
  entries.forEach(([key, value], index) => {
    environment[`GIT_CONFIG_KEY_${index}`] = key;
    environment[`GIT_CONFIG_VALUE_${index}`] = value;
  });
  return Object.assign(environment, extra);
}

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
  readonly #started;

  constructor(options: GitRunnerOptions) {
    this.#options = { maxProcesses: 16, maxWaitMs: 30_000, timeoutMs: 60_000, ...options };
    this.#places = new Places(this.#options.maxProcesses, this.#options.maxWaitMs);
    this.#started = options.metrics.counter('ingot_git_processes_total', 'git processes started', [
      'command',
    ]);
    options.metrics.gauge('ingot_git_processes', 'git processes alive now', [], (g) =>
      g.set(this.#children.size),
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
    this.#started.inc({ command: args.find((arg) => !arg.startsWith('-')) ?? 'git' });
    const gone = () => this.#children.delete(child);
    child.once('close', gone);
    child.once('error', gone);
    return child;
  }

  async #collect(args: string[], options: GitRunOptions): Promise<GitResult> {
    const { signal, timeoutMs = this.#options.timeoutMs, maxBytes = 256 * 1024 * 1024 } = options;
    const child = this.spawn(args, options);
    const out: Buffer[] = [];
    let size = 0;
    let stderr = '';
    let failure: unknown;
    const end = (reason: unknown) => {
      failure ??= reason;
      child.kill('SIGKILL');
    };
    const timer = setTimeout(
      () => end(new GitTimeout(`git ${args[0]} took over ${timeoutMs} ms`)),
      timeoutMs,
    );
    const abort = () => end(signal?.reason);
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, { once: true });
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) end(new GitOutputLimit(`git ${args[0]} answered over ${maxBytes} bytes`));
      else out.push(chunk);
    });
    child.stderr.on('data', (chunk: Buffer) => {
      if (stderr.length < 16_384) stderr += chunk.toString('utf8');
    });
    child.stdin.end(options.input);
    try {
      const code = await new Promise<number>((resolve, reject) => {
        child.once('error', reject);
        child.once('close', (exit) => resolve(exit ?? -1));
      });
      if (failure) throw failure;
      return { code, stdout: Buffer.concat(out), stderr };
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    }
  }

  /** Ends every process that is still alive. */
  close(): void {
    for (const child of this.#children) child.kill('SIGKILL');
  }
}
