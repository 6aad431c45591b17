import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import { startService, type TestService } from '../../../test/support/service.ts';
import { isAt } from './place-store.ts';

describe('what was set at a place', () => {
  let service: TestService;
  before(async () => {
    service = await startService();
  });
  after(() => service.close());

  const planOf = async (table: string, condition: ReturnType<typeof isAt>) => {
    const { rows } = await sql<{ detail: string }>`
      explain query plan select user_id from ${sql.raw(table)} where ${condition}`.execute(service.core.db);
    return rows.map(({ detail }) => detail).join('; ');
  };

  it('is found by an index, in a project of a group, a personal one, and a group', async () => {
    const places = [
      { projectId: 1, groupIds: [2, 3] },
      { projectId: 1, groupIds: [] },
      { projectId: null, groupIds: [2] },
    ];
    for (const place of places) {
      for (const [table, name] of [
        ['notification_settings as here', 'here'],
        ['members', 'members'],
      ] as const) {
        const plan = await planOf(table, isAt(place, name));
        assert.match(plan, /SEARCH/, plan);
        assert.doesNotMatch(plan, /SCAN/, plan);
      }
    }
  });

  it('is nothing where there is neither', async () => {
    const { rows } = await sql`select 1 where ${isAt({ projectId: null, groupIds: [] }, 'here')}`.execute(
      service.core.db,
    );
    assert.deepEqual(rows, []);
  });
});
