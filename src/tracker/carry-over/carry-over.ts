import type { Core } from '../../core/core.ts';
import type { ProjectWithNamespace } from '../../core/projects/find.ts';
import { findProjectById } from '../../core/projects/store.ts';
import type { Tx } from '../../platform/db/tables.ts';
import { scopeOf } from '../labels/named.ts';
import { insertLabelsOnce, labelsByName } from '../labels/store.ts';
import { insertMilestone, listMilestones } from '../milestones/store.ts';
import { exchangeLabel, exchangeMilestone, foreignLabels, foreignMilestones, type Home } from './store.ts';
import '../../core/events.ts';

/**
 * A project that moves to another group, by itself or with the group it is in, loses sight of the labels and milestones of
 * the groups it leaves. Those that its issues and merge requests have become its own. May come twice.
 */
export function followTransfers(core: Core): void {
  core.events.subscribe(
    'tracker.carry-over',
    ['project.updated'],
    async ({ payload: { projectId, changes } }) => {
      // a group that moves changes the paths of all projects in it, and nothing else of theirs
      if (!changes.path && !changes.namespaceId) return;
      const project = await findProjectById(core.db, projectId);
      if (project) await core.database.transaction((tx) => carryOver(core, tx, project));
    },
  );
}

async function carryOver(core: Core, tx: Tx, project: ProjectWithNamespace): Promise<void> {
  const home: Home = { projectId: project.id, groupIds: scopeOf(project).groupIds };
  const now = core.clock.now();
  const stamps = { project_id: project.id, group_id: null, created_at: now, updated_at: now };
  for (const { id, name, color, description } of await foreignLabels(tx, home)) {
    const known = (await labelsByName(tx, home, [name])).get(name);
    const [made] = known ? [known] : await insertLabelsOnce(tx, [{ name, color, description, ...stamps }]);
    if (made) await exchangeLabel(tx, project.id, { from: id, to: made.id });
  }
  for (const { id, title, description, state, due_date, start_date } of await foreignMilestones(tx, home)) {
    const [known] = await listMilestones(tx, { ...home, title }, { limit: 1, offset: 0 });
    const values = { title, description, state, due_date, start_date };
    const made = known ?? (await insertMilestone(tx, { ...values, ...stamps }));
    if (made) await exchangeMilestone(tx, project.id, { from: id, to: made.id });
  }
}
