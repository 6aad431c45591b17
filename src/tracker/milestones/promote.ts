import type { Core } from '../../core/core.ts';
import { fail } from '../../platform/errors.ts';
import { announce } from './change.ts';
import { mergeMilestones, milestoneTitled, projectMilestonesBelow } from './promote-store.ts';
import { insertMilestone } from './store.ts';
import type { MilestoneRow } from './tables.ts';

/**
 * Makes a project's milestone one of its group: those of the same title in all projects of the group become that one.
 * Throws 400 when the group has one of this title, 404 when it is gone meanwhile.
 */
export async function promoteMilestone(
  core: Pick<Core, 'database' | 'events' | 'clock'>,
  milestone: MilestoneRow,
  groupId: number,
  userId: number,
): Promise<MilestoneRow> {
  return core.database.transaction(async (tx) => {
    const same = await projectMilestonesBelow(tx, groupId, milestone.title);
    if (!same.some(({ id }) => id === milestone.id)) throw fail.recordNotFound();
    if (await milestoneTitled(tx, groupId, milestone.title)) throw fail.badRequest(IN_USE);
    const now = core.clock.now();
    const { title, description, state, due_date, start_date } = milestone;
    const values = { title, description, state, due_date, start_date, created_at: now, updated_at: now };
    const made = await insertMilestone(tx, { group_id: groupId, project_id: null, ...values });
    if (!made) throw fail.badRequest(IN_USE);
    await mergeMilestones(
      tx,
      same.map(({ id }) => id),
      made.id,
    );
    for (const gone of same) await announce(core, tx, 'milestone.deleted', gone, userId);
    await announce(core, tx, 'milestone.created', made, userId);
    return made;
  });
}

const IN_USE =
  'Failed to promote milestone: the title is already being used for another group or project milestone.';
