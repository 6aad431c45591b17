import { traversalIds } from '../../core/access/store.ts';
import type { ProjectWithNamespace } from '../../core/projects/find.ts';
import type { Queryable } from '../../platform/db/tables.ts';
import { findMilestone } from './store.ts';

/** Id of the milestone that a request names; null for none, and for one that the project does not know; undefined where it names none. */
export async function chosenMilestone(
  db: Queryable,
  project: Pick<ProjectWithNamespace, 'id' | 'traversal'>,
  id: number | null | undefined,
): Promise<number | null | undefined> {
  if (id === undefined) return undefined;
  if (!id) return null;
  const scope = { projectId: project.id, groupIds: traversalIds(project.traversal) };
  return (await findMilestone(db, scope, id))?.id ?? null;
}
