import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sql } from 'kysely';
import { forEachDatabase } from '../../../test/support/databases.ts';
import { allMigrations } from '../../migrations.ts';

forEachDatabase((_kind, _open, create) => {
  it('turns the names that merge requests had into labels of their projects', async () => {
    const test = await create([]);
    const before = await test.open({ migrations: allMigrations().filter(({ number }) => number < 5) });
    await sql`insert into users (id, username, name, email, created_at, updated_at)
      values (1, 'ann', 'Ann', 'ann@example.com', 1, 1)`.execute(before.db);
    await sql`insert into namespaces (id, kind, name, path, full_path, full_name, traversal, created_at, updated_at)
      values (1, 'group', 'g', 'g', 'g', 'g', '/1/', 1, 1)`.execute(before.db);
    for (const id of [1, 2]) {
      await sql`insert into projects (id, namespace_id, name, path, full_path, name_with_namespace, storage_path,
          created_at, updated_at, last_activity_at)
        values (${id}, 1, ${`p${id}`}, ${`p${id}`}, ${`g/p${id}`}, ${`g / p${id}`}, ${`${id}.git`}, 1, 1, 1)`.execute(
        before.db,
      );
    }
    for (const [id, project] of [
      [1, 1],
      [2, 1],
      [3, 2],
    ]) {
      await sql`insert into merge_requests (id, iid, project_id, source_branch, target_branch, title, created_at, updated_at)
        values (${id}, ${id}, ${project}, 'a', 'b', 't', ${Number(id) * 10}, 99)`.execute(before.db);
      await sql`insert into merge_request_labels (merge_request_id, name) values (${id}, 'bug')`.execute(
        before.db,
      );
    }
    await sql`insert into merge_request_labels (merge_request_id, name) values (2, 'a "quoted", odd one')`.execute(
      before.db,
    );
    await before.close();

    const { db } = await test.open({ migrations: allMigrations() });
    const { rows: labels } = await sql`select project_id, name, color, created_at from labels
      order by project_id, name`.execute(db);
    assert.deepEqual(labels, [
      { project_id: 1, name: 'a "quoted", odd one', color: '#6699cc', created_at: 20 },
      { project_id: 1, name: 'bug', color: '#6699cc', created_at: 10 },
      { project_id: 2, name: 'bug', color: '#6699cc', created_at: 30 },
    ]);
    const { rows: links } = await sql<{ id: number; project_id: number; name: string }>`
      select merge_request_id as id, labels.project_id, labels.name from merge_request_labels
      join labels on labels.id = label_id order by merge_request_id, name`.execute(db);
    assert.deepEqual(
      links.map(({ id, project_id, name }) => [id, project_id, name]),
      [
        [1, 1, 'bug'],
        [2, 1, 'a "quoted", odd one'],
        [2, 1, 'bug'],
        [3, 2, 'bug'],
      ],
    );
  });
});
