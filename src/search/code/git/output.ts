import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { GitFailed, gitEnvironment } from '../../../git/process.ts';

const STDERR_LIMIT = 2_048;

export interface OutputOptions {
  signal: AbortSignal;
  input?: string;
  /** Exit codes that are no failure beside 0. */
  allowed?: readonly number[];
}

/**
 * What git prints, for a thread that cannot share the service's runner: the same fixed environment, no shell. The process ends
 * when the reader has had enough, or with the signal. Throws GitFailed, and the signal's reason.
 */
export async function* gitOutput(
  repository: string,
  args: string[],
  { signal, input = '', allowed = [] }: OutputOptions,
): AsyncGenerator<Buffer> {
  signal.throwIfAborted();
  const child = spawn('git', args, {
    cwd: repository,
    env: gitEnvironment({}, { GIT_DIR: repository }),
    stdio: 'pipe',
  }) as ChildProcessWithoutNullStreams;
  const end = () => child.kill('SIGKILL');
  signal.addEventListener('abort', end, { once: true });
  const ended = exitOf(child);
  ended.catch(() => {}); // looked at below, unless the reader has had enough before
  child.stdin.on('error', () => {}); // a process that ended early is told by its exit code, not by EPIPE
  child.stdin.end(input);
  try {
    yield* child.stdout as AsyncIterable<Buffer>;
    const { code, stderr } = await ended;
    signal.throwIfAborted();
    if (code !== 0 && !allowed.includes(code)) throw new GitFailed(args, code, stderr);
  } finally {
    signal.removeEventListener('abort', end);
    end();
  }
}

function exitOf(child: ChildProcessWithoutNullStreams): Promise<{ code: number; stderr: string }> {
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    if (stderr.length < STDERR_LIMIT) stderr += chunk.toString('utf8');
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code: code ?? -1, stderr }));
  });
}

/** The parts between NULs, one character for each byte. */
export async function* splitAtNuls(output: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of output) {
    const parts = (rest + chunk.toString('latin1')).split('\0');
    rest = parts.pop()!;
    yield* parts;
  }
}
