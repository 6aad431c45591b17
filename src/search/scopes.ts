import { blobScope, wikiBlobScope } from './blobs/scopes.ts';
import type { CodeSearch } from './code/code-search.ts';
import type { CommitIndex } from './commit-index/commit-index.ts';
import type { FindPipelines } from './commits/ports.ts';
import { commitScope } from './commits/search.ts';
import { searchIssues } from './issues/search.ts';
import { searchMergeRequests } from './merge-requests/search.ts';
import { searchMilestones } from './milestones/search.ts';
import { searchNotes } from './notes/search.ts';
import type { ScopeName } from './place.ts';
import { searchProjects } from './projects/search.ts';
import type { Scope } from './scope.ts';
import { searchSnippetBlobs, searchSnippetTitles } from './snippets/search.ts';
import { searchUsers } from './users/search.ts';

export interface ScopePorts {
  codeSearch: CodeSearch;
  commits: () => Promise<CommitIndex>;
  findPipelines: FindPipelines;
}

export type Scopes = Record<ScopeName, Scope>;

/** What each scope does. */
export const searchScopes = ({ codeSearch, commits, findPipelines }: ScopePorts): Scopes => ({
  projects: searchProjects,
  issues: searchIssues,
  merge_requests: searchMergeRequests,
  milestones: searchMilestones,
  users: searchUsers,
  snippet_titles: searchSnippetTitles,
  snippet_blobs: searchSnippetBlobs,
  notes: searchNotes,
  blobs: blobScope(codeSearch),
  wiki_blobs: wikiBlobScope(codeSearch),
  commits: commitScope({ commits, findPipelines }),
});
