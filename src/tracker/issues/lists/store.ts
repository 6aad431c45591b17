import { type Expression, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import type { Queryable, Tables } from '../../../platform/db/tables.ts';
import type { IssueRow } from '../tables.ts';
import { type IssueFilter, issueConditions } from './conditions-store.ts';

export const ISSUE_ORDERS = [
  'created_at',
  'due_date',
  'label_priority',
  'milestone_due',
  'popularity',
  'priority',
  'relative_position',
  'title',
  'updated_at',
] as const;

export type IssueOrder = (typeof ISSUE_ORDERS)[number];

/** The orders in which a list can go on from a position: their columns are never empty. */
export const KEYSET_ORDERS = ['created_at', 'updated_at', 'title'] as const;

export interface IssueListing {
  order: IssueOrder;
  direction: 'asc' | 'desc';
  limit: number;
  offset?: number;
  /** Rows behind this one only; for `KEYSET_ORDERS`. */
  after?: { value: string | number; id: number } | undefined;
}

/** More rows than this are not counted: pages above it carry no totals. */
const COUNT_LIMIT = 10_001;

export function listIssues(
  db: Queryable,
  filter: IssueFilter,
  { order, direction, limit, offset = 0, after }: IssueListing,
): Promise<IssueRow[]> {
  let query = filtered(db, filter).selectAll('issues');
  if (after) query = query.where(behind(order, direction, after));
  for (const column of sortedBy(order)) {
    query = query.orderBy(column, (by) => {
      const sorted = direction === 'asc' ? by.asc() : by.desc();
      return isNeverEmpty(order) ? sorted : sorted.nullsLast();
    }) as typeof query;
  }
  return query.orderBy('issues.id', direction).limit(limit).offset(offset).execute();
}

export async function countIssues(db: Queryable, filter: IssueFilter): Promise<number> {
  const some = filtered(db, filter).select('issues.id').limit(COUNT_LIMIT).as('some');
  const { count } = await db
    .selectFrom(some)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

export async function countByState(
  db: Queryable,
  filter: IssueFilter,
): Promise<{ opened: number; closed: number }> {
  const rows = await filtered(db, filter)
    .select((eb) => ['issues.state', eb.fn.countAll<number>().as('count')])
    .groupBy('issues.state')
    .execute();
  const of = (state: IssueRow['state']) => Number(rows.find((row) => row.state === state)?.count ?? 0);
  return { opened: of('opened'), closed: of('closed') };
}

/** PostgreSQL passes over its indexes, and sorts all issues, where it is told what becomes of nulls that it would put first. */
const isNeverEmpty = (order: IssueOrder): boolean => KEYSET_ORDERS.some((name) => name === order);

type IssueQuery = SelectQueryBuilder<Tables, 'issues', object>;

/** Only what the viewer of the filter may read; lists of one project need no join for that. */
function filtered(db: Queryable, filter: IssueFilter): IssueQuery {
  const joined =
    'viewer' in filter.place
      ? db
          .selectFrom('issues')
          .innerJoin('projects', 'projects.id', 'issues.project_id')
          .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
      : db.selectFrom('issues');
  return (joined as unknown as IssueQuery).where((eb) => eb.and(issueConditions(filter)));
}

/** Sub-queries where the order is by what hangs on an issue. */
function sortedBy(order: IssueOrder): Expression<unknown>[] {
  switch (order) {
    case 'label_priority':
      return [labelPriority];
    case 'milestone_due':
      return [milestoneDue];
    case 'priority':
      return [milestoneDue, labelPriority];
    case 'popularity':
      return [thumbsUp];
    default:
      return [sql.ref(`issues.${order}`)];
  }
}

const milestoneDue = sql`(select milestones.due_date from milestones where milestones.id = issues.milestone_id)`;
const labelPriority = sql`(select min(label_priorities.priority) from label_priorities
  join issue_labels on issue_labels.label_id = label_priorities.label_id
  where issue_labels.issue_id = issues.id and label_priorities.project_id = issues.project_id)`;
const thumbsUp = sql`(select count(*) from award_emoji where award_emoji.awardable_type = 'Issue'
  and award_emoji.awardable_id = issues.id and award_emoji.name = 'thumbsup')`;

function behind(
  order: IssueOrder,
  direction: 'asc' | 'desc',
  { value, id }: NonNullable<IssueListing['after']>,
): Expression<SqlBool> {
  const compare = direction === 'asc' ? sql`>` : sql`<`;
  return sql<SqlBool>`(${sql.ref(`issues.${order}`)}, issues.id) ${compare} (${value}, ${id})`;
}
