import type { Core } from '../../core/core.ts';
import { isoTime } from '../../core/entities.ts';
import { nullable, timestamp } from '../../platform/http/params.ts';
import { type Static, Type } from '../../platform/http/schema.ts';
import type { MilestoneRow } from './tables.ts';

/** Of `project_id` and `group_id` only the one that it has is there, as in GitLab. */
export const Milestone = Type.Object(
  {
    id: Type.Integer(),
    iid: Type.Integer(),
    project_id: Type.Optional(Type.Integer()),
    group_id: Type.Optional(Type.Integer()),
    title: Type.String(),
    description: Type.String(),
    state: Type.String(),
    created_at: timestamp(),
    updated_at: timestamp(),
    due_date: nullable(Type.String({ format: 'date' })),
    start_date: nullable(Type.String({ format: 'date' })),
    expired: Type.Boolean(),
    web_url: Type.String(),
  },
  { $id: 'Milestone' },
);

export type MilestoneJson = Static<typeof Milestone>;

/** A milestone with where its page is, below the service's address. */
export interface PlacedMilestone extends MilestoneRow {
  /** Full path of its project or group. */
  place: string;
}

export function presentMilestone(
  milestone: PlacedMilestone,
  { baseUrl, today }: { baseUrl: string; today: string },
): MilestoneJson {
  const { project_id, group_id, due_date } = milestone;
  const page = group_id === null ? milestone.place : `groups/${milestone.place}`;
  return {
    id: milestone.id,
    iid: milestone.iid,
    ...(project_id !== null && { project_id }),
    ...(group_id !== null && { group_id }),
    title: milestone.title,
    description: milestone.description ?? '',
    state: milestone.state,
    created_at: isoTime(milestone.created_at),
    updated_at: isoTime(milestone.updated_at),
    due_date,
    start_date: milestone.start_date,
    expired: due_date !== null && due_date < today,
    web_url: `${baseUrl}/${page}/-/milestones/${milestone.iid}`,
  };
}

/** Presents milestones as of today, at the address of the call. */
export const milestonePresenter =
  ({ baseUrl, access }: Pick<Core, 'baseUrl' | 'access'>) =>
  (milestone: PlacedMilestone): MilestoneJson =>
    presentMilestone(milestone, { baseUrl: baseUrl(), today: access.today() });
