import type { Core } from '../../core/core.ts';
import { groupStream, projectStream } from '../../core/events.ts';
import { UniqueViolation } from '../../platform/db/errors.ts';
import type { Tx } from '../../platform/db/tables.ts';
import { type FieldErrors, fail } from '../../platform/errors.ts';
import { notFoundWhenGone } from '../gone.ts';
import { parseColor } from './color.ts';
import { MAX_NAME } from './named.ts';
import { deleteLabelRow, insertLabelsOnce, setPriority, updateLabelRow } from './store.ts';
import type { LabelRow } from './tables.ts';
import '../events.ts';

/** Whose label it is; the other is null. */
export interface LabelOwner {
  projectId: number | null;
  groupId: number | null;
}

export interface LabelFields {
  name?: string | null | undefined;
  color?: string | null | undefined;
  description?: string | null | undefined;
  /** In one project; null takes it away. */
  priority?: { projectId: number; value: number | null } | undefined;
}

type Deps = Pick<Core, 'database' | 'events' | 'clock'>;

/** Throws 400 for values that will not do, 409 where the name is in use. */
export async function createLabel(
  core: Deps,
  owner: LabelOwner,
  { name, color, description, priority }: LabelFields,
  userId: number,
): Promise<LabelRow> {
  refuse(problemsOf({ name: name ?? '', color: color ?? '', description, priority }));
  const now = core.clock.now();
  const row = {
    project_id: owner.projectId,
    group_id: owner.groupId,
    name: name!.trim(),
    color: parseColor(color!)!,
    description: description || null,
    created_at: now,
    updated_at: now,
  };
  const written = core.database.transaction(async (tx) => {
    const [label] = await insertLabelsOnce(tx, [row]);
    if (!label) throw fail.conflict('Label already exists');
    if (priority) await prioritize(tx, label, priority);
    await announce(core, tx, 'label.created', label, userId);
    return label;
  });
  return notFoundWhenGone(written);
}

/** Throws 400 for values that will not do and for a name in use, 404 when it is gone meanwhile. */
export async function updateLabel(
  core: Deps,
  label: LabelRow,
  fields: LabelFields,
  userId: number,
): Promise<LabelRow> {
  refuse(problemsOf(fields));
  const changes = {
    ...(fields.name != null && { name: fields.name.trim() }),
    ...(fields.color != null && { color: parseColor(fields.color)! }),
    ...(fields.description !== undefined && { description: fields.description || null }),
    updated_at: core.clock.now(),
  };
  try {
    return await core.database.transaction(async (tx) => {
      const updated = await updateLabelRow(tx, label.id, changes);
      if (!updated) throw fail.notFound('Label');
      if (fields.priority) await prioritize(tx, label, fields.priority);
      await announce(core, tx, 'label.updated', updated, userId);
      return updated;
    });
  } catch (error) {
    if (error instanceof UniqueViolation) throw fail.invalid({ title: ['has already been taken'] });
    throw error;
  }
}

/** It goes from everything that it was on. */
export async function deleteLabel(core: Deps, label: LabelRow, userId: number): Promise<void> {
  await core.database.transaction(async (tx) => {
    if (!(await deleteLabelRow(tx, label.id))) throw fail.notFound('Label');
    await announce(core, tx, 'label.deleted', label, userId);
  });
}

const prioritize = (
  tx: Tx,
  label: LabelRow,
  { projectId, value }: { projectId: number; value: number | null },
) => setPriority(tx, { project_id: projectId, label_id: label.id }, value);

const MAX_DESCRIPTION = 512 * 1024;

function problemsOf({ name, color, description, priority }: LabelFields): FieldErrors {
  const tooLong = (limit: number) => [`is too long (maximum is ${limit} characters)`];
  return {
    ...(name != null && nameProblem(name.trim())),
    ...(color != null && parseColor(color) === null && { color: ['must be a valid color code'] }),
    ...((description?.length ?? 0) > MAX_DESCRIPTION && { description: tooLong(MAX_DESCRIPTION) }),
    ...((priority?.value ?? 0) < 0 && { priority: ['must be greater than or equal to 0'] }),
  };
}

function nameProblem(name: string): FieldErrors {
  if (name === '') return { title: ["can't be blank", 'is invalid'] };
  if (name.length > MAX_NAME) return { title: [`is too long (maximum is ${MAX_NAME} characters)`] };
  // lists of labels are written with commas
  return name.includes(',') ? { title: ['is invalid'] } : {};
}

function refuse(problems: FieldErrors): void {
  if (Object.keys(problems).length > 0) throw fail.invalid(problems);
}

export async function announce(
  { events }: Pick<Core, 'events'>,
  tx: Tx,
  type: 'label.created' | 'label.updated' | 'label.deleted',
  { id, project_id: projectId, group_id: groupId }: LabelRow,
  userId: number | null,
): Promise<void> {
  const stream = projectId === null ? groupStream(groupId!) : projectStream(projectId);
  await events.publish(tx, { type, stream, payload: { labelId: id, projectId, groupId, userId } });
}
