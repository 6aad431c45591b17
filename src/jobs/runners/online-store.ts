import type { Queryable } from '../../platform/db/tables.ts';
import type { RunnerRow } from './tables.ts';

/** What says which jobs a runner takes. */
export type RunnerReach = Pick<
  RunnerRow,
  'id' | 'runner_type' | 'namespace_id' | 'tags' | 'run_untagged' | 'access_level'
>;

/** The runners that were heard of since `since` and are not paused. */
export function runnersHeardSince(db: Queryable, since: number): Promise<RunnerReach[]> {
  return db
    .selectFrom('runners')
    .select(['id', 'runner_type', 'namespace_id', 'tags', 'run_untagged', 'access_level'])
    .where('paused', '=', 0)
    .where('contacted_at', '>', since)
    .execute();
}
