import type { Insertable } from 'kysely';
import type { JobPlan } from '../config/plan.ts';
import type { JobsTable, PipelineRow } from '../tables.ts';
import { byKey, expandText } from '../variables/expand.ts';
import { configuredVariable, type JobVariable } from '../variables/variable.ts';
import type { StoredDefinition } from './stored-definition.ts';

/** What a planned job is written as. */
export interface NewJob {
  row: Insertable<JobsTable>;
  definition: string;
  variables: string;
  needs: JobPlan['needs'];
}

export interface JobPlace {
  pipeline: PipelineRow;
  /** Seconds that a job may take which does not say so itself. */
  timeout: number;
  /** Lowest first: those of the configuration come between the two. */
  variables: { predefined: readonly JobVariable[]; set: readonly JobVariable[] };
  now: number;
}

/** The rows of a job that waits for its turn. Names that are made of variables are settled here, once. */
export function newJob(plan: JobPlan, place: JobPlace): NewJob {
  const { pipeline, now } = place;
  const expand = expander(plan, place);
  const { environment, definition } = plan;
  const stored: StoredDefinition = { ...definition, environment };
  return {
    row: {
      kind: plan.kind,
      project_id: pipeline.project_id,
      pipeline_id: pipeline.id,
      name: plan.name,
      stage: plan.stage,
      stage_idx: plan.stageIdx,
      ref: pipeline.ref,
      tag: pipeline.tag,
      status: 'created',
      allow_failure: plan.allowFailure ? 1 : 0,
      user_id: pipeline.user_id,
      when: plan.when,
      start_in: plan.startIn,
      scheduling: plan.scheduling,
      protected: pipeline.protected,
      interruptible: plan.interruptible ? 1 : 0,
      resource_group:
        plan.resourceGroup === null ? null : expand(plan.resourceGroup).slice(0, MAX_NAME) || null,
      environment: environment === null ? null : expand(environment.name).slice(0, MAX_NAME) || null,
      tags: tagsText(plan.tags.map(expand)),
      timeout: definition.timeout ?? place.timeout,
      created_at: now,
      updated_at: now,
    },
    definition: JSON.stringify(stored),
    variables: JSON.stringify(plan.variables),
    needs: plan.needs,
  };
}

const MAX_NAME = 255;
/** What an index of PostgreSQL takes. */
const MAX_TAGS_BYTES = 2_000;

/** Sorted, as JSON. Tags that variables made too long become one that no runner has: without some of them it would run anywhere. */
function tagsText(expanded: readonly string[]): string {
  const tags = [...new Set(expanded.filter(Boolean))].sort();
  const text = JSON.stringify(tags);
  return Buffer.byteLength(text) <= MAX_TAGS_BYTES
    ? text
    : JSON.stringify([tags.join(',').slice(0, MAX_NAME)]);
}

/** Most jobs name no variable, so they are put together for those that do. */
function expander(plan: JobPlan, { variables: { predefined, set } }: JobPlace): (text: string) => string {
  let known: ReadonlyMap<string, JobVariable> | undefined;
  return (text) => {
    if (!/[$%]/.test(text)) return text;
    known ??= byKey([...predefined, ...plan.variables.map(configuredVariable), ...set]);
    return expandText(text, known);
  };
}
