import { isoTime } from '../../../core/entities.ts';
import { CommitBasic } from '../../../core/repository/commit-entity.ts';
import { DiffEntity } from '../../../core/repository/diff-entity.ts';
import { nullable, timestamp } from '../../../platform/http/params.ts';
import { Type } from '../../../platform/http/schema.ts';
import type { MergeRequestVersionRow } from '../../tables.ts';

export const DiffVersion = Type.Object(
  {
    id: Type.Integer(),
    head_commit_sha: Type.String(),
    base_commit_sha: nullable(Type.String()),
    start_commit_sha: Type.String(),
    created_at: timestamp(),
    merge_request_id: Type.Integer(),
    state: Type.String(),
    real_size: Type.String(),
    patch_id_sha: nullable(Type.String()),
  },
  { $id: 'MergeRequestDiffVersion' },
);

export const DiffVersionFull = Type.Object(
  {
    ...DiffVersion.properties,
    commits: Type.Array(CommitBasic),
    diffs: Type.Array(DiffEntity),
  },
  { $id: 'MergeRequestDiffVersionFull' },
);

/** With the patch id of its changes, null where it changes nothing, or more than a diff shows. */
export function presentVersion(version: MergeRequestVersionRow, patchIdSha: string | null) {
  return {
    id: version.id,
    head_commit_sha: version.head_sha,
    base_commit_sha: version.base_sha,
    start_commit_sha: version.start_sha,
    created_at: isoTime(version.created_at),
    merge_request_id: version.merge_request_id,
    state: stateOf(version),
    real_size: String(version.changes_count),
    patch_id_sha: patchIdSha,
  };
}

function stateOf({ changes_count, changes_overflow }: MergeRequestVersionRow): string {
  if (changes_count === 0) return 'empty';
  return changes_overflow === 1 ? 'overflow' : 'collected';
}
