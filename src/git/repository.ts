import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { access, type FileHandle, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Git } from './git.ts';
import { GitFailed, type GitResult, type GitRunOptions } from './process.ts';
import { ProcessOutput } from './process-output.ts';
import { isValidBranchName } from './ref-name.ts';
import { breakAbandonedLocks } from './stale-files.ts';

export type RepositoryRunOptions = Omit<GitRunOptions, 'cwd'>;

export class RepositoryNotFound extends Error {
  override name = 'RepositoryNotFound';
}

export class RepositoryExists extends Error {
  override name = 'RepositoryExists';
}

// Letters that mean nothing to git, the shell or the file system; a part never begins with a dot or a dash.
const RELATIVE_PATH = /^(?:[A-Za-z0-9@_][A-Za-z0-9@_.-]*\/)*[A-Za-z0-9@_][A-Za-z0-9@_.-]*\.git$/;

const CONFIG = '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n';

// Copies of whole repositories, not questions: they may take their time.
const TRANSFER_TIMEOUT_MS = 30 * 60_000;

// A stream goes as fast as its reader, who may sit behind a slow line.
const STREAM_TIMEOUT_MS = 10 * 60_000;

// Two that set the default branch at once: each holds the lock for a millisecond or two.
const LOCK_ATTEMPTS = 50;
const LOCK_WAIT_MS = 10;

/** One bare repository, which may or may not exist on disk. */
export class Repository {
  readonly git: Git;
  /** Below the folder of all repositories; names it in caches. */
  readonly relativePath: string;
  /** On disk. */
  readonly path: string;

  constructor(git: Git, relativePath: string) {
    if (!RELATIVE_PATH.test(relativePath) || relativePath.includes('..'))
      throw new Error(`not a repository path: ${JSON.stringify(relativePath)}`);
    this.git = git;
    this.relativePath = relativePath;
    this.path = resolve(git.dir, relativePath);
  }

  async exists(): Promise<boolean> {
    try {
      await access(join(this.path, 'HEAD'));
      return true;
    } catch {
      return false; // no answer other than "not there" would help the caller
    }
  }

  /** Makes it, empty, in one step that others see wholly or not at all. Throws RepositoryExists. */
  async create(options: { defaultBranch: string }): Promise<void> {
    await this.#build(async (temporary) => {
      for (const below of ['objects/info', 'objects/pack', 'refs/heads', 'refs/tags'])
        await mkdir(join(temporary, below), { recursive: true });
      await this.#writeOwnFiles(temporary, options.defaultBranch);
    });
  }

  /** Removes it, with what killed processes left beside it half-made or half-removed. Doing so twice is no error. */
  async remove(): Promise<void> {
    this.git.batch.drop(this);
    this.git.diffs.drop(this);
    const trash = this.#temporaryName('gone');
    try {
      await rename(this.path, trash); // out of sight at once; deleting a large one takes a while
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
    for (const cache of Object.values(this.git.caches)) cache.forget(this);
    // A git process that outlived its service may still write there for a moment.
    const options = { recursive: true, force: true, maxRetries: 5 };
    for (const folder of await this.#leftBeside()) await rm(folder, options);
  }

  /** Name of the default branch (HEAD), without refs/heads/. The branch itself may not exist yet. Throws RepositoryNotFound. */
  async head(): Promise<string> {
    const text = await readFile(join(this.path, 'HEAD'), 'utf8').catch((error) => {
      throw this.#explain(error);
    });
    const match = /^ref: refs\/heads\/(.+)\n?$/.exec(text);
    if (!match) throw new Error(`HEAD of ${this.relativePath} names no branch`);
    return match[1]!;
  }

  /** Makes `branch` the default, whether it exists or not. */
  async setHead(branch: string): Promise<void> {
    assertBranch(branch);
    const lock = join(this.path, 'HEAD.lock'); // the name git itself locks by
    const file = await this.#openLock(lock);
    try {
      await file.writeFile(`ref: refs/heads/${branch}\n`);
      if (this.git.fsync) await file.datasync();
      await file.close();
      await rename(lock, join(this.path, 'HEAD'));
    } catch (error) {
      await rm(lock, { force: true });
      throw error;
    }
  }

  /** Becomes a copy of `other` (branches, tags, default branch). Objects are hard links where the disk allows it; nothing is shared later. */
  async cloneFrom(other: Repository, signal?: AbortSignal): Promise<void> {
    const head = await other.head();
    const clone = async (temporary: string) => {
      await this.git.runner.run(
        ['clone', '--quiet', '--bare', '--local', '--template=', '--', other.path, temporary],
        {
          cwd: dirname(temporary),
          config: { 'protocol.file.allow': 'always' },
          timeoutMs: TRANSFER_TIMEOUT_MS,
          signal,
        },
      );
      await this.#writeOwnFiles(temporary, head);
    };
    await this.#build(async (temporary) => {
      try {
        await clone(temporary);
      } catch (error) {
        // a repack of the source can take a file away between listing and linking; the second look sees the new ones
        if (!(error instanceof GitFailed)) throw error;
        await rm(temporary, { recursive: true, force: true });
        await clone(temporary);
      }
    });
  }

  /** Takes all branches and tags of a repository on this machine's disk, and its default branch. Existing refs of the same names are replaced. */
  async importFrom(pathOnDisk: string, signal?: AbortSignal): Promise<void> {
    const source = resolve(pathOnDisk);
    const options = {
      config: { 'protocol.file.allow': 'always' },
      timeoutMs: TRANSFER_TIMEOUT_MS,
      signal,
    };
    // upload-pack is a process of its own that drops our configuration, also that the owner may be another user
    const uploadPack = "--upload-pack=git -c safe.directory='*' upload-pack";
    await this.run(
      [
        'fetch',
        '--quiet',
        '--force',
        '--no-tags',
        '--no-write-fetch-head',
        '--update-head-ok',
        uploadPack,
        '--',
        source,
        '+refs/heads/*:refs/heads/*',
        '+refs/tags/*:refs/tags/*',
      ],
      options,
    );
    const listed = await this.run(['ls-remote', '--symref', uploadPack, '--', source, 'HEAD'], options);
    const branch = /^ref: refs\/heads\/(.+)\tHEAD$/m.exec(listed.toString('utf8'))?.[1];
    if (branch) await this.setHead(branch);
  }

  /** Runs git here to the end and returns what it printed. Throws GitFailed, RepositoryNotFound. */
  async run(args: string[], options: RepositoryRunOptions = {}): Promise<Buffer> {
    const result = await this.tryRun(args, options);
    if (result.code !== 0) throw new GitFailed(args, result.code, result.stderr);
    return result.stdout;
  }

  /** The same for commands whose exit code is an answer. */
  async tryRun(args: string[], options: RepositoryRunOptions = {}): Promise<GitResult> {
    try {
      return await this.git.runner.tryRun(args, { ...options, ...this.#place(options.env) });
    } catch (error) {
      throw this.#explain(error);
    }
  }

  /** Starts a process whose streams the caller drives. Takes no place in the queue: see GitRunner.acquire. */
  spawn(
    args: string[],
    options: Pick<RepositoryRunOptions, 'config' | 'env'> = {},
  ): ChildProcessWithoutNullStreams {
    return this.git.runner.spawn(args, { ...options, ...this.#place(options.env) });
  }

  /** What git prints, as a stream that owns the process and its place in the queue; a failure of git destroys it with GitFailed. */
  async stream(args: string[], options: RepositoryRunOptions = {}): Promise<ProcessOutput> {
    const { input, signal, timeoutMs = STREAM_TIMEOUT_MS } = options;
    const release = await this.git.runner.acquire(signal);
    const limit = AbortSignal.timeout(timeoutMs);
    try {
      const child = this.spawn(args, options);
      child.stdin.end(input);
      return new ProcessOutput(child, {
        signal: signal ? AbortSignal.any([signal, limit]) : limit,
        onClose: release,
      });
    } catch (error) {
      release(); // a NUL byte in an argument, or no file descriptor left: there is no process that would
      throw error;
    }
  }

  /** GIT_DIR is named so that git never looks for a repository in the folders above. */
  #place(env: Record<string, string> = {}) {
    return { cwd: this.path, env: { ...env, GIT_DIR: this.path } };
  }

  /** Waits a moment for who holds it; a lock that a killed process left is broken. */
  async #openLock(lock: string): Promise<FileHandle> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await open(lock, 'wx');
      } catch (error) {
        const isHeld = (error as NodeJS.ErrnoException).code === 'EEXIST' && attempt < LOCK_ATTEMPTS;
        if (!isHeld) throw this.#explain(error);
        if ((await breakAbandonedLocks(this.path)).length === 0) await sleep(LOCK_WAIT_MS);
      }
    }
  }

  /** A missing folder shows as ENOENT, from spawn as well as from a read. */
  #explain(error: unknown): unknown {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return error;
    return new RepositoryNotFound(`no repository at ${this.relativePath}`, { cause: error });
  }

  /** Folders that `#temporaryName` named. */
  async #leftBeside(): Promise<string[]> {
    const folder = dirname(this.path);
    try {
      const names = await readdir(folder);
      return names
        .filter((name) => name.startsWith(`.${basename(this.path)}.`))
        .map((name) => join(folder, name));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
  }

  #temporaryName(purpose: string): string {
    const unique = randomBytes(6).toString('hex');
    return join(dirname(this.path), `.${basename(this.path)}.${purpose}-${unique}`);
  }

  async #build(fill: (temporary: string) => Promise<void>): Promise<void> {
    if (await this.exists()) throw new RepositoryExists(`${this.relativePath} exists`);
    const temporary = this.#temporaryName('new');
    await mkdir(dirname(this.path), { recursive: true });
    try {
      await fill(temporary);
      await rename(temporary, this.path);
    } catch (error) {
      await rm(temporary, { recursive: true, force: true });
      const code = (error as NodeJS.ErrnoException).code;
      if (code === 'ENOTEMPTY' || code === 'EEXIST')
        throw new RepositoryExists(`${this.relativePath} exists`);
      throw error;
    }
  }

  async #writeOwnFiles(folder: string, defaultBranch: string): Promise<void> {
    assertBranch(defaultBranch);
    await this.#write(join(folder, 'config'), CONFIG);
    await this.#write(join(folder, 'HEAD'), `ref: refs/heads/${defaultBranch}\n`);
  }

  async #write(path: string, text: string): Promise<void> {
    await using file = await open(path, 'w');
    await file.writeFile(text);
    if (this.git.fsync) await file.datasync();
  }
}

function assertBranch(name: string): void {
  if (!isValidBranchName(name)) throw new Error(`not a branch name: ${JSON.stringify(name)}`);
}
