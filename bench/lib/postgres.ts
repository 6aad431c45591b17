import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { postgresUrl, startPostgres } from '../../test/support/postgres-server.ts';

/** A database of its own, on the server of DATABASE_URL or on a throw-away one. */
export async function freshPostgres() {
  const given = process.env['DATABASE_URL'];
  const server = given ? null : await startPostgres();
  const admin = given ?? postgresUrl(server!.socketDir, 'postgres');
  const name = `bench_${randomBytes(6).toString('hex')}`;
  await onServer(admin, (client) => client.query(`create database ${name}`));
  const url = new URL(admin);
  url.pathname = name;
  return {
    url: url.href,
    async [Symbol.asyncDispose]() {
      await onServer(admin, (client) => client.query(`drop database ${name} with (force)`));
      await server?.stop();
    },
  };
}

export async function onServer(url: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
