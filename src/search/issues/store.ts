import { type Expression, type SqlBool, sql } from 'kysely';
import { Level } from '../../core/access/levels.ts';
import { memberOfProject } from '../../core/access/store.ts';
import type { Database } from '../../platform/db/database.ts';
import type { IssueRow } from '../../tracker/issues/tables.ts';
import { openOrOwnIssues } from '../../tracker/issues/visible-store.ts';
import type { Area } from '../area-store.ts';
import type { Order } from '../params.ts';
import type { Search } from '../scope.ts';
import { rowWalk } from '../text/step-store.ts';
import type { TextQuery } from '../text/terms.ts';
import type { Walk } from '../text/walk.ts';

interface Asked {
  search: Pick<Search, 'viewer' | 'place'>;
  area: Area;
  query: TextQuery;
  /** Null for every state; no issue is merged. */
  state: 'opened' | 'closed' | 'merged' | null;
  confidential: boolean | null;
  iid: number | null;
  order: Order;
}

export function issueWalk(
  database: Pick<Database, 'db' | 'dialect'>,
  { search, area, query, state, confidential, iid, order }: Asked,
): Walk<IssueRow> {
  const { by, direction } = order;
  const conditions = [
    ...forHim(search),
    ...(state ? [sql<SqlBool>`issues.state = ${state}`] : []),
    ...(confidential === null ? [] : [sql<SqlBool>`issues.confidential = ${confidential ? 1 : 0}`]),
    ...(iid === null ? [] : [sql<SqlBool>`issues.iid = ${iid}`]),
  ];
  return rowWalk(
    database,
    { table: 'issues', area, conditions, by, direction, query },
    ({ title, description }) => [title, description],
  );
}

/** Confidential issues are for their authors and assignees, and for those who plan and work in the project. */
function forHim({ viewer, place }: Asked['search']): Expression<SqlBool>[] {
  if (viewer.admin || (place.level === 'project' && place.access.level >= Level.planner)) return [];
  const own = openOrOwnIssues(viewer.userId);
  if (place.level === 'project') return [own];
  const worksOn = sql`select projects.id from projects join namespaces on namespaces.id = projects.namespace_id
    where ${memberOfProject(viewer, Level.planner)}`;
  return [sql<SqlBool>`(${own} or +issues.project_id in (${worksOn}))`];
}
