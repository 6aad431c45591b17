import type { Caller } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import type { ProjectWithNamespace } from '../../core/projects/find.ts';
import { labelsSubscribedBy } from '../subscriptions/store.ts';
import { presentGroupLabel, presentProjectLabel } from './entities.ts';
import { labelCounts } from './list-store.ts';
import { loadPriorities } from './store.ts';
import type { LabelRow } from './tables.ts';

interface Asked {
  caller: Caller;
  withCounts: boolean;
}

/** As a project shows them: with their priority there, and counts of what is in it. */
export async function presentProjectLabels(
  core: Pick<Core, 'db' | 'access'>,
  project: Pick<ProjectWithNamespace, 'id'>,
  labels: readonly LabelRow[],
  asked: Asked,
) {
  const ids = labels.map(({ id }) => id);
  const priorities = await loadPriorities(core.db, project.id, ids);
  const counts = await countsFor(core, ids, asked, project.id);
  const subscribed = await labelsSubscribedBy(core.db, asked.caller.user.id, ids, project.id);
  return labels.map((label) =>
    presentProjectLabel(label, {
      priority: priorities.get(label.id),
      counted: counts.get(label.id),
      subscribed: subscribed.has(label.id),
    }),
  );
}

/** As a group shows them: with counts over all projects that the caller may read. */
export async function presentGroupLabels(
  core: Pick<Core, 'db' | 'access'>,
  labels: readonly LabelRow[],
  asked: Asked,
) {
  const ids = labels.map(({ id }) => id);
  const counts = await countsFor(core, ids, asked);
  const subscribed = await labelsSubscribedBy(core.db, asked.caller.user.id, ids, null);
  return labels.map((label) =>
    presentGroupLabel(label, { counted: counts.get(label.id), subscribed: subscribed.has(label.id) }),
  );
}

const countsFor = async (
  { db, access }: Pick<Core, 'db' | 'access'>,
  ids: number[],
  { caller, withCounts }: Asked,
  projectId?: number,
) => (withCounts ? labelCounts(db, ids, { viewer: access.viewer(caller), projectId }) : new Map());
