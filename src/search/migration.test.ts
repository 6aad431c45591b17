import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sql } from 'kysely';
import { forEachDatabase } from '../../test/support/databases.ts';
import { allMigrations } from '../migrations.ts';
import type { Database } from '../platform/db/database.ts';
import { same } from './area-store.ts';
import { projectWalk } from './projects/store.ts';
import { idsOf } from './text/step-store.ts';
import { textQuery } from './text/terms.ts';
import { findMatches } from './text/walk.ts';

const LANDED = 4;

forEachDatabase((_, __, create) => {
  it('indexes what was written before there was search', async () => {
    const migrations = allMigrations();
    const test = await create(migrations.filter(({ number }) => number <= LANDED));
    await fill(await test.open());
    const database = await test.open({ migrations });
    const { rows: notes } = await sql<{ id: number }>`select id from notes where id in ${idsOf(
      {
        table: 'notes',
        area: same(sql`1 = 1`),
        by: 'updated_at',
        direction: 'desc',
        query: textQuery('старый'),
      },
      database,
      { after: null, limit: 10, offset: 0, narrowed: 'from index' },
    )}`.execute(database.db);
    assert.equal(notes.length, 1);
    const query = textQuery('ancient', 1);
    const walk = projectWalk(database, { query, within: sql`1 = 1` });
    const { rows } = await findMatches(walk, query, { skip: 0, take: 10 });
    assert.deepEqual(
      rows.map(({ path }) => path),
      ['old'],
    );
  });
});

async function fill(database: Database): Promise<void> {
  const statements = [
    sql`insert into users (username, name, email, created_at, updated_at) values ('old', 'Old', 'old@x.test', 1, 1)`,
    sql`insert into namespaces (kind, owner_id, name, path, full_path, full_name, traversal, created_at, updated_at)
      values ('user', 1, 'old', 'old', 'old', 'old', '/1/', 1, 1)`,
    sql`insert into projects (namespace_id, creator_id, name, path, full_path, name_with_namespace, description, storage_path,
        created_at, updated_at, last_activity_at)
      values (1, 1, 'Old', 'old', 'old/old', 'old / Old', 'Ancient things', 'old.git', 1, 1, 1)`,
    sql`insert into notes (project_id, noteable_type, commit_id, discussion_id, body, system, created_at, updated_at)
      values (1, 'Commit', 'abc', 'a', 'СТАРЫЙ', 0, 1, 1), (1, 'Commit', 'abc', 'b', 'СТАРЫЙ system', 1, 1, 1)`,
  ];
  for (const statement of statements) await statement.execute(database.db);
  await database.close();
}
