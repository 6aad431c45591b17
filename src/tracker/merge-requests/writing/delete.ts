import type { Core } from '../../../core/core.ts';
import { projectStream } from '../../../core/events.ts';
import type { Project } from '../../../core/tables.ts';
import type { MergeRequestRow } from '../../tables.ts';
import { deleteMergeRequestRow } from '../store.ts';
import { dropRefs } from '../versions/refs.ts';
import '../../events.ts';

/** Removes a merge request with its notes and its refs; the commits stay for git's prune. */
export async function deleteMergeRequest(
  core: Core,
  project: Pick<Project, 'id' | 'storage_path'>,
  row: MergeRequestRow,
  userId: number,
): Promise<void> {
  await core.database.transaction(async (tx) => {
    if (!(await deleteMergeRequestRow(tx, row.id))) return;
    await core.events.publish(tx, {
      type: 'merge_request.deleted',
      stream: projectStream(project.id),
      payload: { projectId: project.id, mergeRequestId: row.id, iid: row.iid, userId },
    });
  });
  await dropRefs(core, project, row.iid);
}
