import { GitFailed, type GitRunner } from '../../git/process.ts';
import type { StoredCommit } from './store.ts';

/** Where commits are read from. */
export interface Source {
  git: GitRunner;
  /** Absolute path of the bare repository. */
  repository: string;
  signal: AbortSignal | undefined;
}

/** Read by one process. */
const BATCH = 500;
/** What is longer is no message; its beginning is searched. */
const MAX_MESSAGE = 20_000;
/** A whole history takes a while. */
const TIMEOUT_MS = 10 * 60_000;

/** Commits behind `tip` and not behind `without`, newest first; null when git does not know one of the two. */
export async function commitIds(
  { git, repository, signal }: Source,
  tip: string,
  without: string | null,
): Promise<string[] | null> {
  const args = ['rev-list', tip, ...(without === null ? [] : [`^${without}`])];
  const { code, stdout, stderr } = await git.tryRun(args, { cwd: repository, signal, timeoutMs: TIMEOUT_MS });
  if (code === 0) return stdout.toString('latin1').split('\n').slice(0, -1);
  if (without !== null && /bad object|bad revision|could not|missing/i.test(stderr)) return null;
  throw new GitFailed(args, code, stderr);
}

/** Their messages, batch by batch. */
export async function* readMessages(source: Source, ids: readonly string[]): AsyncGenerator<StoredCommit[]> {
  for (let at = 0; at < ids.length; at += BATCH) yield readBatch(source, ids.slice(at, at + BATCH));
}

// Fields that cannot hold a NUL; %B is the message in UTF-8, whatever the commit's own encoding.
const FIELDS = ['%H', '%ct', '%an <%ae>', '%B'];

async function readBatch({ git, repository, signal }: Source, ids: string[]): Promise<StoredCommit[]> {
  const args = [
    'log',
    '--no-walk=unsorted',
    '--stdin',
    '-z',
    '--no-color',
    `--format=${FIELDS.join('%x00')}`,
  ];
  const output = await git.run(args, { cwd: repository, signal, input: `${ids.join('\n')}\n` });
  const parts = output.toString('utf8').split('\0');
  return Array.from({ length: Math.floor(parts.length / FIELDS.length) }, (_, index) => {
    const [sha, time, author, message] = parts.slice(index * FIELDS.length, (index + 1) * FIELDS.length);
    return { sha: sha!, committedAt: Number(time), author: author!, message: message!.slice(0, MAX_MESSAGE) };
  });
}
