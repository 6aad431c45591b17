import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fetchOk, now, run } from './measure.ts';

export const TOKEN = 'glpat-bench-token-of-root';
const START = fileURLToPath(new URL('../../src/start.js', import.meta.url));
/** Both as in the `start` script of package.json. */
const NODE_FLAGS = ['--max-semi-space-size=4'];
const MALLOC = { MALLOC_ARENA_MAX: '2', MALLOC_TRIM_THRESHOLD_: '131072' };

export async function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

/** The service as a process of its own, on an empty folder, as an operator starts it. */
export class Ingot {
  readonly url: string;
  readonly dataDir: string;
  /** From spawn to the first answer. */
  readonly startMs: number;
  readonly headers = { 'private-token': TOKEN };
  readonly #options: StartOptions;
  #child: ChildProcess;

  private constructor(child: ChildProcess, place: Place, options: StartOptions, startMs: number) {
    this.#child = child;
    this.#options = options;
    this.url = place.url;
    this.dataDir = place.dataDir;
    this.startMs = startMs;
  }

  static async start(options: StartOptions = {}): Promise<Ingot> {
    const dataDir = await mkdtemp(join(tmpdir(), 'ingot-bench-'));
    const place = { dataDir, url: `http://127.0.0.1:${await freePort()}` };
    const begin = now();
    const child = await serve(place, options);
    return new Ingot(child, place, options, now() - begin);
  }

  /** The same service on the same folder, in a new process. */
  restart(): Promise<void> {
    return this.pauseFor(() => {});
  }

  /** Does something to the folder while no service runs on it. */
  async pauseFor(work: () => void | Promise<void>): Promise<void> {
    await this.#end();
    await work();
    this.#child = await serve(this, this.#options);
  }

  /** Another command of the program on this folder, to its end. */
  async command(...args: string[]): Promise<void> {
    await run(process.execPath, [...NODE_FLAGS, START, ...args, '--data', this.dataDir]);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  async api<T>(method: string, path: string, body?: unknown): Promise<T> {
    const bytes = await fetchOk(`${this.url}/api/v4${path}`, {
      method,
      headers: { ...this.headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return bytes.length === 0 ? (null as T) : (JSON.parse(bytes.toString()) as T);
  }

  /** Address for git, with the token as password. */
  gitUrl(path: string): string {
    return `${this.url.replace('http://', `http://root:${TOKEN}@`)}/${path}.git`;
  }

  /** Folder of a project's repository, below `repositories`. */
  async storagePath(project: number): Promise<string> {
    const { DatabaseSync } = await import('node:sqlite');
    const database = new DatabaseSync(join(this.dataDir, 'ingot.db'), { readOnly: true });
    const row = database.prepare('select storage_path from projects where id = ?').get(project);
    database.close();
    return String(row?.['storage_path']);
  }

  /** Waits until events are handled and no git process works in the background; those that are kept for the next question do not count. */
  async settled(): Promise<void> {
    await this.#until((metric) => {
      const working =
        metric('ingot_git_processes') - metric('ingot_git_readers') - metric('ingot_git_standing_diffs');
      return working + metric('ingot_outbox_depth') + metric('ingot_housekeeping_queue_depth') === 0;
    });
  }

  /** Waits until there is no git process at all any more. */
  async alone(): Promise<void> {
    await this.settled();
    await this.#until((metric) => metric('ingot_git_processes') === 0);
  }

  /** Until it holds five times in a row. */
  async #until(holds: (metric: (name: string) => number) => boolean): Promise<void> {
    for (let quiet = 0; quiet < 5; ) {
      const text = (await fetchOk(`${this.url}/-/metrics`)).toString();
      const metric = (name: string) => Number(new RegExp(`^${name} (\\d+)`, 'm').exec(text)?.[1] ?? 0);
      quiet = holds(metric) ? quiet + 1 : 0;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }

  async stop(): Promise<void> {
    await this.#end();
    await rm(this.dataDir, { recursive: true, force: true });
  }

  async #end(): Promise<void> {
    const gone = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill('SIGTERM');
    await gone;
  }
}

interface StartOptions {
  demo?: boolean;
  env?: NodeJS.ProcessEnv;
}

interface Place {
  url: string;
  dataDir: string;
}

async function serve({ url, dataDir }: Place, { demo, env }: StartOptions): Promise<ChildProcess> {
  const args = [
    START,
    'serve',
    '--data',
    dataDir,
    '--port',
    new URL(url).port,
    ...(demo ? [] : ['--no-demo']),
  ];
  const child = spawn(process.execPath, [...NODE_FLAGS, ...args], {
    env: { ...process.env, ...MALLOC, INGOT_ROOT_TOKEN: TOKEN, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await untilAnswers(`${url}/-/liveness`, child);
  return child;
}

export async function untilAnswers(url: string, child: ChildProcess): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`the process ended with ${child.exitCode}`);
    const answered = await fetch(url).then(
      (response) => response.ok,
      () => false,
    );
    if (answered) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Resident memory in MB: the process alone, or with everything it started. */
export function memoryOf(pid: number, { tree = true } = {}): number {
  const own = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  return tree ? own + childrenOf(pid).reduce((sum, child) => sum + memoryOf(child), 0) : own;
}

export function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );
}
