import type { Queryable } from '../../platform/db/tables.ts';
import type { PipelineRow } from '../tables.ts';
import type { BridgeFailure } from './order.ts';
import { ancestorsOf, familySize } from './store.ts';

/** GitLab's bounds: children of children, and all that one pipeline may lead to. */
const MAX_CHILD_DEPTH = 2;
const MAX_FAMILY = 1000;
/** Pipelines that begin one another across projects; each is one look at the database. */
const MAX_ANCESTORS = 50;

/** Why this pipeline may begin no other; null when it may. */
export async function familyProblem(
  db: Queryable,
  pipeline: PipelineRow,
  wanted: 'child' | 'other project',
): Promise<BridgeFailure | null> {
  const family = [pipeline, ...(await ancestorsOf(db, pipeline.id, MAX_ANCESTORS))];
  const parents = family.findIndex(({ source }) => source !== 'parent_pipeline');
  if (wanted === 'child' && (parents < 0 || parents >= MAX_CHILD_DEPTH)) {
    return 'reached_max_descendant_pipelines_depth';
  }
  if (family.length > MAX_ANCESTORS || hasTwins(family)) return 'pipeline_loop_detected';
  const size = await familySize(db, family.at(-1)!.id, MAX_FAMILY);
  return size >= MAX_FAMILY ? 'reached_max_pipeline_hierarchy_size' : null;
}

/** Two of one project, branch and source among those that led here would lead here again. */
function hasTwins(family: readonly PipelineRow[]): boolean {
  const keys = family
    .filter(({ source }) => source !== 'parent_pipeline')
    .map(({ project_id, ref, source }) => `${project_id} ${source} ${ref}`);
  return new Set(keys).size < keys.length;
}
