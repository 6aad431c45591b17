import type { Core } from '../../core/core.ts';
import type { ProjectWithNamespace } from '../../core/projects/find.ts';
import { findProjectById } from '../../core/projects/store.ts';
import type { MergeRequestRow } from '../tables.ts';

/** The two sides of a merge request with their projects. */
export interface Sides {
  /** null: the fork is gone. */
  source: { project: ProjectWithNamespace; branch: string } | null;
  target: { project: ProjectWithNamespace; branch: string };
}

/** Null when the target project is being deleted. */
export async function sidesOf(core: Pick<Core, 'db'>, row: MergeRequestRow): Promise<Sides | null> {
  const target = await findProjectById(core.db, row.project_id);
  if (!target) return null;
  const source = await sourceOf(core, row, target);
  return {
    source: source && { project: source, branch: row.source_branch },
    target: { project: target, branch: row.target_branch },
  };
}

async function sourceOf(
  core: Pick<Core, 'db'>,
  row: MergeRequestRow,
  target: ProjectWithNamespace,
): Promise<ProjectWithNamespace | null> {
  if (row.source_project_id === null) return null;
  if (row.source_project_id === target.id) return target;
  return (await findProjectById(core.db, row.source_project_id)) ?? null;
}
