import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';

/** Set by the global setup for the test processes; without it each process starts a server of its own. */
export const SOCKET_VARIABLE = 'INGOT_TEST_POSTGRES_SOCKET';

export interface PostgresServer {
  socketDir: string;
  stop(): Promise<void>;
}

/** Starts a throw-away server that outlives neither `stop` nor this process, however it ends. */
export async function startPostgres(): Promise<PostgresServer> {
  const script = fileURLToPath(new URL('postgres-keeper.ts', import.meta.url));
  const keeper = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'] });
  const socketDir = await addressFrom(keeper);
  letProcessEnd(keeper);
  return {
    socketDir,
    async stop() {
      keeper.ref();
      const exited = once(keeper, 'exit');
      keeper.stdin.end();
      await exited;
    },
  };
}

async function addressFrom(keeper: ChildProcess): Promise<string> {
  const lines = createInterface({ input: keeper.stdout as Readable });
  const exit = once(keeper, 'exit').then(([code]) => {
    throw new Error(`the PostgreSQL server for tests ended with code ${code}`);
  });
  const [line] = (await Promise.race([once(lines, 'line'), exit])) as [string];
  exit.catch(() => {}); // its end at the end of the tests is what we want
  lines.close();
  return (JSON.parse(line) as { socketDir: string }).socketDir;
}

/** The keeper must not keep the tests from ending: it notices that by its standard input. */
function letProcessEnd(keeper: ChildProcess): void {
  keeper.unref();
  for (const stream of [keeper.stdin, keeper.stdout] as (Writable | Readable)[]) {
    (stream as unknown as { unref(): void }).unref();
  }
}

let shared: Promise<string> | undefined;

/** Socket folder of the server of this test run, started on first use. */
export function postgresSocket(): Promise<string> {
  const given = process.env[SOCKET_VARIABLE];
  shared ??= given ? Promise.resolve(given) : startPostgres().then((server) => server.socketDir);
  return shared;
}

export function postgresUrl(socketDir: string, database: string): string {
  return `postgres://postgres@localhost/${database}?host=${encodeURIComponent(socketDir)}`;
}
