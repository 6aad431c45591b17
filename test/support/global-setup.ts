import { fileURLToPath } from 'node:url';
import { type PostgresServer, SOCKET_VARIABLE, startPostgres } from './postgres-server.ts';

let server: PostgresServer | undefined;

/** Beside what npm installed: it goes with that. */
const COMPILED = fileURLToPath(new URL('../../node_modules/.cache/compiled', import.meta.url));

/**
 * One PostgreSQL server for the whole `npm test`, and one place where what a test process has stripped of its types and compiled waits for
 * the next one: half the processor time of each start. The test processes inherit the variables.
 */
export async function globalSetup(): Promise<void> {
  process.env['NODE_COMPILE_CACHE'] ??= COMPILED;
  server = await startPostgres();
  process.env[SOCKET_VARIABLE] = server.socketDir;
}

export async function globalTeardown(): Promise<void> {
  await server?.stop();
}
