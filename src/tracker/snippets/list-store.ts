import type { Expression, SelectQueryBuilder, SqlBool } from 'kysely';
import type { Queryable, Tables } from '../../platform/db/tables.ts';
import type { SnippetRow } from './tables.ts';

/** All of them narrow; what is absent or null does not. Times in ms, both ends included. */
export interface SnippetFilter {
  /** One of the conditions of `visible-store.ts`. */
  visible: Expression<SqlBool>;
  authorId?: number | undefined;
  projectId?: number | undefined;
  /** Personal ones that everybody may read. */
  publicOnly?: boolean | undefined;
  createdAfter?: number | null | undefined;
  createdBefore?: number | null | undefined;
}

/** More rows than this are not counted: pages above it carry no totals. */
const COUNT_LIMIT = 10_001;

/** Newest first. */
export function listSnippets(
  db: Queryable,
  filter: SnippetFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<SnippetRow[]> {
  return filtered(db, filter)
    .selectAll('snippets')
    .orderBy('snippets.created_at', 'desc')
    .orderBy('snippets.id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();
}

export async function countSnippets(db: Queryable, filter: SnippetFilter): Promise<number> {
  const some = filtered(db, filter).select('snippets.id').limit(COUNT_LIMIT).as('some');
  const { count } = await db
    .selectFrom(some)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

type ListQuery = SelectQueryBuilder<Tables, 'snippets', object>;

function filtered(db: Queryable, filter: SnippetFilter): ListQuery {
  const { visible, authorId, projectId, publicOnly, createdAfter, createdBefore } = filter;
  let query = snippetRows(db).where(visible);
  if (authorId !== undefined) query = query.where('snippets.author_id', '=', authorId);
  if (projectId !== undefined) query = query.where('snippets.project_id', '=', projectId);
  if (publicOnly) {
    query = query.where('snippets.visibility', '=', 'public').where('snippets.project_id', 'is', null);
  }
  if (createdAfter != null) query = query.where('snippets.created_at', '>=', createdAfter);
  if (createdBefore != null) query = query.where('snippets.created_at', '<=', createdBefore);
  return query;
}

/** Joined as the conditions of `visible-store.ts` need them. */
export const snippetRows = (db: Queryable): ListQuery =>
  db
    .selectFrom('snippets')
    .leftJoin('projects', 'projects.id', 'snippets.project_id')
    .leftJoin('namespaces', 'namespaces.id', 'projects.namespace_id') as unknown as ListQuery;
