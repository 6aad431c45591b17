import { Level } from '../../core/access/levels.ts';
import { memberOfProject, type Viewer } from '../../core/access/store.ts';
import type { Queryable } from '../../platform/db/tables.ts';
import type { JobStatus } from '../states.ts';
import type { JobRow } from '../tables.ts';

export interface RunnerJobsFilter {
  runnerId: number;
  /** Administrators see all, others the jobs of projects in which they are reporters at least. */
  viewer: Viewer;
  status?: JobStatus | undefined;
  systemId?: string | undefined;
}

/** What the runner has done, by id. */
export function listRunnerJobs(
  db: Queryable,
  filter: RunnerJobsFilter,
  { limit, offset, direction }: { limit: number; offset: number; direction: 'asc' | 'desc' },
): Promise<JobRow[]> {
  return runnerJobs(db, filter)
    .selectAll('jobs')
    .orderBy('jobs.id', direction)
    .limit(limit)
    .offset(offset)
    .execute();
}

const runnerJobs = (db: Queryable, { runnerId, viewer, status, systemId }: RunnerJobsFilter) => {
  let query = db
    .selectFrom('jobs')
    .innerJoin('projects', 'projects.id', 'jobs.project_id')
    .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
    .where('jobs.runner_id', '=', runnerId);
  if (!viewer.admin) query = query.where(memberOfProject(viewer, Level.reporter));
  if (status) query = query.where('jobs.status', '=', status);
  if (systemId !== undefined) {
    query = query.where('jobs.runner_manager_id', 'in', (eb) =>
      eb
        .selectFrom('runner_managers')
        .select('runner_managers.id')
        .where('runner_managers.runner_id', '=', runnerId)
        .where('runner_managers.system_id', '=', systemId),
    );
  }
  return query;
};
