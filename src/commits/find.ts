import type { Core, Room } from '../core/core.ts';
import { projectPath, unlessRemoved } from '../core/repository/reading.ts';
import type { Project } from '../core/tables.ts';
import { knownCommit } from '../git/objects.ts';
import type { Repository } from '../git/repository.ts';
import { resolveRevision } from '../git/revision.ts';
import { fail } from '../platform/errors.ts';
import { param } from '../platform/http/params.ts';

export type { Room };

/** The path parameters that nearly every route begins with. */
export const commitPath = {
  ...projectPath,
  sha: param.string({ description: 'Commit id (full or short), branch or tag.' }),
};

export interface FoundCommit {
  repo: Repository;
  /** Full id. */
  oid: string;
}

/** The commit that `:sha` names in the project's repository; 404 when there is none. */
export async function findCommit(
  core: Core,
  project: Project,
  call: { params: { sha: string }; readonly signal: AbortSignal },
): Promise<FoundCommit> {
  const repo = core.repositoryOf(project);
  const { sha } = call.params;
  // A full id that was read before needs neither a name looked up nor somebody to wait for.
  if (knownCommit(repo, sha)) return { repo, oid: sha };
  const oid = await unlessRemoved(resolveRevision(repo, sha, call.signal));
  if (oid === null) throw fail.notFound('Commit');
  return { repo, oid };
}
