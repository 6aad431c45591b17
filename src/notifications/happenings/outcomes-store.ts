import type { Tx } from '../../platform/db/tables.ts';

/** How the newest pipeline of a ref ended that people were told of. */
interface PipelineOutcomesTable {
  project_id: number;
  ref: string;
  tag: number;
  pipeline_id: number;
  status: string;
  /** The event that told of it: handed out again it must not find its own trace. */
  event_id: number;
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    pipeline_outcomes: PipelineOutcomesTable;
  }
}

type Outcome = PipelineOutcomesTable;

/**
 * Writes down how a pipeline of the ref has ended, and answers how the one before did: null where none had, `seen` where this
 * event was written down before. An older event never overwrites a newer one.
 */
export async function recordOutcome(tx: Tx, outcome: Outcome): Promise<string | 'seen' | null> {
  const { project_id, ref, tag } = outcome;
  const before = await tx
    .selectFrom('pipeline_outcomes')
    .select(['status', 'event_id'])
    .where('project_id', '=', project_id)
    .where('ref', '=', ref)
    .where('tag', '=', tag)
    .executeTakeFirst();
  if (before && before.event_id >= outcome.event_id) return 'seen';
  const { pipeline_id, status, event_id } = outcome;
  await tx
    .insertInto('pipeline_outcomes')
    .values(outcome)
    .onConflict((conflict) =>
      conflict.columns(['project_id', 'ref', 'tag']).doUpdateSet({ pipeline_id, status, event_id }),
    )
    .execute();
  return before?.status ?? null;
}
