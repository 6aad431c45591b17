import type { Actor } from '../caller.ts';
import type { ProjectWithNamespace } from '../projects/find.ts';

/** Names of branches of the project. */
export type OpenBranches = (project: ProjectWithNamespace, caller: Actor) => Promise<ReadonlySet<string>>;

/**
 * Branches that somebody may push to though he may not push to their project. Merge requests open them, and the room that has
 * those puts its answer here when it is wired; without it there are none.
 */
export class Collaboration {
  openBranches: OpenBranches = async () => new Set();
}
