import { isoTime, UserBasic } from '../../core/entities.ts';
import type { User } from '../../core/tables.ts';
import { presentAuthor } from '../../core/users/ghost.ts';
import { findUsersByIds } from '../../core/users/store.ts';
import type { Queryable } from '../../platform/db/tables.ts';
import { nullable, timestamp } from '../../platform/http/params.ts';
import { Type } from '../../platform/http/schema.ts';
import { LabelDetails, presentLabelDetails } from '../labels/entities.ts';
import type { LabelRow } from '../labels/tables.ts';
import { Milestone, type PlacedMilestone, presentMilestone } from '../milestones/entities.ts';
import { loadMilestones } from '../milestones/store.ts';
import { loadLabelRows } from './store.ts';
import type { ResourceEventRow } from './tables.ts';

const common = {
  id: Type.Integer(),
  user: UserBasic,
  created_at: timestamp(),
  resource_type: Type.String(),
  resource_id: Type.Integer(),
};

export const LabelEvent = Type.Object(
  { ...common, label: nullable(LabelDetails), action: Type.String() },
  { $id: 'ResourceLabelEvent' },
);
export const MilestoneEvent = Type.Object(
  { ...common, milestone: nullable(Milestone), action: Type.String() },
  { $id: 'ResourceMilestoneEvent' },
);
export const StateEvent = Type.Object({ ...common, state: Type.String() }, { $id: 'ResourceStateEvent' });

interface Related {
  users: Map<number, User>;
  labels: Map<number, LabelRow>;
  milestones: Map<number, PlacedMilestone>;
}

export interface PresentOptions {
  baseUrl: string;
  /** `YYYY-MM-DD`: milestones are expired before it. */
  today: string;
}

/** As many queries for one as for a hundred. */
export async function presentResourceEvents(
  db: Queryable,
  rows: readonly ResourceEventRow[],
  options: PresentOptions,
) {
  const related = await loadRelated(db, rows);
  return rows.map((row) => presentOne(row, related, options));
}

async function loadRelated(db: Queryable, rows: readonly ResourceEventRow[]): Promise<Related> {
  const [users, labels, milestones] = await Promise.all([
    findUsersByIds(
      db,
      rows.flatMap((row) => row.user_id ?? []),
    ),
    loadLabelRows(
      db,
      rows.flatMap((row) => row.label_id ?? []),
    ),
    loadMilestones(
      db,
      rows.map((row) => row.milestone_id),
    ),
  ]);
  return { users, labels, milestones };
}

function presentOne(row: ResourceEventRow, { users, labels, milestones }: Related, options: PresentOptions) {
  const shown = {
    id: row.id,
    user: presentAuthor(users.get(row.user_id ?? 0), options.baseUrl),
    created_at: isoTime(row.created_at),
    resource_type: row.resource_type,
    resource_id: row.resource_id,
  };
  if (row.kind === 'state') return { ...shown, state: row.action };
  if (row.kind === 'label') {
    const label = labels.get(row.label_id ?? 0);
    return { ...shown, label: label ? presentLabelDetails(label) : null, action: row.action };
  }
  const milestone = milestones.get(row.milestone_id ?? 0);
  return { ...shown, milestone: milestone ? presentMilestone(milestone, options) : null, action: row.action };
}
