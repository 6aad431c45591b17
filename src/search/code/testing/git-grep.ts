import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { gitEnvironment } from '../../../git/environment.ts';

const run = promisify(execFile);

/** A stretch of lines as a test expects it. */
export interface Expected {
  path: string;
  startLine: number;
  data: string;
}

/** What `git grep -i -F -C2` finds, as stretches: the truth that every way to search is held against. */
export async function gitGrep(
  repository: string,
  commit: string,
  text: string,
  { caseSensitive = false } = {},
): Promise<Expected[]> {
  const options = ['-z', '-n', '-I', '-F', '-C2', ...(caseSensitive ? [] : ['-i'])];
  const printed = await gitText(repository, ['grep', ...options, '-e', text, commit, '--']);
  const stretches: Expected[] = [];
  let next = { path: '', line: 0 };
  for (const [, path = '', number, line] of printed.matchAll(/^[0-9a-f]{40}:([^\0]*)\0(\d+)\0(.*\n)/gm)) {
    const at = Number(number);
    if (path === next.path && at === next.line) stretches.at(-1)!.data += line;
    else stretches.push({ path, startLine: at, data: line! });
    next = { path, line: at + 1 };
  }
  return stretches;
}

/** Standard output of git; nothing found is no failure. */
export async function gitText(repository: string, args: string[]): Promise<string> {
  const options = { env: gitEnvironment({}, { GIT_DIR: repository }), maxBuffer: 1 << 28 };
  const printed = await run('git', args, options).catch((error: { code: number; stdout: string }) => {
    if (error.code === 1) return { stdout: error.stdout };
    throw error;
  });
  return printed.stdout;
}
