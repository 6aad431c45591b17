import { UserBasic } from '../../core/entities.ts';
import { DiffEntity } from '../../core/repository/diff-entity.ts';
import { nullable, timestamp } from '../../platform/http/params.ts';
import { type Static, Type } from '../../platform/http/schema.ts';
import { issuableFields } from '../issuable.ts';
import { LabelDetails } from '../labels/entities.ts';
import { Milestone } from '../milestones/entities.ts';
import { TimeStats } from '../time-stats/entity.ts';
import { ForeignEntity } from './ports.ts';

const References = Type.Object(
  { short: Type.String(), relative: Type.String(), full: Type.String() },
  { $id: 'References' },
);

const simpleFields = {
  ...issuableFields,
  web_url: Type.String(),
};

/** `view=simple` */
export const MergeRequestSimple = Type.Object(simpleFields, { $id: 'MergeRequestSimple' });

const basicFields = {
  ...simpleFields,
  merged_by: nullable(UserBasic),
  merge_user: nullable(UserBasic),
  merged_at: nullable(timestamp()),
  closed_by: nullable(UserBasic),
  closed_at: nullable(timestamp()),
  target_branch: Type.String(),
  source_branch: Type.String(),
  user_notes_count: Type.Integer(),
  upvotes: Type.Integer(),
  downvotes: Type.Integer(),
  author: UserBasic,
  assignees: Type.Array(UserBasic),
  assignee: nullable(UserBasic),
  reviewers: Type.Array(UserBasic),
  source_project_id: nullable(Type.Integer()),
  target_project_id: Type.Integer(),
  /** Names, or the whole where `with_labels_details` asks for it. */
  labels: Type.Union([Type.Array(Type.String()), Type.Array(LabelDetails)]),
  draft: Type.Boolean(),
  imported: Type.Boolean(),
  imported_from: Type.String(),
  work_in_progress: Type.Boolean(),
  milestone: nullable(Milestone),
  merge_when_pipeline_succeeds: Type.Boolean(),
  merge_status: Type.String(),
  detailed_merge_status: Type.String(),
  merge_after: Type.Null(),
  sha: nullable(Type.String()),
  merge_commit_sha: nullable(Type.String()),
  squash_commit_sha: nullable(Type.String()),
  discussion_locked: nullable(Type.Boolean()),
  should_remove_source_branch: nullable(Type.Boolean()),
  force_remove_source_branch: Type.Boolean(),
  allow_collaboration: Type.Optional(Type.Boolean()),
  allow_maintainer_to_push: Type.Optional(Type.Boolean()),
  prepared_at: timestamp(),
  reference: Type.String(),
  references: References,
  time_stats: TimeStats,
  squash: Type.Boolean(),
  squash_on_merge: Type.Boolean(),
  task_completion_status: Type.Object({ count: Type.Integer(), completed_count: Type.Integer() }),
  has_conflicts: Type.Boolean(),
  blocking_discussions_resolved: Type.Boolean(),
  approvals_before_merge: Type.Null(),
};

/** What lists show. */
export const MergeRequestBasic = Type.Object(basicFields, { $id: 'MergeRequestBasic' });

export type MergeRequestBasicJson = Static<typeof MergeRequestBasic>;

const detailFields = {
  ...basicFields,
  subscribed: Type.Boolean(),
  changes_count: nullable(Type.String()),
  latest_build_started_at: nullable(Type.String()),
  latest_build_finished_at: nullable(Type.String()),
  first_deployed_to_production_at: Type.Null(),
  pipeline: nullable(ForeignEntity),
  head_pipeline: nullable(ForeignEntity),
  diff_refs: nullable(
    Type.Object({ base_sha: Type.String(), head_sha: Type.String(), start_sha: Type.String() }),
  ),
  merge_error: nullable(Type.String()),
  first_contribution: Type.Boolean(),
  user: Type.Object({ can_merge: Type.Boolean() }),
  rebase_in_progress: Type.Optional(Type.Boolean()),
  diverged_commits_count: Type.Optional(Type.Integer()),
};

/** What reading and changing one answers. */
export const MergeRequest = Type.Object(detailFields, { $id: 'MergeRequest' });

export type MergeRequestJson = Static<typeof MergeRequest>;

/** The detail with its diff. */
export const MergeRequestChanges = Type.Object(
  { ...detailFields, changes: Type.Array(DiffEntity), overflow: Type.Boolean() },
  { $id: 'MergeRequestChanges' },
);
