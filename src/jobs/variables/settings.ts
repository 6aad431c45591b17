import { traversalIds } from '../../core/access/store.ts';
import type { ProjectWithNamespace } from '../../core/projects/find.ts';
import { ruleMatches } from '../../core/repository/ref-rules.ts';
import type { Queryable } from '../../platform/db/tables.ts';
import { variablesReaching } from './store.ts';
import type { CiVariableRow } from './tables.ts';
import type { JobVariable } from './variable.ts';

/** For which jobs variables are wanted. */
export interface Reach {
  project: Pick<ProjectWithNamespace, 'id' | 'traversal'>;
  /** Whether the branch or tag is protected: else protected variables stay away. */
  isProtected: boolean;
  /** The job's environment, null for none; undefined before there are jobs, when none with a scope counts. */
  environment?: string | null | undefined;
}

/**
 * What people have set for these jobs, in the order in which later ones win: the service's, those of the groups from the
 * outermost on, the project's; among those of one owner the ones whose scope says more.
 */
export async function settingVariables(db: Queryable, reach: Reach): Promise<JobVariable[]> {
  const groupIds = traversalIds(reach.project.traversal);
  const rows = await variablesReaching(db, { projectId: reach.project.id, groupIds });
  const rank = ({ project_id, group_id }: CiVariableRow) =>
    project_id !== null ? Number.POSITIVE_INFINITY : group_id === null ? -1 : groupIds.indexOf(group_id);
  return rows
    .filter((row) => reaches(row, reach))
    .sort((a, b) => compare(rank(a), rank(b)) || compare(specificity(a), specificity(b)) || a.id - b.id)
    .map(presented);
}

const compare = (a: number, b: number) => (a === b ? 0 : a - b);

function reaches(row: CiVariableRow, { isProtected, environment }: Reach): boolean {
  if (row.protected && !isProtected) return false;
  if (row.environment_scope === '*') return true;
  return environment != null && ruleMatches(row.environment_scope, environment);
}

/** Letters that a scope demands; one without a wildcard says most. */
function specificity({ environment_scope: scope }: CiVariableRow): number {
  const letters = scope.replaceAll('*', '').length;
  return scope.includes('*') ? letters : letters + 1000;
}

const presented = (row: CiVariableRow): JobVariable => ({
  key: row.key,
  value: row.value,
  public: false,
  masked: row.masked === 1,
  file: row.variable_type === 'file',
  raw: row.raw === 1,
});
