import type { Core } from '../../core/core.ts';
import type { ProjectWithNamespace } from '../../core/projects/find.ts';
import { findUser } from '../../core/users/store.ts';

interface Asked {
  /** The older way to name one; 0 is nobody. */
  assignee_id?: number | null | undefined;
  assignee_ids?: readonly (number | null)[] | null | undefined;
}

/**
 * Whom a request names as assignee: the first, since the free edition knows only one, and only if he may read issues of the
 * project. Undefined when the request says nothing that could be followed, empty when it says nobody.
 */
export async function assigneeFor(
  core: Pick<Core, 'db' | 'access'>,
  project: ProjectWithNamespace,
  { assignee_id: one, assignee_ids: many }: Asked,
): Promise<number[] | undefined> {
  if (many === undefined && one === undefined) return undefined;
  const id = many === undefined ? one : many?.[0];
  if (!id) return [];
  const user = await findUser(core.db, id);
  if (user?.state !== 'active') return undefined;
  const access = await core.access.project({ user, admin: user.is_admin === 1 }, project);
  return access.can('read_issue') ? [user.id] : undefined;
}
