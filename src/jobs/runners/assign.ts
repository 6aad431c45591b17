import type { Core } from '../../core/core.ts';
import { UniqueViolation } from '../../platform/db/errors.ts';
import { fail } from '../../platform/errors.ts';
import { announceRunner } from './announce.ts';
import { deleteRunnerProject, insertRunnerProject, projectIdsOf } from './store.ts';

type Deps = Pick<Core, 'database' | 'events'>;

/** Throws 400 where the project has the runner already. */
export async function assignRunner(core: Deps, runnerId: number, projectId: number): Promise<void> {
  try {
    await core.database.transaction(async (tx) => {
      await insertRunnerProject(tx, runnerId, projectId);
      await announceRunner(tx, core, runnerId);
    });
  } catch (error) {
    if (error instanceof UniqueViolation) throw fail.invalid({ runner: ['has already been taken'] });
    throw error;
  }
}

/** Throws 404 where the project has no such runner, 403 where it is the only one that has it. */
export async function unassignRunner(core: Deps, runnerId: number, projectId: number): Promise<void> {
  await core.database.transaction(async (tx) => {
    const projects = await projectIdsOf(tx, runnerId);
    if (!projects.includes(projectId)) throw fail.notFound('Runner');
    if (projects.length === 1) {
      throw fail.forbidden('Only one project associated with the runner. Please remove the runner instead');
    }
    await deleteRunnerProject(tx, runnerId, projectId);
    await announceRunner(tx, core, runnerId);
  });
}
