import type { Core } from '../../../core/core.ts';
import { findUser } from '../../../core/users/store.ts';
import { ApiError, fail } from '../../../platform/errors.ts';
import type { MergeRequestRow } from '../../tables.ts';
import { sidesOf } from '../branches.ts';
import type { FindHeadPipeline } from '../ports.ts';
import { findMergeRequestById, waitingForPipeline } from '../store.ts';
import { type AutoMerge, autoMergeOf, cancelAutoMerge } from './auto-merge.ts';
import { mergeMergeRequest } from './merge.ts';
import '../../events.ts';

/** Looks when somebody asks to merge later, in case the pipeline ended just then, and whenever a pipeline has. */
export function followPipelines(core: Core, findHeadPipeline: FindHeadPipeline): void {
  core.events.subscribe(
    'tracker.auto-merge',
    ['pipeline.updated', 'merge_request.auto_merge_enabled'],
    async ({ type, payload }) => {
      const ofBranch = type === 'pipeline.updated' && payload.mergeRequestId === null;
      const rows = ofBranch
        ? await waitingForPipeline(core.db, payload)
        : [await findMergeRequestById(core.db, payload.mergeRequestId ?? 0)];
      for (const row of rows) if (row) await mergeIfDue(core, row, findHeadPipeline);
    },
  );
}

/** May run twice for one merge: what is merged already is not open any more. */
async function mergeIfDue(core: Core, row: MergeRequestRow, findHeadPipeline: FindHeadPipeline) {
  const autoMerge = autoMergeOf(row);
  const { id: mergeRequestId, source_project_id: projectId, source_branch: ref, sha } = row;
  if (!autoMerge || row.state !== 'opened' || projectId === null || sha === null) return;
  const pipeline = await findHeadPipeline({ mergeRequestId, projectId, ref, sha }, core.baseUrl());
  // A pipeline that failed may be tried again: GitLab too goes on waiting for it.
  if (pipeline?.status !== 'success' && pipeline?.status !== 'skipped') return;
  try {
    await mergeFor(core, row, autoMerge, findHeadPipeline);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
    await cancelAutoMerge(core, row, { userId: null, reason: `Automatic merge canceled: ${error.message}` });
  }
}

async function mergeFor(
  core: Core,
  row: MergeRequestRow,
  { userId, options }: AutoMerge,
  findHeadPipeline: FindHeadPipeline,
): Promise<void> {
  const user = await findUser(core.db, userId);
  const sides = await sidesOf(core, row);
  if (!sides) return;
  if (user?.state !== 'active') throw fail.unauthorized();
  const actor = { user, admin: user.is_admin === 1 };
  const access = await core.access.project(actor, sides.target.project);
  await mergeMergeRequest(core, row.id, {
    caller: actor,
    access,
    sides,
    options: { ...options, sha: row.sha },
    findHeadPipeline,
  });
}
