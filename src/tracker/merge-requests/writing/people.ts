import type { Core } from '../../../core/core.ts';
import type { ProjectWithNamespace } from '../../../core/projects/find.ts';
import { findUsersByIds } from '../../../core/users/store.ts';

/** More are not looked up: each is a question about rights. */
const MAX_PEOPLE = 100;

interface Asked {
  /** The older way to name one; 0 is nobody. */
  one?: number | null | undefined;
  many?: readonly number[] | null | undefined;
}

/**
 * Whom a request names as assignees or reviewers: those of them who may read merge requests of the project, as GitLab
 * leaves out the others without a word. Undefined when it names nobody, not even "nobody".
 */
export async function peopleFor(
  core: Pick<Core, 'db' | 'access'>,
  project: ProjectWithNamespace,
  { one, many }: Asked,
): Promise<number[] | undefined> {
  const ids = many ?? (one == null ? null : [one]);
  if (ids === null) return undefined;
  const users = await findUsersByIds(core.db, ids.slice(0, MAX_PEOPLE));
  const allowed: number[] = [];
  for (const user of users.values()) {
    const access = await core.access.project({ user, admin: user.is_admin === 1 }, project);
    if (access.can('read_merge_request')) allowed.push(user.id);
  }
  return allowed;
}
