import type { Core } from '../../core/core.ts';
import { fail } from '../../platform/errors.ts';
import { announce } from './change.ts';
import { mergeLabels, projectLabelsBelow } from './promote-store.ts';
import { insertLabelsOnce, labelsByName } from './store.ts';
import type { LabelRow } from './tables.ts';

/**
 * Makes a project's label one of its group: labels of the same name in all projects of the group become that one, and what
 * carried them carries it. Throws 404 when it is gone meanwhile.
 */
export async function promoteLabel(
  core: Pick<Core, 'database' | 'events' | 'clock'>,
  label: LabelRow,
  groupId: number,
  userId: number,
): Promise<LabelRow> {
  return core.database.transaction(async (tx) => {
    const same = await projectLabelsBelow(tx, groupId, label.name);
    if (!same.some(({ id }) => id === label.id)) throw fail.notFound('Label');
    const now = core.clock.now();
    const { name, color, description } = label;
    const [made] = await insertLabelsOnce(tx, [
      { group_id: groupId, name, color, description, created_at: now, updated_at: now },
    ]);
    const kept =
      made ??
      (await labelsByName(tx, { projectId: null, groupIds: [groupId] }, [label.name])).get(label.name)!;
    await mergeLabels(
      tx,
      same.map(({ id }) => id),
      kept.id,
    );
    for (const gone of same) await announce(core, tx, 'label.deleted', gone, userId);
    await announce(core, tx, made ? 'label.created' : 'label.updated', kept, userId);
    return kept;
  });
}
