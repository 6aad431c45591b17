import { ForeignKeyViolation, UniqueViolation } from '../../../platform/db/errors.ts';
import { fail } from '../../../platform/errors.ts';
import type { Core } from '../../core.ts';
import { deleteAllowance, insertAllowance, type Source } from './store.ts';

/** GitLab's: so many projects and groups can be let in. */
const MAX_ALLOWED = 200;

type Deps = Pick<Core, 'database' | 'clock'>;

/** Lets the jobs of a project, or of all projects of a group, in. Throws 400 where they are, and at the limit. */
export async function allowSource(
  { database, clock }: Deps,
  projectId: number,
  source: Source,
  alreadyThere: number,
): Promise<void> {
  const what = 'projectId' in source ? 'project' : 'group';
  const taken = () => fail.refused(`Target ${what} is already in the job token scope`);
  if ('projectId' in source && source.projectId === projectId) throw taken();
  if (alreadyThere >= MAX_ALLOWED) {
    throw fail.refused(`exceeds the limit of ${MAX_ALLOWED} ${what}s in the job token scope`);
  }
  try {
    await database.transaction((tx) => insertAllowance(tx, projectId, source, clock.now()));
  } catch (error) {
    if (error instanceof UniqueViolation) throw taken();
    if (error instanceof ForeignKeyViolation) throw fail.notFound();
    throw error;
  }
}

/** Throws 404 where it was not let in. */
export async function disallowSource({ database }: Deps, projectId: number, source: Source): Promise<void> {
  if (!(await database.transaction((tx) => deleteAllowance(tx, projectId, source)))) throw fail.notFound();
}
