import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { access, chmod, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const NAME = 'gitlab-runner-17.9.0-linux-amd64';
const PACKED = fileURLToPath(new URL(`../../../shared/tools/${NAME}.xz`, import.meta.url));

/** Why tests with the stock runner are left out where there is none. */
export const NO_RUNNER = `no gitlab-runner here: set GITLAB_RUNNER to the path of one, or put ${NAME}.xz into ../shared/tools (xz unpacks it)`;

const isThere = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

/** Path of the stock gitlab-runner: `GITLAB_RUNNER`, else the packed one beside the project, unpacked once a machine; null without. */
export async function runnerBinary(): Promise<string | null> {
  const given = process.env['GITLAB_RUNNER'];
  if (given) return given;
  const unpacked = join(tmpdir(), `ingot-${NAME}`, 'gitlab-runner');
  if (await isThere(unpacked)) return unpacked;
  if (!(await isThere(PACKED))) return null;
  await mkdir(join(unpacked, '..'), { recursive: true });
  const own = `${unpacked}.${process.pid}`;
  if (!(await unpack(own))) return null;
  await chmod(own, 0o755);
  // two test files may unpack at once: each its own file, and the last name wins
  await rename(own, unpacked);
  return unpacked;
}

/** False on a machine without `xz`. */
async function unpack(target: string): Promise<boolean> {
  const xz = spawn('xz', ['-dc', PACKED], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(xz, 'close').then(
    ([code]) => code === 0,
    () => false,
  );
  await pipeline(xz.stdout, createWriteStream(target)).catch(() => {}); // how it ended says the same
  return ended;
}

export interface StockRunner {
  /** Everything that it printed. */
  output(): string;
  /** As the system kills it, with the scripts that it runs. */
  kill(): Promise<void>;
  /** Lets it end in good order, and removes its folder. */
  stop(): Promise<void>;
}

const run = promisify(execFile);

/** The stock runner with the shell executor, registered by its own command with an authentication or a registration token. */
export async function startRunner(
  binary: string,
  {
    url,
    token,
    flags = [],
    concurrent = 4,
  }: {
    url: string;
    token: string;
    /** Further ones of `gitlab-runner register`. */
    flags?: string[];
    concurrent?: number;
  },
): Promise<StockRunner> {
  const dir = await mkdtemp(join(tmpdir(), 'ingot-runner-'));
  const config = join(dir, 'config.toml');
  const env = { PATH: process.env['PATH'], HOME: dir, LANG: 'C.UTF-8' };
  const way = token.startsWith('glrt-') ? ['--token', token] : ['--registration-token', token];
  const registration = ['register', '--non-interactive', '--config', config, '--url', url, ...way];
  const shell = ['--executor', 'shell', '--shell', 'bash', '--builds-dir', join(dir, 'builds')];
  await run(binary, [...registration, ...shell, '--cache-dir', join(dir, 'cache'), ...flags], { env });
  await run('sed', [
    '-i',
    `s/^concurrent = .*/concurrent = ${concurrent}/; s/^check_interval = .*/check_interval = 1/`,
    config,
  ]);
  const child = spawn(binary, ['run', '--config', config, '--working-directory', dir], {
    env,
    cwd: dir,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return handle(child, dir);
}

function handle(child: ChildProcess, dir: string): StockRunner {
  let printed = '';
  for (const stream of [child.stdout, child.stderr] as Readable[]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
  }
  const exit = once(child, 'exit');
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    await exit;
    await rm(dir, { recursive: true, force: true, maxRetries: 5 });
  };
  // SIGTERM lets jobs fail and ends; the scripts are in groups of their own, which it ends itself
  return { output: () => printed, kill: () => end('SIGKILL'), stop: () => end('SIGTERM') };
}
