import { type Expression, type ExpressionBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import { containsText, escapeLike } from '../../platform/db/like.ts';
import type { Queryable, Tables } from '../../platform/db/tables.ts';
import { memberOfGroup, type Viewer, visibleGroup } from '../access/store.ts';
import type { Namespace, Visibility } from '../tables.ts';
import { belowSet } from './store.ts';

/** What a list of groups is narrowed to; absent means not at all. Only what the viewer may see is ever in it. */
export interface GroupFilter {
  viewer: Viewer;
  /** In the name or the full path, in any case. */
  search?: string | undefined;
  visibility?: Visibility | undefined;
  /** Member with at least this level, by whichever way. */
  minAccessLevel?: number | undefined;
  topLevelOnly?: boolean | undefined;
  skip?: number[] | undefined;
  parentId?: number | undefined;
  /** At any depth. */
  belowId?: number | undefined;
  ids?: number[] | undefined;
}

export const GROUP_ORDERS = ['name', 'path', 'id', 'similarity'] as const;

export interface GroupOrder {
  by: (typeof GROUP_ORDERS)[number];
  direction: 'asc' | 'desc';
}

export interface GroupSlice {
  limit: number;
  offset?: number;
  /** Rows behind this one only. */
  after?: { value: string | number; id: number } | undefined;
}

export function listGroups(
  db: Queryable,
  filter: GroupFilter,
  order: GroupOrder,
  { limit, offset = 0, after }: GroupSlice,
): Promise<Namespace[]> {
  let query = db
    .selectFrom('namespaces')
    .selectAll()
    .where((eb) => eb.and(conditions(eb, filter)));
  if (after) query = query.where(behind(order, after));
  return ordered(query, order, filter.search)
    .orderBy('namespaces.id', order.direction)
    .limit(limit)
    .offset(offset)
    .execute();
}

export async function countGroups(db: Queryable, filter: GroupFilter): Promise<number> {
  const row = await db
    .selectFrom('namespaces')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where((eb) => eb.and(conditions(eb, filter)))
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

function conditions(eb: ExpressionBuilder<Tables, 'namespaces'>, filter: GroupFilter): Expression<SqlBool>[] {
  const { viewer, search, visibility, minAccessLevel, topLevelOnly, skip, parentId, belowId, ids } = filter;
  const contains = (text: string) =>
    eb.or([
      containsText(eb.ref('namespaces.name'), text),
      containsText(eb.ref('namespaces.full_path'), text),
    ]);
  return [
    eb('namespaces.kind', '=', 'group'),
    visibleGroup(viewer),
    ...(search ? [contains(search)] : []),
    ...(visibility ? [eb('namespaces.visibility', '=', visibility)] : []),
    ...(minAccessLevel !== undefined ? [memberOfGroup(viewer, minAccessLevel)] : []),
    ...(topLevelOnly ? [eb('namespaces.parent_id', 'is', null)] : []),
    ...(skip && skip.length > 0 ? [eb('namespaces.id', 'not in', skip)] : []),
    ...(parentId !== undefined ? [eb('namespaces.parent_id', '=', parentId)] : []),
    ...(belowId !== undefined ? [sql<SqlBool>`namespaces.id in (${belowSet(belowId)})`] : []),
    ...(ids ? [ids.length === 0 ? sql<SqlBool>`1 = 0` : eb('namespaces.id', 'in', ids)] : []),
  ];
}

const column = (by: Exclude<GroupOrder['by'], 'similarity'>) => sql.ref(`namespaces.${by}`);

function behind({ by, direction }: GroupOrder, after: NonNullable<GroupSlice['after']>): Expression<SqlBool> {
  if (by === 'similarity') throw new Error('similarity has no position to go on from');
  const compare = direction === 'asc' ? sql`>` : sql`<`;
  return sql<SqlBool>`(${column(by)}, namespaces.id) ${compare} (${after.value}, ${after.id})`;
}

function ordered<O>(
  query: SelectQueryBuilder<Tables, 'namespaces', O>,
  { by, direction }: GroupOrder,
  search: string | undefined,
): SelectQueryBuilder<Tables, 'namespaces', O> {
  if (by === 'id') return query;
  if (by !== 'similarity') return query.orderBy(column(by), direction);
  if (!search) return query.orderBy(column('name'), 'asc');
  const text = sql`lower(${search})`;
  const begins = sql`lower(${`${escapeLike(search)}%`})`;
  return query.orderBy(
    sql`case when lower(namespaces.name) = ${text} or lower(namespaces.path) = ${text} then 0
      when lower(namespaces.name) like ${begins} escape '\\' or lower(namespaces.path) like ${begins} escape '\\' then 1
      else 2 end`,
    'asc',
  );
}
