import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { resolve } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { gitEnvironment } from './environment.ts';

/** One git process to run, and who listens to it. */
export interface GitCommand {
  args: readonly string[];
  cwd: string;
  /** All of it, as `gitEnvironment` makes it. */
  env: NodeJS.ProcessEnv;
  /** Whole lines; nothing when it is empty. */
  input?: string | undefined;
  onOut(chunk: Buffer): void;
  onError(chunk: Buffer): void;
}

export interface RunningGit {
  /** The exit code, once all output was handed over; rejects when it could not be started. */
  ended: Promise<number>;
  kill(): void;
  /** Whether what it prints is handed on: for listeners that are slower than git. */
  flow(on: boolean): void;
}

/** More git processes at once than this are started the slow way. */
const MAX_LANES = 4;
/** The shell has it in memory. */
const MAX_INPUT = 256 * 1024;

/**
 * Shells that stand ready to start git. A fork copies the page tables of whoever asks for it: out of a service of 200 MB that takes 10 to
 * 15 ms, in which nothing else happens; out of a shell of 1 MB it takes one.
 */
export class Lanes {
  readonly #lanes = new Set<Lane>();
  readonly #max: number;
  #closed = false;

  constructor(max = MAX_LANES) {
    this.#max = max;
  }

  /** Null when every lane is taken, or when the command is not one that a lane can run. */
  run(command: GitCommand): RunningGit | null {
    if (this.#closed || !fitsLane(command)) return null;
    const lane = [...this.#lanes].find((one) => one.idle) ?? this.#open();
    return lane?.run(command) ?? null;
  }

  /** Processes alive now. */
  get busy(): number {
    return [...this.#lanes].filter((lane) => !lane.idle).length;
  }

  #open(): Lane | null {
    if (this.#lanes.size >= this.#max) return null;
    const lane = new Lane(() => this.#lanes.delete(lane));
    this.#lanes.add(lane);
    return lane;
  }

  close(): void {
    this.#closed = true;
    for (const lane of this.#lanes) lane.close();
  }
}

/** Shells know no NUL, and a text in a script ends with a line. */
function fitsLane({ args, input = '' }: GitCommand): boolean {
  const isText = !input.includes('\0') && (input === '' || input.endsWith('\n'));
  return isText && input.length <= MAX_INPUT && !args.some((arg) => arg.includes('\0'));
}

/** What one run still waits for: the end of both outputs, and the exit code. */
interface Run {
  command: GitCommand;
  out: Tail;
  error: Tail;
  /** Lines on the third output. */
  report: string;
  killed: boolean;
  ended: PromiseWithResolvers<number>;
}

/** What the shell says instead of a process id when the folder is not there. */
const GONE = 'gone';

/** The whole lines of the report. */
function told({ report }: Run): { pid?: string | undefined; code?: string | undefined } {
  const [pid, code] = report.split('\n').slice(0, -1);
  return { pid, code };
}

class Lane {
  readonly #shell: ChildProcess;
  /** Printed after each run; nobody who can make git print something knows it. */
  readonly #mark = randomBytes(16).toString('hex');
  readonly #environment = gitEnvironment();
  readonly #onGone: () => void;
  #run: Run | null = null;

  constructor(onGone: () => void) {
    this.#shell = spawn('sh', ['-s'], { env: this.#environment, stdio: ['pipe', 'pipe', 'pipe', 'pipe'] });
    this.#onGone = onGone;
    const gone = (error?: Error) => {
      onGone();
      this.#run?.ended.reject(error ?? new Error('the shell that starts git is gone'));
      this.#run = null;
    };
    this.#shell.once('error', gone);
    this.#shell.once('close', () => gone());
    this.#input.on('error', () => {}); // a shell that is gone is told by `close`
    this.#input.write("trap '' INT\n"); // Ctrl-C is for the service, which lets work under way end
    this.#listen(1, (run, chunk) => run.out.push(chunk));
    this.#listen(2, (run, chunk) => run.error.push(chunk));
    this.#listen(3, (run, chunk) => this.#report(run, chunk));
  }

  get #input(): Writable {
    return this.#shell.stdio[0] as Writable;
  }

  #listen(output: 1 | 2 | 3, hear: (run: Run, chunk: Buffer) => void): void {
    (this.#shell.stdio[output] as Readable).on('data', (chunk: Buffer) => {
      if (!this.#run) return;
      hear(this.#run, chunk);
      this.#endIfComplete(this.#run);
    });
  }

  get idle(): boolean {
    return this.#run === null;
  }

  run(command: GitCommand): RunningGit {
    const ended = Promise.withResolvers<number>();
    const run: Run = {
      command,
      out: new Tail(this.#mark, command.onOut),
      error: new Tail(this.#mark, command.onError),
      report: '',
      killed: false,
      ended,
    };
    this.#run = run;
    this.#hold(true);
    this.#input.write(this.#script(command));
    const flow = (on: boolean) => {
      if (run === this.#run) this.#flow(on);
    };
    return { ended: ended.promise, kill: () => this.#kill(run), flow };
  }

  /**
   * A process id and an exit code on the third output, or `gone` when the folder is; then the mark on the two others. Single quotes
   * leave nothing for the shell to read in what callers send.
   */
  #script({ args, cwd, env, input = '' }: GitCommand): string {
    const settings = Object.entries(env).flatMap(([name, value]) =>
      value === this.#environment[name] ? [] : [`${name}=${quoted(value ?? '')}`],
    );
    const git = [...settings, 'git', ...args.map(quoted)].join(' ');
    const [from, text] = input === '' ? ['</dev/null', ''] : [`<<'${this.#mark}'`, `\n${input}${this.#mark}`];
    const tell = `${git} ${from} 3>&- & echo $! >&3; wait $!; echo $? >&3${text}`;
    const mark = `printf ${this.#mark}; printf ${this.#mark} >&2`;
    // The shell stays where it went last, so the folder must not be a relative one.
    return `if cd ${quoted(resolve(cwd))} 2>/dev/null\nthen ${tell}\nelse echo ${GONE} >&3\nfi; ${mark}\n`;
  }

  /** Whether the shell keeps the service from ending by itself: only while it runs something. */
  #hold(on: boolean): void {
    for (const handle of [this.#shell, ...(this.#shell.stdio as unknown as Socket[])]) {
      if (on) handle.ref();
      else handle.unref();
    }
  }

  #flow(on: boolean): void {
    const output = this.#shell.stdio[1] as Readable;
    if (on) output.resume();
    else output.pause();
  }

  #report(run: Run, chunk: Buffer): void {
    run.report += chunk.toString('latin1');
    const { pid } = told(run);
    if (run.killed && pid !== undefined) this.#kill(run);
  }

  #kill(run: Run): void {
    run.killed = true;
    if (run === this.#run) this.#flow(true); // its end comes after what it has printed
    const { pid, code } = told(run);
    // Once the shell has told how it ended, its number may be another's.
    if (pid === undefined || pid === GONE || code !== undefined) return;
    try {
      process.kill(Number(pid), 'SIGKILL');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // it has ended just now
    }
  }

  #endIfComplete(run: Run): void {
    const { pid, code } = told(run);
    const complete = run.out.ended && run.error.ended && (pid === GONE || code !== undefined);
    if (!complete) return;
    this.#run = null;
    this.#flow(true);
    this.#hold(false);
    // Helpers of a process that was killed may still hold the outputs, and would speak in the next run.
    if (run.killed) this.close();
    if (pid === GONE) run.ended.reject(noFolder(run.command.cwd));
    else run.ended.resolve(Number(code));
  }

  close(): void {
    if (this.#run) this.#kill(this.#run);
    this.#onGone();
    this.#shell.kill('SIGKILL');
  }
}

/** One output of a run: hands on what comes before the mark. */
class Tail {
  readonly #mark: string;
  readonly #sink: (chunk: Buffer) => void;
  /** Bytes that may be the beginning of the mark. */
  #kept: Buffer = Buffer.alloc(0);
  ended = false;

  constructor(mark: string, sink: (chunk: Buffer) => void) {
    this.#mark = mark;
    this.#sink = sink;
  }

  /** The mark comes last of all, so only the end of what has come has to be looked at. */
  push(chunk: Buffer): void {
    const all = this.#kept.length === 0 ? chunk : Buffer.concat([this.#kept, chunk]);
    const cut = Math.max(0, all.length - this.#mark.length);
    this.ended = all.subarray(cut).equals(Buffer.from(this.#mark));
    if (cut > 0) this.#sink(all.subarray(0, cut));
    this.#kept = this.ended ? Buffer.alloc(0) : all.subarray(cut);
  }
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** The same that `spawn` gives. */
const noFolder = (cwd: string): Error =>
  Object.assign(new Error(`spawn git ENOENT: no folder ${cwd}`), { code: 'ENOENT', syscall: 'spawn git' });
