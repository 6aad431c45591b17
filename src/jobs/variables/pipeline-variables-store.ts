import { composed } from '../../platform/db/prepared.ts';
import type { Queryable, Tx } from '../../platform/db/tables.ts';
import type { ConfigVariable } from '../config/plan.ts';
import { configuredVariable, type JobVariable } from './variable.ts';

/** What a pipeline was begun with, by key. */
export const pipelineVariableRows = (db: Queryable, pipelineId: number) => ofPipeline(db, { pipelineId });

const ofPipeline = composed((db, at: { pipelineId: number }) =>
  db.selectFrom('pipeline_variables').selectAll().where('pipeline_id', '=', at.pipelineId).orderBy('key'),
);

/** The same as its jobs get it. */
export async function variablesOfPipeline(db: Queryable, pipelineId: number): Promise<JobVariable[]> {
  const rows = await pipelineVariableRows(db, pipelineId);
  return rows.map(({ key, value, raw, variable_type: type }) => ({
    ...configuredVariable({ key, value, raw: raw === 1, type }),
    public: false,
  }));
}

/** Of several with one key the last counts. */
export async function insertPipelineVariables(
  tx: Tx,
  pipelineId: number,
  variables: readonly ConfigVariable[],
): Promise<void> {
  const last = new Map(variables.map((variable) => [variable.key, variable]));
  const rows = [...last.values()].map(({ key, value, raw, type }) => ({
    pipeline_id: pipelineId,
    key,
    value,
    variable_type: type ?? ('env_var' as const),
    raw: raw ? 1 : 0,
  }));
  if (rows.length > 0) await tx.insertInto('pipeline_variables').values(rows).execute();
}
