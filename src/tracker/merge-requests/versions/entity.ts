import { Type } from 'typebox';
import { isoTime } from '../../../core/entities.ts';
import { CommitBasic } from '../../../core/repository/commit-entity.ts';
import { DiffEntity } from '../../../core/repository/diff-entity.ts';
import { timestamp } from '../../../platform/http/params.ts';
import type { MergeRequestRow } from '../../tables.ts';

export const DiffVersion = Type.Object(
  {
    id: Type.Integer(),
    head_commit_sha: Type.String(),
    base_commit_sha: Type.String(),
    start_commit_sha: Type.String(),
    created_at: timestamp(),
    merge_request_id: Type.Integer(),
    state: Type.String(),
    real_size: Type.String(),
    patch_id_sha: Type.Null(),
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

interface Versioned extends MergeRequestRow {
  sha: string;
  base_sha: string;
  start_sha: string;
}

export const hasVersion = (row: MergeRequestRow): row is Versioned =>
  row.sha !== null && row.base_sha !== null && row.start_sha !== null;

/** Unlike for every version of every merge request, and growing, as GitLab's are. */
export const versionId = (row: MergeRequestRow): number => row.id * 1_000_000 + row.version;

export function presentVersion(row: MergeRequestRow) {
  const { sha, base_sha, start_sha } = row as Versioned;
  return {
    id: versionId(row),
    head_commit_sha: sha,
    base_commit_sha: base_sha,
    start_commit_sha: start_sha,
    created_at: isoTime(row.versioned_at ?? row.created_at),
    merge_request_id: row.id,
    state: row.changes_overflow === 1 ? 'overflow' : 'collected',
    real_size: String(row.changes_count),
    patch_id_sha: null,
  };
}
