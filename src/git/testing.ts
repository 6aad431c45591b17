import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createLog } from '../platform/log.ts';
import { Metrics } from '../platform/metrics.ts';
import { gitEnvironment } from './environment.ts';
import { type Git, type GitOptions, openGit } from './git.ts';
import type { Repository } from './repository.ts';

/** What a test needs: a folder of repositories, and a work tree in which stock git makes history. */

export interface TestGit extends AsyncDisposable {
  git: Git;
  folder: string;
  metrics: Metrics;
  /** A new work tree of stock git. */
  workTree(name?: string): Promise<WorkTree>;
  /** A bare repository with everything the work tree has. */
  import(work: WorkTree, relativePath?: string): Promise<Repository>;
  /** A new, empty bare repository. */
  empty(relativePath?: string): Promise<Repository>;
}

export async function openTestGit(options: Partial<GitOptions> = {}): Promise<TestGit> {
  const folder = await mkdtemp(join(tmpdir(), 'ingot-git-'));
  const metrics = new Metrics();
  const git = openGit({
    dir: join(folder, 'repos'),
    log: createLog('silent'),
    metrics,
    fsync: false,
    ...options,
  });
  let count = 0;
  const empty = async (relativePath = `r${++count}.git`) => {
    const repo = git.repository(relativePath);
    await repo.create({ defaultBranch: 'main' });
    return repo;
  };
  return {
    git,
    folder,
    metrics,
    empty,
    workTree: (name = `w${++count}`) => WorkTree.create(join(folder, name)),
    async import(work, relativePath) {
      const repo = await empty(relativePath);
      await repo.importFrom(work.path);
      return repo;
    },
    async [Symbol.asyncDispose]() {
      await git.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export interface CommitOptions {
  /** Seconds since the epoch; the default grows by a minute with each commit. */
  at?: number;
  zone?: string;
  author?: string;
  email?: string;
  allowEmpty?: boolean;
}

/** A work tree driven by stock git. */
export class WorkTree {
  readonly path: string;
  #clock = 1_700_000_000;

  constructor(path: string) {
    this.path = path;
  }

  static async create(path: string): Promise<WorkTree> {
    await mkdir(path, { recursive: true });
    const work = new WorkTree(path);
    await work.git('init', '--quiet', '--initial-branch=main', '--template=', '.');
    return work;
  }

  /** Standard output without its last line break. */
  async git(...args: string[]): Promise<string> {
    return (await this.run(args)).toString('utf8').replace(/\n$/, '');
  }

  run(
    args: string[],
    options: { env?: Record<string, string>; input?: Buffer | string } = {},
  ): Promise<Buffer> {
    const env = {
      ...gitEnvironment({ 'protocol.allow': 'always' }),
      ...identity(this.#clock),
      ...options.env,
    };
    return new Promise((resolve, reject) => {
      const settings = { cwd: this.path, env, encoding: 'buffer' as const, maxBuffer: 1 << 28 };
      const child = execFile('git', args, settings, (error, stdout, stderr) => {
        if (error) reject(new Error(`git ${args.join(' ')}: ${stderr.toString('utf8')}`));
        else resolve(stdout);
      });
      child.stdin?.end(options.input);
    });
  }

  async write(file: string, content: string | Buffer): Promise<void> {
    await mkdir(dirname(join(this.path, file)), { recursive: true });
    await writeFile(join(this.path, file), content);
  }

  /** Adds everything and commits it; returns the id. */
  async commit(message: string | Buffer, options: CommitOptions = {}): Promise<string> {
    this.#clock += 60;
    const { at = this.#clock, zone = '+0100', author = 'Ann', email = 'ann@example.com' } = options;
    const env = { ...identity(at, zone), GIT_AUTHOR_NAME: author, GIT_AUTHOR_EMAIL: email };
    await this.run(['add', '--all']);
    const args = ['commit', '--quiet', '--cleanup=verbatim', '--allow-empty-message', '-F', '-'];
    if (options.allowEmpty) args.push('--allow-empty');
    await this.run(args, { env, input: message });
    return this.git('rev-parse', 'HEAD');
  }

  /** Writes files and commits them. */
  async save(
    files: Record<string, string | Buffer>,
    message = 'Change',
    options?: CommitOptions,
  ): Promise<string> {
    for (const [file, content] of Object.entries(files)) await this.write(file, content);
    return this.commit(message, options);
  }
}

function identity(at: number, zone = '+0100'): Record<string, string> {
  return {
    GIT_AUTHOR_NAME: 'Ann',
    GIT_AUTHOR_EMAIL: 'ann@example.com',
    GIT_AUTHOR_DATE: `@${at} ${zone}`,
    GIT_COMMITTER_NAME: 'Cid',
    GIT_COMMITTER_EMAIL: 'cid@example.com',
    GIT_COMMITTER_DATE: `@${at} ${zone}`,
  };
}
