import type { Tx } from '../platform/db/tables.ts';
import type { TrackerCountersTable } from './tables.ts';

/** The next number of its kind within the project. A number is never given twice, also after its thing was deleted. */
export async function nextIid(
  tx: Tx,
  projectId: number,
  kind: TrackerCountersTable['kind'],
): Promise<number> {
  const { last_iid } = await tx
    .insertInto('tracker_counters')
    .values({ project_id: projectId, kind, last_iid: 1 })
    .onConflict((conflict) =>
      conflict
        .columns(['project_id', 'kind'])
        .doUpdateSet((eb) => ({ last_iid: eb('tracker_counters.last_iid', '+', 1) })),
    )
    .returning('last_iid')
    .executeTakeFirstOrThrow();
  return last_iid;
}

/** A number that was chosen by hand: those given from now on are above it. */
export async function reserveIid(
  tx: Tx,
  projectId: number,
  kind: TrackerCountersTable['kind'],
  iid: number,
): Promise<void> {
  await tx
    .insertInto('tracker_counters')
    .values({ project_id: projectId, kind, last_iid: iid })
    .onConflict((conflict) =>
      conflict.columns(['project_id', 'kind']).doUpdateSet((eb) => ({
        last_iid: eb
          .case()
          .when('tracker_counters.last_iid', '<', iid)
          .then(iid)
          .else(eb.ref('tracker_counters.last_iid'))
          .end(),
      })),
    )
    .execute();
}
