import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import { createTestDatabase, type TestDatabase } from '../../../test/support/databases.ts';
import type { Tables, Tx } from '../../platform/db/tables.ts';
import { junitReportsOf } from '../reports/junit/report-store.ts';
import { forgetTracesOf, sealedTraces } from '../traces/store.ts';
import { childPipelines, jobWithArchive, successfulPipelines } from './by-ref-store.ts';
import * as expiry from './expiry-store.ts';
import { newestSuccesses } from './locked-store.ts';
import * as store from './store.ts';

const QUERIES: Record<string, (tx: Tx) => Promise<unknown>> = {
  'the files of jobs': (tx) => store.artifactsOf(tx, [1, 2]),
  'one file': (tx) => store.findArtifact(tx, 1, 'archive'),
  'doom those of a job': (tx) => store.doomArtifacts(tx, { jobId: 1, except: 'trace' }),
  'doom those of a pipeline': (tx) => store.doomArtifactsOf(tx, { pipelineId: 1 }),
  'doom those of a project': (tx) => store.doomArtifactsOf(tx, { projectId: 1 }),
  'the bytes of projects': (tx) => store.artifactBytes(tx, [1, 2]),
  keep: (tx) => store.keepArtifacts(tx, 1),
  'what has expired': (tx) =>
    expiry.expiredArtifacts(tx, { now: 5, after: { expireAt: 1, id: 1 }, limit: 9 }),
  'doom what has expired': (tx) => expiry.doomExpired(tx, [1, 2], 5),
  'doom stale uploads': (tx) => expiry.doomStaleUploads(tx, 5),
  'what is doomed': (tx) => expiry.doomedArtifacts(tx, 5, 9),
  'expire those of a project': (tx) => expiry.expireNext(tx, { projectId: 1, after: 1, now: 1, limit: 9 }),
  'logs that were sealed': (tx) => sealedTraces(tx, 5, 9),
  'forget the logs of a project': (tx) => forgetTracesOf(tx, { projectId: 1 }),
  'newest successes': (tx) => newestSuccesses(tx, [1, 2]),
  'successes of a branch': (tx) => successfulPipelines(tx, { projectId: 1, ref: 'main', limit: 1 }),
  'children of a pipeline': (tx) => childPipelines(tx, 1, [1]),
  'a job with an archive': (tx) => jobWithArchive(tx, [1], 'a'),
  'JUnit reports': (tx) => junitReportsOf(tx, 1),
};

describe('what is asked of artifacts', () => {
  let database: TestDatabase;
  let sqlite: DatabaseSync;
  before(async () => {
    database = await createTestDatabase('sqlite');
    await (await database.open()).close();
    sqlite = new DatabaseSync(join(database.dir, 'ingot.db'));
  });
  after(async () => {
    sqlite.close();
    await database.drop();
  });

  for (const [name, ask] of Object.entries(QUERIES)) {
    it(`${name}: by an index`, async () => {
      const asked: string[] = [];
      const db = new Kysely<Tables>({
        dialect: {
          createAdapter: () => new SqliteAdapter(),
          createDriver: () => new DummyDriver(),
          createIntrospector: (of) => new SqliteIntrospector(of),
          createQueryCompiler: () => new SqliteQueryCompiler(),
        },
        log: ({ query }) => {
          const plan = sqlite
            .prepare(`explain query plan ${query.sql}`)
            .all(...(query.parameters as number[]));
          asked.push(...plan.map(({ detail }) => String(detail)));
        },
      });
      await ask(db as unknown as Tx);
      assert.ok(asked.length > 0);
      assert.deepEqual(
        asked.filter((step) => step.startsWith('SCAN') || step.includes('pipelines_project')),
        [],
      );
    });
  }
});
