import type { Housekeeping } from '../../git/housekeeping.ts';
import type { Core } from '../core.ts';
import { findProjectById } from '../projects/store.ts';
import '../events.ts';
import './events.ts';

/** Wakes housekeeping for every repository in which a ref has moved, or for which somebody asked. */
export function keepRepositoriesFast(core: Core, housekeeping: Housekeeping): void {
  core.events.subscribe('core.housekeeping', ['ref.moved', 'project.housekeeping'], async ({ payload }) => {
    const project = await findProjectById(core.db, payload.projectId);
    if (project) housekeeping.afterPush(core.repositoryOf(project).path);
  });
}
