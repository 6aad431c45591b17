import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { createLog } from '../log.ts';
import { Metrics } from '../metrics.ts';
import type { LogState } from './checkpoint-thread.ts';
import type { Database } from './database.ts';
import { MERGED_AT_ONCE } from './sqlite-checkpoints.ts';
import { openSqlite } from './sqlite-database.ts';

const PAGE = 'x'.repeat(3500);

describe('the write-ahead log of SQLite', () => {
  let dir: string;
  let database: Database;
  /** As any other program that looks at the file. */
  let observer: DatabaseSync;

  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'ingot-test-'));
    const log = createLog('silent');
    database = await openSqlite({ dir, log, metrics: new Metrics(), migrations: [] });
    await sql`create table pages (id integer primary key, text text not null)`.execute(database.db);
    observer = new DatabaseSync(join(dir, 'ingot.db'));
    observer.exec('pragma busy_timeout = 5000');
  });
  after(async () => {
    observer.close();
    await database.close();
    await rm(dir, { recursive: true });
  });

  const write = (pages: number) =>
    database.transaction(async (tx) => {
      for (let i = 0; i < pages; i++) await sql`insert into pages (text) values (${PAGE})`.execute(tx);
    });
  const state = () => observer.prepare('pragma wal_checkpoint(noop)').get() as unknown as LogState;

  async function until(holds: (state: LogState) => boolean): Promise<void> {
    for (let tries = 0; tries < 400; tries++) {
      if (holds(state())) return;
      await sleep(25);
      await write(1);
    }
    assert.fail(JSON.stringify(state()));
  }

  it('is merged when there is much of it, and no sooner', async () => {
    await write(MERGED_AT_ONCE / 2);
    await sleep(100);
    await write(1);
    assert.equal(state().checkpointed, 0);
    await write(MERGED_AT_ONCE);
    // once all of it is merged the next write begins it anew
    await until(({ log, checkpointed }) => checkpointed >= MERGED_AT_ONCE || log < MERGED_AT_ONCE);
  });

  it('begins anew under writes that do not end, and nothing is lost', async () => {
    let isOver = false;
    let written = 0;
    const writing = (async () => {
      while (!isOver) {
        await write(100);
        written += 100;
        await sleep(1);
      }
    })();
    let largest = 0;
    let anew = false;
    for (let tries = 0; tries < 2000 && !anew; tries++) {
      const { log } = state();
      anew = largest >= 8 * MERGED_AT_ONCE && log < largest / 2;
      largest = Math.max(largest, log);
      await sleep(10);
    }
    isOver = true;
    await writing;
    assert.ok(anew, `${largest} pages and growing`);
    const { count } = observer.prepare('select count(*) as count from pages').get() as { count: number };
    assert.ok(count >= written);
    assert.equal(observer.prepare('pragma integrity_check').get()?.['integrity_check'], 'ok');
  });
});
