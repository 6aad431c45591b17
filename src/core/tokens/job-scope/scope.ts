import type { Queryable } from '../../../platform/db/tables.ts';
import { projectSettings } from '../../projects/settings.ts';
import { findProjectById } from '../../projects/store.ts';
import type { Project } from '../../tables.ts';
import { isAllowed, projectPath } from './store.ts';

type Target = Pick<Project, 'id' | 'settings' | 'path'>;

/**
 * Whether a job token does in this project what its user may: in the job's own project, where the project lets in everybody, and
 * where its allow list has the job's project. Elsewhere, and wherever its own project lets it out to none, it is a stranger, who
 * sees what is open to all.
 */
export async function reachesAsUser(db: Queryable, target: Target, jobProjectId: number): Promise<boolean> {
  if (target.id === jobProjectId) return true;
  const from = await findProjectById(db, jobProjectId);
  if (!from || projectSettings(from).ci_job_token_scope_enabled) return false;
  if (!projectSettings(target).ci_inbound_job_token_scope_enabled) return true;
  return isAllowed(db, target.id, jobProjectId);
}

/** GitLab's words for a job token that is not let in. */
export async function notAllowedText(db: Queryable, target: Target, jobProjectId: number): Promise<string> {
  const from = await projectPath(db, jobProjectId);
  return `Authentication by CI/CD job token not allowed from ${from} to ${target.path}.`;
}
