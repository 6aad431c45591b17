import type { ProjectAccess } from '../../core/access/access.ts';
import type { Core } from '../../core/core.ts';
import { findProjectById } from '../../core/projects/store.ts';
import type { User } from '../../core/tables.ts';
import { commitTitle } from '../../git/message.ts';
import { readCommit } from '../../git/objects.ts';
import { RepositoryNotFound } from '../../git/repository.ts';
import { loadAssignees } from '../issues/people-store.ts';
import { mayReadWhen } from '../issues/rights.ts';
import { findIssueById } from '../issues/store.ts';
import { loadPeople } from '../merge-requests/related-store.ts';
import { findMergeRequestById } from '../merge-requests/store.ts';
import { loadMilestones } from '../milestones/store.ts';
import { mayReadInProject } from '../snippets/rights.ts';
import { findSnippet } from '../snippets/store.ts';
import { labelIdsOn, userByEmail } from './store.ts';

/** What notifications need to know of the things of this room, and of commits, which are commented on here. */

export type ThingRef =
  | { type: 'Issue' | 'MergeRequest' | 'Snippet'; id: number }
  | { type: 'Commit'; projectId: number; sha: string };

interface Reader extends Pick<ProjectAccess, 'can' | 'level'> {
  user: Pick<User, 'id' | 'external'>;
}

type Deps = Pick<Core, 'db' | 'repositoryOf'>;

/** Null when it is gone. */
export function findThing(core: Deps, ref: ThingRef) {
  switch (ref.type) {
    case 'Issue':
      return issueFacts(core, ref.id);
    case 'MergeRequest':
      return mergeRequestFacts(core, ref.id);
    case 'Snippet':
      return snippetFacts(core, ref.id);
    case 'Commit':
      return commitFacts(core, ref);
  }
}

/** What most things do not have. */
const WITHOUT = {
  iid: null,
  sha: null,
  state: null,
  confidential: null,
  assigneeIds: [] as readonly number[],
  reviewerIds: [] as readonly number[],
  labelIds: [] as readonly number[],
  milestone: null,
  draft: false,
  sourceBranch: null,
  targetBranch: null,
  dueDate: null,
};

async function issueFacts({ db }: Deps, id: number) {
  const row = await findIssueById(db, id);
  if (!row) return null;
  const assigneeIds = (await loadAssignees(db, [id])).get(id) ?? [];
  return {
    ...WITHOUT,
    type: 'Issue' as const,
    id,
    iid: row.iid,
    projectId: row.project_id,
    title: row.title,
    description: row.description,
    path: `/-/issues/${row.iid}`,
    reference: `#${row.iid}`,
    state: row.state,
    confidential: row.confidential === 1,
    authorId: row.author_id,
    assigneeIds,
    labelIds: await labelIdsOn(db, 'issue', id),
    milestone: await milestoneTitle(db, row.milestone_id),
    dueDate: row.due_date,
    mayRead: (reader: Reader) =>
      mayReadWhen(reader, row, row.author_id === reader.user.id || assigneeIds.includes(reader.user.id)),
  };
}

async function mergeRequestFacts({ db }: Deps, id: number) {
  const row = await findMergeRequestById(db, id);
  if (!row) return null;
  return {
    ...WITHOUT,
    type: 'MergeRequest' as const,
    id,
    iid: row.iid,
    projectId: row.project_id,
    sha: row.sha,
    title: row.title,
    description: row.description,
    path: `/-/merge_requests/${row.iid}`,
    reference: `!${row.iid}`,
    state: row.state,
    authorId: row.author_id,
    assigneeIds: (await loadPeople(db, 'assignees', [id])).get(id) ?? [],
    reviewerIds: (await loadPeople(db, 'reviewers', [id])).get(id) ?? [],
    labelIds: await labelIdsOn(db, 'merge_request', id),
    milestone: await milestoneTitle(db, row.milestone_id),
    draft: row.draft === 1,
    sourceBranch: row.source_branch,
    targetBranch: row.target_branch,
    mayRead: (reader: Reader) => reader.can('read_merge_request'),
  };
}

async function milestoneTitle(db: Deps['db'], id: number | null): Promise<string | null> {
  return (await loadMilestones(db, [id])).get(id ?? 0)?.title ?? null;
}

/** Only those of projects can be talked about. */
async function snippetFacts({ db }: Deps, id: number) {
  const row = await findSnippet(db, id);
  if (!row || row.project_id === null) return null;
  return {
    ...WITHOUT,
    type: 'Snippet' as const,
    id,
    projectId: row.project_id,
    title: row.title,
    description: row.description,
    path: `/-/snippets/${id}`,
    reference: `$${id}`,
    authorId: row.author_id,
    mayRead: (reader: Reader) => mayReadInProject(row, reader, reader),
  };
}

async function commitFacts(core: Deps, { projectId, sha }: { projectId: number; sha: string }) {
  const project = await findProjectById(core.db, projectId);
  const commit = project && (await unlessGone(readCommit(core.repositoryOf(project), sha)));
  if (!commit) return null;
  return {
    ...WITHOUT,
    type: 'Commit' as const,
    id: null,
    projectId,
    sha,
    title: commitTitle(commit.message),
    description: null,
    path: `/-/commit/${sha}`,
    reference: sha.slice(0, 8),
    authorId: await userByEmail(core.db, commit.author.email),
    mayRead: (reader: Reader) => reader.can('read_code'),
  };
}

/** A project that is being deleted loses its repository before its row. */
async function unlessGone<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof RepositoryNotFound) return null;
    throw error;
  }
}
