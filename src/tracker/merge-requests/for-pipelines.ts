import type { Core } from '../../core/core.ts';
import { findUsersByIds } from '../../core/users/store.ts';
import { loadLabelNames } from '../labels/links-store.ts';
import { loadMilestones } from '../milestones/store.ts';
import type { MergeRequestRow } from '../tables.ts';
import { approvalsOf } from './approvals/store.ts';
import { loadPeople, loadProjects } from './related-store.ts';
import { findMergeRequest, findMergeRequestById, openFromBranch } from './store.ts';
import { listVersions } from './versions/store.ts';

/** GitLab tells a job of so many. */
const MAX_OPEN = 4;

/** What pipelines are told of merge requests; the room of jobs says in what shape. */
export function mergeRequestsForPipelines({ db }: Pick<Core, 'db'>) {
  return {
    async find(id: number) {
      const row = await findMergeRequestById(db, id);
      return row ? factsOf(db, row) : null;
    },
    async findByIid(projectId: number, iid: number) {
      const row = await findMergeRequest(db, projectId, iid);
      return row ? factsOf(db, row) : null;
    },
    async openFrom(projectId: number, branch: string): Promise<string[]> {
      const rows = (await openFromBranch(db, projectId, branch)).slice(-MAX_OPEN).reverse();
      const projects = await loadProjects(
        db,
        rows.map((row) => row.project_id),
      );
      return rows.map((row) => `${projects.get(row.project_id)?.full_path}!${row.iid}`);
    },
  };
}

async function factsOf(db: Core['db'], row: MergeRequestRow) {
  const [people, labels, milestones, approvals, versions] = await Promise.all([
    loadPeople(db, 'assignees', [row.id]),
    loadLabelNames(db, 'merge_request', [row.id]),
    loadMilestones(db, [row.milestone_id]),
    approvalsOf(db, row.id),
    listVersions(db, row.id, { limit: 1, offset: 0 }),
  ]);
  const users = await findUsersByIds(db, people.get(row.id) ?? []);
  return {
    id: row.id,
    iid: row.iid,
    projectId: row.project_id,
    sourceProjectId: row.source_project_id,
    sourceBranch: row.source_branch,
    targetBranch: row.target_branch,
    sha: row.sha,
    baseSha: row.base_sha,
    diffId: versions[0]?.id ?? null,
    state: row.state,
    title: row.title,
    description: row.description ?? '',
    draft: row.draft === 1,
    squash: row.squash === 1,
    approved: approvals.length > 0,
    assignees: [...users.values()].map(({ username }) => username),
    labels: labels.get(row.id) ?? [],
    milestone: row.milestone_id === null ? null : (milestones.get(row.milestone_id)?.title ?? null),
  };
}
