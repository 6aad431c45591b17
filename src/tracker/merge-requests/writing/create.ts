import type { Caller } from '../../../core/caller.ts';
import type { Core } from '../../../core/core.ts';
import type { InProject } from '../../../core/guards.ts';
import type { ProjectWithNamespace } from '../../../core/projects/find.ts';
import { findProjectById } from '../../../core/projects/store.ts';
import { fail } from '../../../platform/errors.ts';
import type { MergeRequestRow } from '../../tables.ts';
import { keepHead } from '../versions/refs.ts';
import type { Branches } from '../versions/version.ts';
import { pairOf, refuseSecond, textProblems, versionFor } from './checks.ts';
import { isOneForkNetwork } from './fork-network.ts';
import { insertDraft } from './insert.ts';

export interface NewMergeRequest {
  source_branch: string;
  target_branch: string;
  title: string;
  target_project_id?: number | null | undefined;
  description?: string | null | undefined;
  assignee_id?: number | null | undefined;
  assignee_ids?: number[] | null | undefined;
  reviewer_ids?: number[] | null | undefined;
  labels?: string[] | null | undefined;
  milestone_id?: number | null | undefined;
  remove_source_branch?: boolean | null | undefined;
  squash?: boolean | null | undefined;
  allow_collaboration?: boolean | null | undefined;
}

/**
 * Opens a merge request from a branch of the project asked. Throws 403 and 404 for rights, 422 for branches that cannot be
 * merged into each other, 400 for what is missing, 409 when there is an open one for the two branches.
 */
export async function createMergeRequest(
  core: Core,
  caller: Caller,
  { project: source, access }: InProject,
  input: NewMergeRequest,
): Promise<MergeRequestRow> {
  access.demand('create_merge_request');
  const target = await targetProject(core, caller, source, input.target_project_id ?? null);
  const branches: Branches = {
    source: { project: source, branch: input.source_branch },
    target: { project: target, branch: input.target_branch },
  };
  refuseSame(branches);
  const version = await versionFor(core, branches, textProblems(input));
  const pair = pairOf(branches);
  await refuseSecond(core, pair);
  const row = await insertDraft(core, caller, { input, target, pair, version });
  await keepHead(core, target, row);
  return row;
}

async function targetProject(
  core: Core,
  caller: Caller,
  source: ProjectWithNamespace,
  id: number | null,
): Promise<ProjectWithNamespace> {
  if (id === null || id === source.id) return source;
  const target = await findProjectById(core.db, id);
  if (!target) throw fail.notFound('Project');
  const access = await core.access.project(caller, target);
  access.demand('read_code');
  access.demand('read_merge_request');
  if (!(await isOneForkNetwork(core.db, source, target))) {
    throw fail.unprocessable(['Source project is not a fork of the target project']);
  }
  if (target.archived === 1) throw fail.forbidden();
  return target;
}

function refuseSame({ source, target }: Branches): void {
  if (source.project.id !== target.project.id || source.branch !== target.branch) return;
  throw fail.unprocessable(["You can't use same project/branch for source and target"]);
}
