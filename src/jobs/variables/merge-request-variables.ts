import type { Project } from '../../core/tables.ts';
import type { MergeRequestFacts } from '../ports.ts';
import { type JobVariable, openVariables } from './variable.ts';

/** A merge request with the projects that it is between. */
export interface MergeRequestSide {
  facts: MergeRequestFacts;
  target: Pick<Project, 'id' | 'full_path'>;
  source: Pick<Project, 'id' | 'full_path'> | null;
  targetBranchProtected: boolean;
}

/** GitLab cuts it there; what a process may be given is bounded. */
const MAX_DESCRIPTION = 2700;

/** Where the commit of a merge request can be fetched. */
export const mergeRequestRef = (iid: number): string => `refs/merge-requests/${iid}/head`;

/** What the jobs of a merge request's pipeline are told of it. */
export function mergeRequestVariables(
  { facts, target, source, targetBranchProtected }: MergeRequestSide,
  baseUrl: string,
): JobVariable[] {
  const { description } = facts;
  return openVariables({
    CI_MERGE_REQUEST_ID: facts.id,
    CI_MERGE_REQUEST_IID: facts.iid,
    CI_MERGE_REQUEST_REF_PATH: mergeRequestRef(facts.iid),
    CI_MERGE_REQUEST_PROJECT_ID: target.id,
    CI_MERGE_REQUEST_PROJECT_PATH: target.full_path,
    CI_MERGE_REQUEST_PROJECT_URL: `${baseUrl}/${target.full_path}`,
    CI_MERGE_REQUEST_TARGET_BRANCH_NAME: facts.targetBranch,
    CI_MERGE_REQUEST_TARGET_BRANCH_PROTECTED: String(targetBranchProtected),
    // set only where what merging would give is tested, which is not done here
    CI_MERGE_REQUEST_TARGET_BRANCH_SHA: '',
    CI_MERGE_REQUEST_SOURCE_BRANCH_SHA: '',
    CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: facts.sourceBranch,
    CI_MERGE_REQUEST_SOURCE_PROJECT_ID: source?.id,
    CI_MERGE_REQUEST_SOURCE_PROJECT_PATH: source?.full_path,
    CI_MERGE_REQUEST_SOURCE_PROJECT_URL: source && `${baseUrl}/${source.full_path}`,
    CI_MERGE_REQUEST_DIFF_ID: facts.diffId,
    CI_MERGE_REQUEST_DIFF_BASE_SHA: facts.baseSha,
    CI_MERGE_REQUEST_TITLE: facts.title,
    CI_MERGE_REQUEST_DESCRIPTION: description.slice(0, MAX_DESCRIPTION),
    CI_MERGE_REQUEST_DESCRIPTION_IS_TRUNCATED: String(description.length > MAX_DESCRIPTION),
    CI_MERGE_REQUEST_DRAFT: String(facts.draft),
    CI_MERGE_REQUEST_SQUASH_ON_MERGE: String(facts.squash),
    CI_MERGE_REQUEST_APPROVED: facts.approved ? 'true' : null,
    CI_MERGE_REQUEST_ASSIGNEES: facts.assignees.join(' and ') || null,
    CI_MERGE_REQUEST_MILESTONE: facts.milestone,
    CI_MERGE_REQUEST_LABELS: facts.labels.join(',') || null,
    CI_MERGE_REQUEST_EVENT_TYPE: 'detached',
  });
}
