import type { EnvironmentPlan, JobDefinition } from '../config/plan.ts';

/** What `job_definitions` holds of a job: what a runner is told, and what its environment is beside its name. */
export interface StoredDefinition extends JobDefinition {
  environment: EnvironmentPlan | null;
}

export const readDefinition = (row: { definition: string }): StoredDefinition =>
  JSON.parse(row.definition) as StoredDefinition;
