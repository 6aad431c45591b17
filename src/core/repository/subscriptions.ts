import type { Housekeeping } from '../../git/housekeeping.ts';
import type { Core } from '../core.ts';
import { findProjectById } from '../projects/store.ts';
import { wikiRepositoryOf } from '../projects/wiki.ts';
import '../events.ts';
import './events.ts';

/** Wakes housekeeping for every repository in which a ref has moved, or for both of a project for which somebody asked. */
export function keepRepositoriesFast(core: Core, housekeeping: Housekeeping): void {
  const types = ['ref.moved', 'wiki.moved', 'project.housekeeping'] as const;
  core.events.subscribe('core.housekeeping', types, async ({ type, payload }) => {
    const project = await findProjectById(core.db, payload.projectId);
    if (!project) return;
    if (type !== 'wiki.moved') housekeeping.afterPush(core.repositoryOf(project).path);
    if (type !== 'ref.moved') housekeeping.afterPush(wikiRepositoryOf(core, project).path);
  });
}
