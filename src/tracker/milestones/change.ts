import type { Core } from '../../core/core.ts';
import { groupStream, projectStream } from '../../core/events.ts';
import { UniqueViolation } from '../../platform/db/errors.ts';
import type { Tx } from '../../platform/db/tables.ts';
import { type FieldErrors, fail } from '../../platform/errors.ts';
import { notFoundWhenGone } from '../gone.ts';
import { deleteMilestoneRow, insertMilestone, updateMilestoneRow } from './store.ts';
import type { MilestoneRow } from './tables.ts';
import '../events.ts';

/** Whose milestone it is; the other is null. */
export interface MilestoneOwner {
  projectId: number | null;
  groupId: number | null;
}

export interface MilestoneFields {
  title?: string | null | undefined;
  description?: string | null | undefined;
  /** `YYYY-MM-DD` */
  due_date?: string | null | undefined;
  start_date?: string | null | undefined;
  state_event?: 'close' | 'activate' | null | undefined;
}

type Deps = Pick<Core, 'database' | 'events' | 'clock'>;

/** Throws 400 for values that will not do and for a title in use. */
export async function createMilestone(
  core: Deps,
  owner: MilestoneOwner,
  { title, description = null, due_date = null, start_date = null }: MilestoneFields,
  userId: number,
): Promise<MilestoneRow> {
  refuse(problemsOf({ title: title ?? '', description, due_date, start_date }));
  const now = core.clock.now();
  const written = core.database.transaction(async (tx) => {
    const milestone = await insertMilestone(tx, {
      project_id: owner.projectId,
      group_id: owner.groupId,
      title: title!.trim(),
      description,
      due_date,
      start_date,
      created_at: now,
      updated_at: now,
    });
    if (!milestone) throw titleTaken();
    await announce(core, tx, 'milestone.created', milestone, userId);
    return milestone;
  });
  return notFoundWhenGone(written);
}

/** Throws 400 for values that will not do and for a title in use, 404 when it is gone meanwhile. */
export async function updateMilestone(
  core: Deps,
  milestone: MilestoneRow,
  fields: MilestoneFields,
  userId: number,
): Promise<MilestoneRow> {
  const changes = changesOf(fields);
  refuse(problemsOf({ ...milestone, ...changes }));
  try {
    return await core.database.transaction(async (tx) => {
      const updated = await updateMilestoneRow(tx, milestone.id, {
        ...changes,
        updated_at: core.clock.now(),
      });
      if (!updated) throw fail.recordNotFound();
      const changed = differing(milestone, changes);
      if (changed.length > 0) await announceUpdate(core, tx, updated, userId, changed);
      return updated;
    });
  } catch (error) {
    if (error instanceof UniqueViolation) throw titleTaken();
    throw error;
  }
}

/** Issues and merge requests stay, without one. */
export async function deleteMilestone(core: Deps, milestone: MilestoneRow, userId: number): Promise<void> {
  await core.database.transaction(async (tx) => {
    if (!(await deleteMilestoneRow(tx, milestone.id))) throw fail.recordNotFound();
    await announce(core, tx, 'milestone.deleted', milestone, userId);
  });
}

type Changes = Partial<Pick<MilestoneRow, 'title' | 'description' | 'due_date' | 'start_date' | 'state'>>;

function changesOf({ title, description, due_date, start_date, state_event }: MilestoneFields): Changes {
  return {
    ...(title !== undefined && { title: (title ?? '').trim() }),
    ...(description !== undefined && { description }),
    ...(due_date !== undefined && { due_date }),
    ...(start_date !== undefined && { start_date }),
    ...(state_event && { state: state_event === 'close' ? 'closed' : 'active' }),
  };
}

const differing = (before: MilestoneRow, changes: Changes): string[] =>
  Object.entries(changes)
    .filter(([key, value]) => before[key as keyof Changes] !== value)
    .map(([key]) => key);

const MAX_TITLE = 255;
const MAX_DESCRIPTION = 1_048_576;

function problemsOf({ title, description, due_date, start_date }: MilestoneFields): FieldErrors {
  const tooLong = (limit: number) => [`is too long (maximum is ${limit} characters)`];
  const name = title?.trim() ?? '';
  return {
    ...(name === '' && { title: ["can't be blank"] }),
    ...(name.length > MAX_TITLE && { title: tooLong(MAX_TITLE) }),
    ...((description?.length ?? 0) > MAX_DESCRIPTION && { description: tooLong(MAX_DESCRIPTION) }),
    ...(start_date && due_date && start_date > due_date && { due_date: ['must be greater than start date'] }),
  };
}

function refuse(problems: FieldErrors): void {
  if (Object.keys(problems).length > 0) throw fail.invalid(problems);
}

const titleTaken = () =>
  fail.invalid({ title: ['already being used for another group or project milestone.'] });

const streamOf = ({ project_id, group_id }: MilestoneRow) =>
  project_id === null ? groupStream(group_id!) : projectStream(project_id);

const idsOf = ({ id, project_id, group_id }: MilestoneRow, userId: number) => ({
  milestoneId: id,
  projectId: project_id,
  groupId: group_id,
  userId,
});

export async function announce(
  { events }: Pick<Core, 'events'>,
  tx: Tx,
  type: 'milestone.created' | 'milestone.deleted',
  milestone: MilestoneRow,
  userId: number,
): Promise<void> {
  await events.publish(tx, { type, stream: streamOf(milestone), payload: idsOf(milestone, userId) });
}

async function announceUpdate(
  { events }: Pick<Core, 'events'>,
  tx: Tx,
  milestone: MilestoneRow,
  userId: number,
  changes: string[],
): Promise<void> {
  const payload = { ...idsOf(milestone, userId), changes };
  await events.publish(tx, { type: 'milestone.updated', stream: streamOf(milestone), payload });
}
