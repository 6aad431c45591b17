import { type PostgresServer, SOCKET_VARIABLE, startPostgres } from './postgres-server.ts';

let server: PostgresServer | undefined;

/** One PostgreSQL server for the whole `npm test`; the test processes inherit the variable. */
export async function globalSetup(): Promise<void> {
  server = await startPostgres();
  process.env[SOCKET_VARIABLE] = server.socketDir;
}

export async function globalTeardown(): Promise<void> {
  await server?.stop();
}
