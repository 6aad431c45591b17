import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WorkTree } from '../../../git/testing.ts';
import type { CorpusName, CorpusState } from '../code-index.ts';

/** Repositories to index, and what git itself finds in them. */

export interface Sources extends AsyncDisposable {
  make(corpus: CorpusName): Promise<Source>;
}

export async function openSources(): Promise<Sources> {
  const folder = await mkdtemp(join(tmpdir(), 'ingot-index-'));
  let count = 0;
  return {
    make: async (corpus) => new Source(corpus, await WorkTree.create(join(folder, `w${++count}`))),
    async [Symbol.asyncDispose]() {
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const WORDS = [
  'alpha',
  'Beta',
  'gamma',
  'DELTA\tx',
  'a',
  'straße',
  'Äpfel',
  'äpfel',
  'f(x).',
  'ТЕСТ',
  'тест',
  '',
];

/** A corpus and the work tree that its history is made in. */
export class Source {
  readonly corpus: CorpusName;
  readonly work: WorkTree;
  #commit = '';
  #files: string[] = [];

  constructor(corpus: CorpusName, work: WorkTree) {
    this.corpus = corpus;
    this.work = work;
  }

  /** The last commit that was made here. */
  state(): CorpusState {
    return { repository: join(this.work.path, '.git'), commit: this.#commit };
  }

  /** Commits the work tree with these files written. */
  async save(files: Record<string, string | Buffer>): Promise<void> {
    this.#commit = await this.work.save(files);
  }

  async commitIndex(): Promise<void> {
    await this.work.git('commit', '--quiet', '--allow-empty', '-m', 'Change');
    await this.adoptHead();
  }

  /** After git has been asked to make a commit in another way. */
  async adoptHead(): Promise<void> {
    this.#commit = await this.work.git('rev-parse', 'HEAD');
  }

  link(path: string, target: string): Promise<void> {
    return symlink(target, join(this.work.path, path));
  }

  /** A file whose name no file system has to take. */
  async saveRaw(path: Buffer, content: string): Promise<void> {
    const hash = await this.work.run(['hash-object', '-w', '--stdin'], { input: content });
    const oid = hash.toString('latin1').trim();
    const row = Buffer.concat([Buffer.from(`100644 ${oid}\t`), path, Buffer.from('\0')]);
    await this.work.run(['update-index', '-z', '--index-info'], { input: row });
    await this.commitIndex();
  }

  async submodule(path: string): Promise<void> {
    await this.work.git('update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},${path}`);
    await this.commitIndex();
  }

  /** Makes git forget every commit that `branch` does not reach. */
  async dropUnreachable(branch: string): Promise<void> {
    for (const other of (await this.work.git('branch', '--format=%(refname:short)')).split('\n'))
      if (other !== branch) await this.work.git('branch', '-q', '-D', other);
    await this.work.git('reflog', 'expire', '--expire=now', '--all');
    await this.work.git('prune', '--expire=now');
  }

  /** A push of some files that come, change and go. */
  async saveRandom(random: () => number): Promise<void> {
    const below = (limit: number) => Math.floor(random() * limit);
    const pick = (from: readonly string[]) => from[below(from.length)]!;
    const gone = this.#files.filter(() => random() < 0.1);
    if (gone.length > 0) await this.work.git('rm', '-q', '--', ...gone);
    const files: Record<string, string> = {};
    for (let left = 1 + below(4); left > 0; left--) {
      const lines = Array.from({ length: below(60) }, () =>
        Array.from({ length: below(4) }, () => pick(WORDS)).join(' '),
      );
      files[`${pick(['', 'src/', 'src/deep/', 'Ω/'])}f${below(30)}${pick(['.c', '', '.md'])}`] =
        lines.join('\n');
    }
    this.#files = [
      ...new Set([...this.#files.filter((file) => !gone.includes(file)), ...Object.keys(files)]),
    ];
    await this.save(files);
  }
}

/** A stretch of lines as the index gives it. */
export interface FoundStretch {
  path: string;
  startLine: number;
  data: string;
}

/** What `git grep` finds in the last commit, ignoring case. */
export async function grep(source: Pick<Source, 'work' | 'state'>, text: string): Promise<FoundStretch[]> {
  const { commit } = source.state();
  const args = ['grep', '-n', '-I', '-i', '-F', '-z', '-C2', '-e', text, commit];
  const printed = await source.work.run(args).catch((error: Error) => {
    if (error.message.endsWith(': ')) return Buffer.alloc(0); // nothing found is an exit code, without a word
    throw error;
  });
  const stretches: FoundStretch[] = [];
  let open: FoundStretch | undefined;
  for (const row of printed.toString('utf8').split('\n')) {
    const [place, number, line] = row.split('\0');
    if (line === undefined) {
      open = undefined; // `--` between stretches
      continue;
    }
    const path = place!.slice(commit.length + 1);
    if (open?.path !== path) {
      open = { path, startLine: Number(number), data: '' };
      stretches.push(open);
    }
    open.data += `${line}\n`;
  }
  return stretches;
}
