import { type SelectQueryBuilder, sql } from 'kysely';
import type { Viewer } from '../../core/access/store.ts';
import { containsText } from '../../platform/db/like.ts';
import type { Queryable, Tables } from '../../platform/db/tables.ts';
import { visibleProjectsIn } from '../group-scope-store.ts';
import { readableIssues } from '../issues/visible-store.ts';
import { readableMergeRequests } from '../merge-requests/visible-store.ts';
import type { LabelCounts } from './entities.ts';
import type { LabelRow } from './tables.ts';

export interface LabelFilter {
  groupIds: readonly number[];
  /** With the labels of one project, */
  projectId?: number;
  /** or of all projects of these groups that the viewer may see. */
  projects?: { groupIds: readonly number[]; viewer: Viewer } | undefined;
  /** In the name or the description. */
  search?: string | null | undefined;
}

/** In alphabetical order. */
export function listLabels(
  db: Queryable,
  filter: LabelFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<LabelRow[]> {
  return filtered(db, filter)
    .selectAll('labels')
    .orderBy('labels.name')
    .orderBy('labels.id')
    .limit(limit)
    .offset(offset)
    .execute();
}

export async function countLabels(db: Queryable, filter: LabelFilter): Promise<number> {
  const { count } = await filtered(db, filter)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

function filtered(
  db: Queryable,
  { groupIds, projectId, projects, search }: LabelFilter,
): SelectQueryBuilder<Tables, 'labels', object> {
  const query = db
    .selectFrom('labels')
    .where((eb) =>
      eb.or([
        ...(projectId === undefined ? [] : [eb('project_id', '=', projectId)]),
        ...(projects ? [eb('project_id', 'in', visibleProjectsIn(projects.groupIds, projects.viewer))] : []),
        ...(groupIds.length > 0 ? [eb('group_id', 'in', groupIds)] : []),
      ]),
    );
  const text = search?.trim();
  if (!text) return query;
  return query.where((eb) =>
    eb.or([containsText(sql.ref('labels.name'), text), containsText(sql.ref('labels.description'), text)]),
  );
}

/** By label, what of the projects carries it and the viewer may read. */
export async function labelCounts(
  db: Queryable,
  labelIds: readonly number[],
  { viewer, projectId }: { viewer: Viewer; projectId?: number | undefined },
): Promise<Map<number, LabelCounts>> {
  const none = { open_issues_count: 0, closed_issues_count: 0, open_merge_requests_count: 0 };
  const result = new Map(labelIds.map((id) => [id, { ...none }]));
  if (labelIds.length === 0) return result;
  const issues = await countsOf(db, 'issue', labelIds, projectId, readableIssues(viewer));
  const requests = await countsOf(db, 'merge_request', labelIds, projectId, readableMergeRequests(viewer));
  for (const { label_id, state, count } of issues) {
    const counted = result.get(label_id)!;
    counted[state === 'closed' ? 'closed_issues_count' : 'open_issues_count'] = count;
  }
  for (const { label_id, state, count } of requests) {
    if (state === 'opened') result.get(label_id)!.open_merge_requests_count = count;
  }
  return result;
}

async function countsOf(
  db: Queryable,
  kind: 'issue' | 'merge_request',
  labelIds: readonly number[],
  projectId: number | undefined,
  readable: ReturnType<typeof readableIssues>,
): Promise<{ label_id: number; state: string; count: number }[]> {
  const things = sql.table(`${kind}s`);
  const links = sql.table(`${kind}_labels`);
  const here = projectId === undefined ? sql`1 = 1` : sql`${things}.project_id = ${projectId}`;
  const { rows } = await sql<{ label_id: number; state: string; count: number }>`
    select ${links}.label_id, ${things}.state, count(*) as count from ${links}
      join ${things} on ${things}.id = ${links}.${sql.ref(`${kind}_id`)}
      join projects on projects.id = ${things}.project_id
      join namespaces on namespaces.id = projects.namespace_id
    where ${links}.label_id in (${sql.join(labelIds)}) and ${here} and ${readable}
    group by ${links}.label_id, ${things}.state`.execute(db);
  return rows.map((row) => ({ ...row, count: Number(row.count) }));
}
