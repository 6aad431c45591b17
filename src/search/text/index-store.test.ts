import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sql } from 'kysely';
import { forEachDatabase } from '../../../test/support/databases.ts';
import type { Database } from '../../platform/db/database.ts';
import { same } from '../area-store.ts';
import { mergeRequestWalk } from '../merge-requests/store.ts';
import { howToNarrow } from './index-store.ts';
import { idsOf, type Path } from './step-store.ts';
import { textQuery } from './terms.ts';
import { findMatches, type Narrowed } from './walk.ts';

const everything = () => same(sql`1 = 1`);

function pathFor(search: string): Path {
  const query = textQuery(search);
  return { table: 'issues', area: everything(), by: 'created_at', direction: 'desc', query };
}

/** How the database would find the rows of a step, as text. */
async function planOf(database: Database, search: string, narrowed: Narrowed): Promise<string> {
  const step = { after: null, limit: 20, offset: 0, narrowed };
  const ids = sql`select id from issues where id in ${idsOf(pathFor(search), database, step)}`;
  const plan = await database.transaction(async (tx) => {
    if (database.dialect === 'sqlite') return (await sql`explain query plan ${ids}`.execute(tx)).rows;
    // Empty tables are read whole otherwise, whatever indexes they have.
    await sql`set local enable_seqscan = off`.execute(tx);
    return (await sql`explain ${ids}`.execute(tx)).rows;
  });
  return JSON.stringify(plan);
}

forEachDatabase((kind, open) => {
  it('goes from the trigram index to the rows, and from the order for what is common', async () => {
    const database = await open();
    const indexed =
      kind === 'sqlite' ? /issues_text VIRTUAL TABLE INDEX/ : /Bitmap Index Scan on issues_text/;
    assert.match(await planOf(database, 'needle', 'from index'), indexed);
    assert.match(await planOf(database, '"two words" more', 'from index'), indexed);
    assert.match(await planOf(database, 'ab', 'from index'), /issues_short/);
    const inOrder = await planOf(database, 'needle', 'not');
    assert.match(inOrder, /issues_by_created/);
    assert.doesNotMatch(inOrder, /issues_text/);
    if (kind === 'postgres') return;
    const many = await planOf(database, 'needle', 'in order');
    assert.match(many, /SCAN issues USING COVERING INDEX issues_by_created/);
    assert.match(many, indexed);
    const most = await planOf(database, 'needle', 'up to last');
    assert.match(most, /SCAN issues USING COVERING INDEX issues_by_created/);
    assert.match(most, /SCALAR SUBQUERY.*issues_text VIRTUAL TABLE INDEX/);
  });

  it('has no index to offer for words of one or two characters', async () => {
    const database = await open();
    assert.equal(await howToNarrow(database, 'projects', textQuery('ab', 1)), 'not');
    assert.equal(await howToNarrow(database, 'projects', textQuery('abc', 1)), 'from index');
    assert.equal(await howToNarrow(database, 'issues', textQuery('ab')), 'from index');
    assert.equal(await howToNarrow(database, 'issues', textQuery('')), 'not');
  });

  if (kind === 'sqlite') {
    it('passes over what is newer than all that the index names, in whichever order rows came', async () => {
      const database = await open();
      await sql`pragma foreign_keys = off`.execute(database.db);
      const titles = ['needle', 'other', 'a needle from elsewhere', 'other', 'other'];
      for (const [at, title] of titles.entries()) {
        const created = title === 'a needle from elsewhere' ? 0 : at + 1;
        await sql`insert into issues (iid, project_id, title, relative_position, created_at, updated_at)
          values (${at + 1}, 1, ${title}, 1, ${created}, 1)`.execute(database.db);
      }
      const step = { after: null, limit: 20, offset: 0, narrowed: 'up to last' } as const;
      for (const [search, iids] of Object.entries({ needle: [2, 1, 3], elsewhere: [2, 1, 3], nowhere: [] })) {
        const ids = idsOf(pathFor(search), database, step);
        const { rows } = await sql<{ iid: number }>`select iid from issues where id in ${ids}
          order by created_at desc`.execute(database.db);
        assert.deepEqual(
          rows.map(({ iid }) => iid),
          iids,
        );
      }
    });
  }

  if (kind === 'postgres') {
    it('finds the same on a server without pg_trgm', async () => {
      const database = await open();
      await sql`drop extension pg_trgm cascade`.execute(database.db);
      const query = textQuery('needle');
      const asked = { area: everything(), query, state: null, iid: null };
      const walk = mergeRequestWalk(database, { ...asked, order: { by: 'created_at', direction: 'desc' } });
      assert.deepEqual(await findMatches(walk, query, { skip: 0, take: 20 }), { rows: [], more: false });
      assert.deepEqual(await walk.read({ after: null, limit: 20, offset: 0, narrowed: 'from index' }), []);
    });
  }
});
