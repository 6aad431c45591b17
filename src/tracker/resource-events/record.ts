import type { Tx } from '../../platform/db/tables.ts';
import { insertResourceEvents } from './store.ts';
import type { ResourceType } from './tables.ts';

/** Who changed what, and when. */
export interface Deed {
  type: ResourceType;
  id: number;
  projectId: number;
  userId: number | null;
  now: number;
}

export interface Changed {
  /** Ids. */
  labels?: { added: readonly number[]; removed: readonly number[] } | undefined;
  milestone?: { before: number | null; after: number | null } | undefined;
  state?: 'closed' | 'reopened' | 'merged' | undefined;
}

/** Writes the history of a change, in the transaction that makes it. What has not changed leaves no trace. */
export async function recordHistory(
  tx: Tx,
  { type, id, projectId, userId, now }: Deed,
  { labels, milestone, state }: Changed,
): Promise<void> {
  const common = {
    project_id: projectId,
    resource_type: type,
    resource_id: id,
    user_id: userId,
    label_id: null,
    milestone_id: null,
    created_at: now,
  };
  const labelled = (ids: readonly number[] = [], action: 'add' | 'remove') =>
    ids.map((label_id) => ({ ...common, kind: 'label', label_id, action }) as const);
  await insertResourceEvents(tx, [
    ...labelled(labels?.removed, 'remove'),
    ...labelled(labels?.added, 'add'),
    ...moves(milestone).map((move) => ({ ...common, kind: 'milestone', ...move }) as const),
    ...(state ? [{ ...common, kind: 'state', action: state } as const] : []),
  ]);
}

function moves(milestone: Changed['milestone']) {
  if (!milestone || milestone.before === milestone.after) return [];
  const { before, after } = milestone;
  // GitLab tells of the new one only; taking one away names what was there.
  return after === null
    ? [{ milestone_id: before, action: 'remove' as const }]
    : [{ milestone_id: after, action: 'add' as const }];
}
