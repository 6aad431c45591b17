import { searchMergeRequests } from './merge-requests/search.ts';
import { searchMilestones } from './milestones/search.ts';
import { searchNotes } from './notes/search.ts';
import type { ScopeName } from './place.ts';
import { searchProjects } from './projects/search.ts';
import type { Scope } from './scope.ts';
import { searchUsers } from './users/search.ts';

export type Scopes = Partial<Record<ScopeName, Scope>>;

/** What each scope does. */
export const searchScopes = (): Scopes => ({
  projects: searchProjects,
  merge_requests: searchMergeRequests,
  milestones: searchMilestones,
  users: searchUsers,
  notes: searchNotes,
});
