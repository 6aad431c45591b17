import assert from 'node:assert/strict';
import { it } from 'node:test';
import { CompiledQuery, type RootOperationNode, sql } from 'kysely';
import { forEachDatabase } from '../../../../test/support/databases.ts';
import type { Database } from '../../../platform/db/database.ts';
import { type IssueOrder, KEYSET_ORDERS, listIssues } from './store.ts';

/** How the database would read a page of a project's issues, as text. */
async function planOf(database: Database, order: IssueOrder, direction: 'asc' | 'desc'): Promise<string> {
  const filter = { place: { projectId: 1, confidential: 'all' }, today: '2026-01-01' } as const;
  return database.transaction(async (tx) => {
    let asked: CompiledQuery | undefined;
    const watched = tx.withPlugin({
      transformQuery({ node, queryId }): RootOperationNode {
        asked = tx.getExecutor().compileQuery(node, queryId);
        return node;
      },
      transformResult: async ({ result }) => result,
    });
    await listIssues(watched, filter, { order, direction, limit: 20 });
    const explain = database.dialect === 'sqlite' ? 'explain query plan' : 'explain';
    if (database.dialect === 'postgres') {
      // Empty tables are read whole and sorted otherwise, whatever indexes they have.
      await sql`set local enable_seqscan = off`.execute(tx);
      await sql`set local enable_sort = off`.execute(tx);
      await sql`set local enable_bitmapscan = off`.execute(tx);
    }
    const plan = await tx.executeQuery(CompiledQuery.raw(`${explain} ${asked!.sql}`, [...asked!.parameters]));
    return JSON.stringify(plan.rows);
  });
}

forEachDatabase((_, open) => {
  it('reads a page in order from an index instead of sorting all issues', async () => {
    const database = await open();
    for (const order of KEYSET_ORDERS.filter((name) => name !== 'title')) {
      for (const direction of ['asc', 'desc'] as const) {
        const plan = await planOf(database, order, direction);
        assert.match(plan, /Scan( Backward)? using issues_|USING INDEX issues_/);
        assert.doesNotMatch(plan, /Sort|TEMP B-TREE/, `${order} ${direction}: ${plan}`);
      }
    }
  });
});
