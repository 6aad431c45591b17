import { UserBasic } from '../../core/entities.ts';
import { nullable, timestamp } from '../../platform/http/params.ts';
import { type Static, Type } from '../../platform/http/schema.ts';
import { issuableFields } from '../issuable.ts';
import { LabelDetails } from '../labels/entities.ts';
import { Milestone } from '../milestones/entities.ts';
import { TimeStats } from '../time-stats/entity.ts';

const basicFields = {
  ...issuableFields,
  closed_at: nullable(timestamp()),
  closed_by: nullable(UserBasic),
  /** Names, or the whole where `with_labels_details` asks for it. */
  labels: Type.Union([Type.Array(Type.String()), Type.Array(LabelDetails)]),
  milestone: nullable(Milestone),
  assignees: Type.Array(UserBasic),
  author: UserBasic,
  type: Type.String(),
  assignee: nullable(UserBasic),
  user_notes_count: Type.Integer(),
  merge_requests_count: Type.Integer(),
  upvotes: Type.Integer(),
  downvotes: Type.Integer(),
  due_date: nullable(Type.String({ format: 'date' })),
  confidential: Type.Boolean(),
  discussion_locked: nullable(Type.Boolean()),
  issue_type: Type.String(),
  web_url: Type.String(),
  time_stats: TimeStats,
  task_completion_status: Type.Object({ count: Type.Integer(), completed_count: Type.Integer() }),
  blocking_issues_count: Type.Integer(),
  has_tasks: Type.Boolean(),
  task_status: Type.Optional(Type.String()),
  _links: Type.Object({
    self: Type.String(),
    notes: Type.String(),
    award_emoji: Type.String(),
    project: Type.String(),
    closed_as_duplicate_of: nullable(Type.String()),
  }),
  references: Type.Object({ short: Type.String(), relative: Type.String(), full: Type.String() }),
  severity: Type.String(),
  moved_to_id: nullable(Type.Integer()),
  imported: Type.Boolean(),
  imported_from: Type.String(),
  service_desk_reply_to: nullable(Type.String()),
};

/** What lists show. */
export const IssueBasic = Type.Object(basicFields, { $id: 'IssueBasic' });

/** What reading and changing one answers. */
export const Issue = Type.Object({ ...basicFields, subscribed: Type.Boolean() }, { $id: 'Issue' });

export type IssueBasicJson = Static<typeof IssueBasic>;
export type IssueJson = Static<typeof Issue>;

export const IssuesStatistics = Type.Object(
  {
    statistics: Type.Object({
      counts: Type.Object({ all: Type.Integer(), closed: Type.Integer(), opened: Type.Integer() }),
    }),
  },
  { $id: 'IssuesStatistics' },
);
